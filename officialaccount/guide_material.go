package officialaccount

import (
	"context"
	"iter"

	"github.com/seed175cf469/wechat"
)

// GuideMaterialType is whose a material is.
type GuideMaterialType int

// GuideMaterialCompany is the only type there is: what is stored is for all guides of the account.
const GuideMaterialCompany GuideMaterialType = 0

// GuideCardMaterial names a mini program card.
type GuideCardMaterial struct {
	Type  GuideMaterialType `json:"type"`
	Title string            `json:"title"`
	Path  string            `json:"path"` // of a page of the mini program
	AppID string            `json:"appid"`
}

// SetGuideCardMaterialRequest is a new mini program card.
type SetGuideCardMaterialRequest struct {
	GuideCardMaterial
	MediaID string `json:"media_id"` // of the cover, permanent material
}

var setGuideCardMaterial = wechat.Endpoint[SetGuideCardMaterialRequest, wechat.None]{
	Name: "SetGuideCardMaterial", Pattern: "POST /cgi-bin/guide/setguidecardmaterial",
	Effect: wechat.EffectSet,
}

// SetGuideCardMaterial stores a mini program card that guides can send. 9300817 means that there are as many as there may
// be, 9300819 that the cover is wrong, 9300821 that the mini program is.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Shopping_Guide/model-account/shopping-guide.setGuideCardMaterial.html
func (c *Client) SetGuideCardMaterial(ctx context.Context, r *SetGuideCardMaterialRequest) error {
	return setGuideCardMaterial.Exec(ctx, c.caller, r)
}

// ListGuideCardMaterialsRequest says whose cards are listed.
type ListGuideCardMaterialsRequest struct {
	Type GuideMaterialType `json:"type"`
}

// GuideCard is a stored mini program card.
type GuideCard struct {
	Title    string `json:"title"`
	AppID    string `json:"appid"`
	Path     string `json:"path"`
	PicURL   string `json:"picurl"`    // the cover
	MasterID int64  `json:"master_id"` // this and SlaveID are ids of the cover
	SlaveID  int64  `json:"slave_id"`
}

// ListGuideCardMaterialsReply has all cards.
type ListGuideCardMaterialsReply struct {
	CardList []GuideCard `json:"card_list"`
}

var listGuideCardMaterials = wechat.Endpoint[ListGuideCardMaterialsRequest, ListGuideCardMaterialsReply]{
	Name: "ListGuideCardMaterials", Pattern: "POST /cgi-bin/guide/getguidecardmaterial",
	Effect: wechat.EffectRead,
}

// ListGuideCardMaterials lists the mini program cards, all at once.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Shopping_Guide/model-account/shopping-guide.getGuideCardMaterial.html
func (c *Client) ListGuideCardMaterials(ctx context.Context, r *ListGuideCardMaterialsRequest) (*ListGuideCardMaterialsReply, error) {
	return listGuideCardMaterials.Do(ctx, c.caller, r)
}

var deleteGuideCardMaterial = wechat.Endpoint[GuideCardMaterial, wechat.None]{
	Name: "DeleteGuideCardMaterial", Pattern: "POST /cgi-bin/guide/delguidecardmaterial",
	Effect: wechat.EffectSet,
}

// DeleteGuideCardMaterial deletes a mini program card, which is named by all that it says.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Shopping_Guide/model-account/shopping-guide.delGuideCardMaterial.html
func (c *Client) DeleteGuideCardMaterial(ctx context.Context, r *GuideCardMaterial) error {
	return deleteGuideCardMaterial.Exec(ctx, c.caller, r)
}

// SetGuideImageMaterialRequest is a new picture.
type SetGuideImageMaterialRequest struct {
	MediaID string            `json:"media_id"` // permanent material
	Type    GuideMaterialType `json:"type"`
}

var setGuideImageMaterial = wechat.Endpoint[SetGuideImageMaterialRequest, wechat.None]{
	Name: "SetGuideImageMaterial", Pattern: "POST /cgi-bin/guide/setguideimagematerial",
	Effect: wechat.EffectCreate,
}

// SetGuideImageMaterial stores a picture that guides can send. 9300818 means that there are as many as there may
// be, 9300819 that the media id is wrong.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Shopping_Guide/model-account/shopping-guide.setGuideImageMaterial.html
func (c *Client) SetGuideImageMaterial(ctx context.Context, r *SetGuideImageMaterialRequest) error {
	return setGuideImageMaterial.Exec(ctx, c.caller, r)
}

// ListGuideMaterialsRequest asks for one page of pictures or texts.
type ListGuideMaterialsRequest struct {
	Type  GuideMaterialType `json:"type"`
	Start int               `json:"start"` // counts from 0
	Num   int               `json:"num"`
}

// GuideImage is a stored picture.
type GuideImage struct {
	PicURL     string `json:"picurl"`
	CreateTime int64  `json:"create_time"` // may be 0
}

// ListGuideImageMaterialsReply is one page.
type ListGuideImageMaterialsReply struct {
	TotalNum  int          `json:"total_num"` // on all pages
	ModelList []GuideImage `json:"model_list"`
}

