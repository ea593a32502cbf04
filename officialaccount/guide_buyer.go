package officialaccount

import (
	"context"
	"iter"

	"github.com/seed175cf469/wechat"
)

// GuideBuyers names buyers: one by OpenID, or up to 200 by OpenIDList.
type GuideBuyers struct {
	OpenID     string   `json:"openid,omitempty"`
	OpenIDList []string `json:"openid_list,omitempty"`
}

func (b *GuideBuyers) to() []string {
	if b.OpenID == "" {
		return b.OpenIDList
	}
	return append([]string{b.OpenID}, b.OpenIDList...)
}

// GuideBuyerResult is what became of one buyer.
type GuideBuyerResult struct {
	ErrCode wechat.Code `json:"errcode"` // 0: it worked
	ErrMsg  string      `json:"errmsg"`
	OpenID  string      `json:"openid"`
}

// GuideBuyersReply tells what became of each buyer of a list: the call succeeds although it fails for some of them. A
// call for one buyer by OpenID has no rows.
type GuideBuyersReply struct {
	BuyerResp []GuideBuyerResult `json:"buyer_resp"`
}

// Failed lists the openids of the buyers for whom it failed.
func (r *GuideBuyersReply) Failed() []string {
	var failed []string
	for _, buyer := range r.BuyerResp {
		if buyer.ErrCode != 0 {
			failed = append(failed, buyer.OpenID)
		}
	}
	return failed
}

// NewGuideBuyer is a person who becomes a buyer.
type NewGuideBuyer struct {
	OpenID        string `json:"openid"`
	BuyerNickname string `json:"buyer_nickname,omitempty"` // what the guide sees
}

// AddGuideBuyersRequest names a guide and either one buyer by OpenID or up to 200 by BuyerList.
type AddGuideBuyersRequest struct {
	GuideRef
	OpenID        string          `json:"openid,omitempty"`
	BuyerNickname string          `json:"buyer_nickname,omitempty"` // goes with OpenID
	BuyerList     []NewGuideBuyer `json:"buyer_list,omitempty"`
}

func (r *AddGuideBuyersRequest) to() []string {
	var openIDs []string
	if r.OpenID != "" {
		openIDs = append(openIDs, r.OpenID)
	}
	for _, buyer := range r.BuyerList {
		openIDs = append(openIDs, buyer.OpenID)
	}
	return openIDs
}

var addGuideBuyers = wechat.Endpoint[AddGuideBuyersRequest, GuideBuyersReply]{
	Name: "AddGuideBuyers", Pattern: "POST /cgi-bin/guide/addguidebuyerrelation",
	Effect:  wechat.EffectSet,
	To:      (*AddGuideBuyersRequest).to,
	Partial: (*GuideBuyersReply).Failed,
}

// AddGuideBuyers makes people the buyers of a guide. Of a list each has an outcome of his own: see
// GuideBuyersReply.Failed.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Shopping_Guide/buyer-account/shopping-guide.addGuideBuyerRelation.html
func (c *Client) AddGuideBuyers(ctx context.Context, r *AddGuideBuyersRequest) (*GuideBuyersReply, error) {
	return addGuideBuyers.Do(ctx, c.caller, r)
}

// RemoveGuideBuyersRequest names a guide and buyers.
type RemoveGuideBuyersRequest struct {
	GuideRef
	GuideBuyers
}

var removeGuideBuyers = wechat.Endpoint[RemoveGuideBuyersRequest, GuideBuyersReply]{
	Name: "RemoveGuideBuyers", Pattern: "POST /cgi-bin/guide/delguidebuyerrelation",
	Effect:  wechat.EffectSet,
	To:      func(r *RemoveGuideBuyersRequest) []string { return r.to() },
	Partial: (*GuideBuyersReply).Failed,
}

// RemoveGuideBuyers takes buyers from a guide. Of a list each has an outcome of his own: see GuideBuyersReply.Failed.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Shopping_Guide/buyer-account/shopping-guide.delGuideBuyerRelation.html
func (c *Client) RemoveGuideBuyers(ctx context.Context, r *RemoveGuideBuyersRequest) (*GuideBuyersReply, error) {
	return removeGuideBuyers.Do(ctx, c.caller, r)
}

// ListGuideBuyersRequest asks for one page.
type ListGuideBuyersRequest struct {
	GuideRef
	GuidePage
}

// GuideBuyer is a buyer of a guide.
type GuideBuyer struct {
	OpenID        string `json:"openid"`
	BuyerNickname string `json:"buyer_nickname"`
	CreateTime    int64  `json:"create_time"` // since when
}

// ListGuideBuyersReply is one page.
type ListGuideBuyersReply struct {
	TotalNum int          `json:"total_num"` // on all pages
	List     []GuideBuyer `json:"list"`
}

var listGuideBuyers = wechat.Endpoint[ListGuideBuyersRequest, ListGuideBuyersReply]{
	Name: "ListGuideBuyers", Pattern: "POST /cgi-bin/guide/getguidebuyerrelationlist",
	Effect: wechat.EffectRead,
}

