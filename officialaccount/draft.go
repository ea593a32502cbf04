package officialaccount

import (
	"context"
	"iter"

	"github.com/seed175cf469/wechat"
)

// ArticleType is the kind of an article.
type ArticleType string

// The kinds of articles.
const (
	ArticleNews    ArticleType = "news"    // a text with a cover; the default
	ArticleNewsPic ArticleType = "newspic" // pictures with a plain text
)

// Article is an article of a draft.
type Article struct {
	ArticleType      ArticleType `json:"article_type,omitempty"`
	Title            string      `json:"title"`                        // at most 32 characters
	Author           string      `json:"author,omitempty"`             // at most 16 characters
	Digest           string      `json:"digest,omitempty"`             // at most 128 characters; empty: the beginning of the text
	Content          string      `json:"content"`                      // HTML, see AddDraft
	ContentSourceURL string      `json:"content_source_url,omitempty"` // "read more", at most 1 KB
	// ThumbMediaID is the cover, permanent material. ArticleNews needs it.
	ThumbMediaID       string       `json:"thumb_media_id,omitempty"`
	NeedOpenComment    int          `json:"need_open_comment,omitempty"`     // 1: people may comment
	OnlyFansCanComment int          `json:"only_fans_can_comment,omitempty"` // 1: only followers may
	PicCrop235x1       string       `json:"pic_crop_235_1,omitempty"`        // part of the cover shown at 2.35:1: "x1_y1_x2_y2", each 0 to 1
	PicCrop1x1         string       `json:"pic_crop_1_1,omitempty"`          // the same at 1:1
	ImageInfo          *ImageInfo   `json:"image_info,omitempty"`            // ArticleNewsPic needs it
	CoverInfo          *CoverInfo   `json:"cover_info,omitempty"`
	ProductInfo        *ProductInfo `json:"product_info,omitempty"`
}

// ImageInfo has the pictures of an ArticleNewsPic.
type ImageInfo struct {
	ImageList []ArticleImage `json:"image_list,omitempty"` // at most 20; the first is the cover
}

// ArticleImage is one of them.
type ArticleImage struct {
	ImageMediaID string `json:"image_media_id"` // permanent material
}

// CoverInfo says which parts of the cover of an ArticleNewsPic are shown.
type CoverInfo struct {
	CropPercentList []CropPercent `json:"crop_percent_list,omitempty"`
}

// CropPercent is such a part: two corners, each from "0" to "1" with up to six decimals.
type CropPercent struct {
	Ratio string `json:"ratio,omitempty"` // "1_1", "16_9" or "2.35_1"
	X1    string `json:"x1,omitempty"`
	Y1    string `json:"y1,omitempty"`
	X2    string `json:"x2,omitempty"`
	Y2    string `json:"y2,omitempty"`
}

// ProductInfo puts a product below an article.
type ProductInfo struct {
	FooterProductInfo *FooterProductInfo `json:"footer_product_info,omitempty"`
}

// FooterProductInfo is that product.
type FooterProductInfo struct {
	ProductKey string `json:"product_key,omitempty"` // of GetProductCardInfo
}

// StoredArticle is what every article has that the platform keeps.
type StoredArticle struct {
	Title              string `json:"title"`
	Author             string `json:"author"`
	Digest             string `json:"digest"`
	Content            string `json:"content"`
	ContentSourceURL   string `json:"content_source_url"`
	ThumbMediaID       string `json:"thumb_media_id"`
	ThumbURL           string `json:"thumb_url"`
	ShowCoverPic       int    `json:"show_cover_pic"` // 1: the cover is shown in the text
	NeedOpenComment    int    `json:"need_open_comment"`
	OnlyFansCanComment int    `json:"only_fans_can_comment"`
	URL                string `json:"url"` // of a draft: for a short time
}

// DraftArticle is an article of a draft as the platform keeps it.
type DraftArticle struct {
	StoredArticle
	ArticleType ArticleType `json:"article_type"`
	ImageInfo   ImageInfo   `json:"image_info"`
	CoverInfo   CoverInfo   `json:"cover_info"`
	ProductInfo ProductInfo `json:"product_info"`
}