var listGuideImageMaterials = wechat.Endpoint[ListGuideMaterialsRequest, ListGuideImageMaterialsReply]{
	Name: "ListGuideImageMaterials", Pattern: "POST /cgi-bin/guide/getguideimagematerial",
	Effect: wechat.EffectRead,
}

// ListGuideImageMaterials returns a page of the stored pictures.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Shopping_Guide/model-account/shopping-guide.getGuideImageMaterial.html
func (c *Client) ListGuideImageMaterials(ctx context.Context, r *ListGuideMaterialsRequest) (*ListGuideImageMaterialsReply, error) {
	return listGuideImageMaterials.Do(ctx, c.caller, r)
}

// AllGuideImageMaterials walks all stored pictures.
func (c *Client) AllGuideImageMaterials(ctx context.Context, typ GuideMaterialType) iter.Seq2[GuideImage, error] {
	return offsets(ctx, func(ctx context.Context, offset int) ([]GuideImage, int, error) {
		page, err := c.ListGuideImageMaterials(ctx, &ListGuideMaterialsRequest{Type: typ, Start: offset, Num: 100})
		if err != nil {
			return nil, 0, err
		}
		return page.ModelList, page.TotalNum, nil
	})
}

// DeleteGuideImageMaterialRequest names a stored picture.
type DeleteGuideImageMaterialRequest struct {
	Type   GuideMaterialType `json:"type"`
	PicURL string            `json:"picurl"`
}

var deleteGuideImageMaterial = wechat.Endpoint[DeleteGuideImageMaterialRequest, wechat.None]{
	Name: "DeleteGuideImageMaterial", Pattern: "POST /cgi-bin/guide/delguideimagematerial",
	Effect: wechat.EffectSet,
}

// DeleteGuideImageMaterial deletes a stored picture.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Shopping_Guide/model-account/shopping-guide.delGuideImageMaterial.html
func (c *Client) DeleteGuideImageMaterial(ctx context.Context, r *DeleteGuideImageMaterialRequest) error {
	return deleteGuideImageMaterial.Exec(ctx, c.caller, r)
}

// GuideWordMaterial is a text, and names it.
type GuideWordMaterial struct {
	Type GuideMaterialType `json:"type"`
	Word string            `json:"word"` // at most 300 characters
}

var setGuideWordMaterial = wechat.Endpoint[GuideWordMaterial, wechat.None]{
	Name: "SetGuideWordMaterial", Pattern: "POST /cgi-bin/guide/setguidewordmaterial",
	Effect: wechat.EffectCreate,
}

// SetGuideWordMaterial stores a text that guides can send. 9300816 means that there are as many as there may be.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Shopping_Guide/model-account/shopping-guide.setGuideWordMaterial.html
func (c *Client) SetGuideWordMaterial(ctx context.Context, r *GuideWordMaterial) error {
	return setGuideWordMaterial.Exec(ctx, c.caller, r)
}

// GuideWord is a stored text.
type GuideWord struct {
	Word       string `json:"word"`
	CreateTime int64  `json:"create_time"`
}

// ListGuideWordMaterialsReply is one page.
type ListGuideWordMaterialsReply struct {
	TotalNum int         `json:"total_num"` // on all pages
	WordList []GuideWord `json:"word_list"`
}

var listGuideWordMaterials = wechat.Endpoint[ListGuideMaterialsRequest, ListGuideWordMaterialsReply]{
	Name: "ListGuideWordMaterials", Pattern: "POST /cgi-bin/guide/getguidewordmaterial",
	Effect: wechat.EffectRead,
}

// ListGuideWordMaterials returns a page of the stored texts.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Shopping_Guide/model-account/shopping-guide.getGuideWordMaterial.html
func (c *Client) ListGuideWordMaterials(ctx context.Context, r *ListGuideMaterialsRequest) (*ListGuideWordMaterialsReply, error) {
	return listGuideWordMaterials.Do(ctx, c.caller, r)
}

// AllGuideWordMaterials walks all stored texts.
func (c *Client) AllGuideWordMaterials(ctx context.Context, typ GuideMaterialType) iter.Seq2[GuideWord, error] {
	return offsets(ctx, func(ctx context.Context, offset int) ([]GuideWord, int, error) {
		page, err := c.ListGuideWordMaterials(ctx, &ListGuideMaterialsRequest{Type: typ, Start: offset, Num: 100})
		if err != nil {
			return nil, 0, err
		}
		return page.WordList, page.TotalNum, nil
	})
}

var deleteGuideWordMaterial = wechat.Endpoint[GuideWordMaterial, wechat.None]{
	Name: "DeleteGuideWordMaterial", Pattern: "POST /cgi-bin/guide/delguidewordmaterial",
	Effect: wechat.EffectSet,
}

// DeleteGuideWordMaterial deletes a stored text.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Shopping_Guide/model-account/shopping-guide.delGuideWordMaterial.html
func (c *Client) DeleteGuideWordMaterial(ctx context.Context, r *GuideWordMaterial) error {
	return deleteGuideWordMaterial.Exec(ctx, c.caller, r)
}