// ListGuideBuyers returns a page of the buyers of a guide.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Shopping_Guide/buyer-account/shopping-guide.getGuideBuyerRelationList.html
func (c *Client) ListGuideBuyers(ctx context.Context, r *ListGuideBuyersRequest) (*ListGuideBuyersReply, error) {
	return listGuideBuyers.Do(ctx, c.caller, r)
}

// AllGuideBuyers walks all buyers of a guide.
func (c *Client) AllGuideBuyers(ctx context.Context, guide GuideRef) iter.Seq2[GuideBuyer, error] {
	return guidePages(ctx, func(ctx context.Context, page GuidePage) ([]GuideBuyer, int, error) {
		reply, err := c.ListGuideBuyers(ctx, &ListGuideBuyersRequest{GuideRef: guide, GuidePage: page})
		if err != nil {
			return nil, 0, err
		}
		return reply.List, reply.TotalNum, nil
	})
}

// TransferGuideBuyersRequest names two guides, both by WeChat id or both by openid, and buyers.
type TransferGuideBuyersRequest struct {
	OldGuideAccount string `json:"old_guide_account,omitempty"`
	OldGuideOpenID  string `json:"old_guide_openid,omitempty"`
	NewGuideAccount string `json:"new_guide_account,omitempty"`
	NewGuideOpenID  string `json:"new_guide_openid,omitempty"`
	GuideBuyers
}

var transferGuideBuyers = wechat.Endpoint[TransferGuideBuyersRequest, GuideBuyersReply]{
	Name: "TransferGuideBuyers", Pattern: "POST /cgi-bin/guide/rebindguideacctforbuyer",
	Effect:  wechat.EffectSet,
	To:      func(r *TransferGuideBuyersRequest) []string { return r.to() },
	Partial: (*GuideBuyersReply).Failed,
}

// TransferGuideBuyers moves buyers from one guide to another. Of a list each has an outcome of his own: see
// GuideBuyersReply.Failed.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Shopping_Guide/buyer-account/shopping-guide.rebindGuideAcctForBuyer.html
func (c *Client) TransferGuideBuyers(ctx context.Context, r *TransferGuideBuyersRequest) (*GuideBuyersReply, error) {
	return transferGuideBuyers.Do(ctx, c.caller, r)
}

// UpdateGuideBuyerRequest is a new name of a buyer.
type UpdateGuideBuyerRequest struct {
	GuideRef
	OpenID        string `json:"openid"`
	BuyerNickname string `json:"buyer_nickname"`
}

var updateGuideBuyer = wechat.Endpoint[UpdateGuideBuyerRequest, wechat.None]{
	Name: "UpdateGuideBuyer", Pattern: "POST /cgi-bin/guide/updateguidebuyerrelation",
	Effect: wechat.EffectSet,
	To:     func(r *UpdateGuideBuyerRequest) []string { return []string{r.OpenID} },
}

// UpdateGuideBuyer changes the name under which a guide sees a buyer.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Shopping_Guide/buyer-account/shopping-guide.updateGuideBuyerRelation.html
func (c *Client) UpdateGuideBuyer(ctx context.Context, r *UpdateGuideBuyerRequest) error {
	return updateGuideBuyer.Exec(ctx, c.caller, r)
}

// GetGuideOfBuyerRequest names a buyer.
type GetGuideOfBuyerRequest struct {
	OpenID string `json:"openid"`
}

// GetGuideOfBuyerReply is the buyer and his guide.
type GetGuideOfBuyerReply struct {
	GuideRef
	GuideBuyer
}

var getGuideOfBuyer = wechat.Endpoint[GetGuideOfBuyerRequest, GetGuideOfBuyerReply]{
	Name: "GetGuideOfBuyer", Pattern: "POST /cgi-bin/guide/getguidebuyerrelationbybuyer",
	Effect: wechat.EffectRead,
	To:     func(r *GetGuideOfBuyerRequest) []string { return []string{r.OpenID} },
}

// GetGuideOfBuyer finds the guide of a buyer. 9300806 means that the person is nobody's buyer.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Shopping_Guide/buyer-account/shopping-guide.getGuideBuyerRelationByBuyer.html
func (c *Client) GetGuideOfBuyer(ctx context.Context, r *GetGuideOfBuyerRequest) (*GetGuideOfBuyerReply, error) {
	return getGuideOfBuyer.Do(ctx, c.caller, r)
}

// GuideBuyerRequest names a guide and one of his buyers.
type GuideBuyerRequest struct {
	GuideRef
	OpenID string `json:"openid"`
}

func (r *GuideBuyerRequest) to() []string { return []string{r.OpenID} }

var getGuideBuyer = wechat.Endpoint[GuideBuyerRequest, GuideBuyer]{
	Name: "GetGuideBuyer", Pattern: "POST /cgi-bin/guide/getguidebuyerrelation",
	Effect: wechat.EffectRead,
	To:     (*GuideBuyerRequest).to,
}

// GetGuideBuyer reads one buyer of a guide. 9300806 means that the person is not his buyer.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Shopping_Guide/buyer-account/shopping-guide.getGuideBuyerRelation.html
func (c *Client) GetGuideBuyer(ctx context.Context, r *GuideBuyerRequest) (*GuideBuyer, error) {
	return getGuideBuyer.Do(ctx, c.caller, r)
}