// Articles are articles that belong together, with their times.
type Articles[T any] struct {
	NewsItem   []T   `json:"news_item"`
	CreateTime int64 `json:"create_time"`
	UpdateTime int64 `json:"update_time"`
}

// MediaID names permanent material or a draft.
type MediaID struct {
	MediaID string `json:"media_id"`
}

// AddDraftRequest is a draft.
type AddDraftRequest struct {
	Articles []Article `json:"articles"` // one to eight
}

var addDraft = wechat.Endpoint[AddDraftRequest, MediaID]{
	Name: "AddDraft", Pattern: "POST /cgi-bin/draft/add",
	Effect: wechat.EffectCreate,
}

// AddDraft stores articles as a draft, for SubmitPublish or MassArticles. A text has less than 20,000 characters and 1 MB;
// pictures other than those of UploadArticleImage are removed from it. The default quota is 1,000 calls a day. 53404 to 53406 concern products and the shop.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/draftbox/draftmanage/api_draft_add.html
func (c *Client) AddDraft(ctx context.Context, r *AddDraftRequest) (*MediaID, error) {
	return addDraft.Do(ctx, c.caller, r)
}

// UpdateDraftRequest replaces one article of a draft.
type UpdateDraftRequest struct {
	MediaID string  `json:"media_id"`
	Index   int     `json:"index"` // counts from 0
	Article Article `json:"articles"`
}

var updateDraft = wechat.Endpoint[UpdateDraftRequest, wechat.None]{
	Name: "UpdateDraft", Pattern: "POST /cgi-bin/draft/update",
	Effect: wechat.EffectSet,
}

// UpdateDraft replaces one article of a draft. 40114 means that the index is wrong, 45166 that the text is refused, 88000
// that the account has no comments.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/draftbox/draftmanage/api_draft_update.html
func (c *Client) UpdateDraft(ctx context.Context, r *UpdateDraftRequest) error {
	return updateDraft.Exec(ctx, c.caller, r)
}

// GetDraftReply is a draft.
type GetDraftReply struct {
	NewsItem []DraftArticle `json:"news_item"`
}

var getDraft = wechat.Endpoint[MediaID, GetDraftReply]{
	Name: "GetDraft", Pattern: "POST /cgi-bin/draft/get",
	Effect: wechat.EffectRead,
}

// GetDraft reads a draft. 40007 means that there is none. The default quota is 500 calls a day.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/draftbox/draftmanage/api_getdraft.html
func (c *Client) GetDraft(ctx context.Context, r *MediaID) (*GetDraftReply, error) {
	return getDraft.Do(ctx, c.caller, r)
}

var deleteDraft = wechat.Endpoint[MediaID, wechat.None]{
	Name: "DeleteDraft", Pattern: "POST /cgi-bin/draft/delete",
	Effect: wechat.EffectSet,
}

// DeleteDraft deletes a draft for good.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/draftbox/draftmanage/api_draft_delete.html
func (c *Client) DeleteDraft(ctx context.Context, r *MediaID) error {
	return deleteDraft.Exec(ctx, c.caller, r)
}

// CountDraftsReply is the number of drafts.
type CountDraftsReply struct {
	TotalCount int `json:"total_count"`
}

var countDrafts = wechat.Endpoint[wechat.None, CountDraftsReply]{
	Name: "CountDrafts", Pattern: "GET /cgi-bin/draft/count",
	Effect: wechat.EffectRead,
}

// CountDrafts counts the drafts.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/draftbox/draftmanage/api_draft_count.html
func (c *Client) CountDrafts(ctx context.Context) (*CountDraftsReply, error) {
	return countDrafts.Do(ctx, c.caller, nil)
}

// ListArticlesRequest asks for one page of drafts or published articles.
type ListArticlesRequest struct {
	Offset    int `json:"offset"`               // counts from 0
	Count     int `json:"count"`                // 1 to 20
	NoContent int `json:"no_content,omitempty"` // 1: leaves Content out of the articles
}

