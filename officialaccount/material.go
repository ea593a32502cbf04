package officialaccount

import (
	"context"
	"encoding/json"
	"iter"
	"strings"

	"github.com/seed175cf469/wechat"
)

// AddMaterialRequest is a file to keep. VideoMaterial makes one for a video.
type AddMaterialRequest struct {
	Type        MediaType   `query:"type"`
	Media       wechat.File `form:"media"`                 // its name must have an extension
	Description string      `form:"description,omitempty"` // of a video: JSON with title and introduction
}

// VideoMaterial is a video to keep, with its title and introduction.
func VideoMaterial(video wechat.File, title, introduction string) *AddMaterialRequest {
	var description strings.Builder
	encoder := json.NewEncoder(&description)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(struct { // texts always encode
		Title        string `json:"title"`
		Introduction string `json:"introduction"`
	}{title, introduction})
	return &AddMaterialRequest{Type: MediaVideo, Media: video, Description: strings.TrimSuffix(description.String(), "\n")}
}

// AddMaterialReply names the file.
type AddMaterialReply struct {
	MediaID string `json:"media_id"`
	URL     string `json:"url"` // of an image; it works on Tencent's pages only
}

var addMaterial = wechat.Endpoint[AddMaterialRequest, AddMaterialReply]{
	Name: "AddMaterial", Pattern: "POST /cgi-bin/material/add_material",
	Effect: wechat.EffectUpload,
}

// AddMaterial uploads a file that is kept until it is deleted. An account has up to 100,000 images and 1,000 files of each
// other kind.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/material/permanent/api_addmaterial.html
func (c *Client) AddMaterial(ctx context.Context, r *AddMaterialRequest) (*AddMaterialReply, error) {
	return addMaterial.Do(ctx, c.caller, r)
}

// Material is permanent material: a file (image, voice, thumb), articles, or a video's text and address.
type Material struct {
	File        wechat.Blob     `json:"-"`
	NewsItem    []StoredArticle `json:"news_item"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	DownURL     string          `json:"down_url"`
}

var getMaterial = wechat.Endpoint[MediaID, Material]{
	Name: "GetMaterial", Pattern: "POST /cgi-bin/material/get_material",
	Effect: wechat.EffectRead,
}

// GetMaterial reads permanent material. Which fields of the reply are filled depends on what it is. 40007 means that
// there is none of this id.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/material/permanent/api_getmaterial.html
func (c *Client) GetMaterial(ctx context.Context, r *MediaID) (*Material, error) {
	return getMaterial.Do(ctx, c.caller, r)
}

var deleteMaterial = wechat.Endpoint[MediaID, wechat.None]{
	Name: "DeleteMaterial", Pattern: "POST /cgi-bin/material/del_material",
	Effect: wechat.EffectSet,
}

// DeleteMaterial deletes permanent material, also what was added in the web console.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/material/permanent/api_delmaterial.html
func (c *Client) DeleteMaterial(ctx context.Context, r *MediaID) error {
	return deleteMaterial.Exec(ctx, c.caller, r)
}

// GetMaterialCountReply counts permanent material, that of the web console included.
type GetMaterialCountReply struct {
	VoiceCount int `json:"voice_count"`
	VideoCount int `json:"video_count"`
	ImageCount int `json:"image_count"`
	NewsCount  int `json:"news_count"`
}

var getMaterialCount = wechat.Endpoint[wechat.None, GetMaterialCountReply]{
	Name: "GetMaterialCount", Pattern: "GET /cgi-bin/material/get_materialcount",
	Effect: wechat.EffectRead,
}

// GetMaterialCount counts permanent material by kind.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/material/permanent/api_getmaterialcount.html
func (c *Client) GetMaterialCount(ctx context.Context) (*GetMaterialCountReply, error) {
	return getMaterialCount.Do(ctx, c.caller, nil)
}

// ListMaterialsRequest asks for one page.
type ListMaterialsRequest struct {
	Type   MediaType `json:"type"`   // MediaImage, MediaVoice, MediaVideo or MediaNews
	Offset int       `json:"offset"` // counts from 0
	Count  int       `json:"count"`  // 1 to 20
}

// MaterialItem is permanent material in a list. MediaNews has Content, the others have Name and URL.
type MaterialItem struct {
	MediaID    string                  `json:"media_id"`
	Name       string                  `json:"name"`
	URL        string                  `json:"url"`
	UpdateTime int64                   `json:"update_time"`
	Content    Articles[StoredArticle] `json:"content"`
}

// ListMaterialsReply is one page.
type ListMaterialsReply struct {
	TotalCount int            `json:"total_count"` // in all pages
	ItemCount  int            `json:"item_count"`  // in this one
	Item       []MaterialItem `json:"item"`
}

var listMaterials = wechat.Endpoint[ListMaterialsRequest, ListMaterialsReply]{
	Name: "ListMaterials", Pattern: "POST /cgi-bin/material/batchget_material",
	Effect: wechat.EffectRead,
}

// ListMaterials returns a page of up to 20 pieces of permanent material of one kind.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/material/permanent/api_batchgetmaterial.html
func (c *Client) ListMaterials(ctx context.Context, r *ListMaterialsRequest) (*ListMaterialsReply, error) {
	return listMaterials.Do(ctx, c.caller, r)
}

// AllMaterials walks all permanent material of one kind.
func (c *Client) AllMaterials(ctx context.Context, t MediaType) iter.Seq2[MaterialItem, error] {
	return offsets(ctx, func(ctx context.Context, offset int) ([]MaterialItem, int, error) {
		page, err := c.ListMaterials(ctx, &ListMaterialsRequest{Type: t, Offset: offset, Count: 20})
		if err != nil {
			return nil, 0, err
		}
		return page.Item, page.TotalCount, nil
	})
}