// Draft is a draft in a list.
type Draft struct {
	MediaID    string                 `json:"media_id"`
	Content    Articles[DraftArticle] `json:"content"`
	UpdateTime int64                  `json:"update_time"`
}

// ListDraftsReply is one page.
type ListDraftsReply struct {
	TotalCount int     `json:"total_count"` // in all pages
	ItemCount  int     `json:"item_count"`  // in this one
	Item       []Draft `json:"item"`
}

var listDrafts = wechat.Endpoint[ListArticlesRequest, ListDraftsReply]{
	Name: "ListDrafts", Pattern: "POST /cgi-bin/draft/batchget",
	Effect: wechat.EffectRead,
}

// ListDrafts returns a page of up to 20 drafts.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/draftbox/draftmanage/api_draft_batchget.html
func (c *Client) ListDrafts(ctx context.Context, r *ListArticlesRequest) (*ListDraftsReply, error) {
	return listDrafts.Do(ctx, c.caller, r)
}

// AllDrafts walks all drafts, with the texts of the articles.
func (c *Client) AllDrafts(ctx context.Context) iter.Seq2[Draft, error] {
	return offsets(ctx, func(ctx context.Context, offset int) ([]Draft, int, error) {
		page, err := c.ListDrafts(ctx, &ListArticlesRequest{Offset: offset, Count: 20})
		if err != nil {
			return nil, 0, err
		}
		return page.Item, page.TotalCount, nil
	})
}

// SwitchDraftBoxRequest turns the draft box on, or asks.
type SwitchDraftBoxRequest struct {
	CheckOnly int `query:"checkonly,omitempty"` // 1: only asks
}

// SwitchDraftBoxReply tells whether the draft box is on.
type SwitchDraftBoxReply struct {
	IsOpen int `json:"is_open"` // 1: it is
}

var switchDraftBox = wechat.Endpoint[SwitchDraftBoxRequest, SwitchDraftBoxReply]{
	Name: "SwitchDraftBox", Pattern: "POST /cgi-bin/draft/switch",
	Effect: wechat.EffectSet,
}

// SwitchDraftBox turns the draft box on for good, or with CheckOnly tells whether it is on. All accounts are to have it
// on some day, and the call is to go then.
func (c *Client) SwitchDraftBox(ctx context.Context, r *SwitchDraftBoxRequest) (*SwitchDraftBoxReply, error) {
	return switchDraftBox.Do(ctx, c.caller, r)
}

// ProductCardType is how a product looks in an article.
type ProductCardType int

// The looks of a product.
const (
	ProductCardLarge ProductCardType = 0 // not in ArticleNewsPic
	ProductCardSmall ProductCardType = 1
	ProductCardText  ProductCardType = 2
	ProductCardBar   ProductCardType = 3 // only in ArticleNewsPic
)

// GetProductCardInfoRequest names a product and a look.
type GetProductCardInfoRequest struct {
	ProductID   string          `json:"product_id"`
	ArticleType ArticleType     `json:"article_type"`
	CardType    ProductCardType `json:"card_type"`
}

// GetProductCardInfoReply is what goes into an article; which of the two depends on the look.
type GetProductCardInfoReply struct {
	ProductKey string `json:"product_key"` // for FooterProductInfo
	DOM        string `json:"DOM"`         // for Article.Content
}

var getProductCardInfo = wechat.Endpoint[GetProductCardInfoRequest, GetProductCardInfoReply]{
	Name: "GetProductCardInfo", Pattern: "POST /channels/ec/service/product/getcardinfo",
	Effect: wechat.EffectRead,
}

// GetProductCardInfo returns the markup that puts a product of the WeChat shop into an article. 10170001 means that the product
// is wrong, 10170002 the kind of article, 10170003 the look.
func (c *Client) GetProductCardInfo(ctx context.Context, r *GetProductCardInfoRequest) (*GetProductCardInfoReply, error) {
	return getProductCardInfo.Do(ctx, c.caller, r)
}
