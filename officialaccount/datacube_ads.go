package officialaccount

import (
	"context"
	"iter"

	"github.com/seed175cf469/wechat"
)

// AdSlot is a kind of place where an account shows advertisements.
type AdSlot string

// The places. Those of mini programs stand here as the platform lists them all together.
const (
	AdSlotBizBottom         AdSlot = "SLOT_ID_BIZ_BOTTOM"      // below an article
	AdSlotBizMidContext     AdSlot = "SLOT_ID_BIZ_MID_CONTEXT" // inside an article
	AdSlotBizVideoEnd       AdSlot = "SLOT_ID_BIZ_VIDEO_END"
	AdSlotBizSponsor        AdSlot = "SLOT_ID_BIZ_SPONSOR" // agreed on with the advertiser
	AdSlotBizCPS            AdSlot = "SLOT_ID_BIZ_CPS"     // products, see GetPublisherCPSStat
	AdSlotWeappBanner       AdSlot = "SLOT_ID_WEAPP_BANNER"
	AdSlotWeappRewardVideo  AdSlot = "SLOT_ID_WEAPP_REWARD_VIDEO"
	AdSlotWeappInterstitial AdSlot = "SLOT_ID_WEAPP_INTERSTITIAL"
	AdSlotWeappVideoFeeds   AdSlot = "SLOT_ID_WEAPP_VIDEO_FEEDS"
	AdSlotWeappVideoBegin   AdSlot = "SLOT_ID_WEAPP_VIDEO_BEGIN"
	AdSlotWeappBox          AdSlot = "SLOT_ID_WEAPP_BOX"
	AdSlotWeappCover        AdSlot = "SLOT_ID_WEAPP_COVER"
	AdSlotWeappTemplate     AdSlot = "SLOT_ID_WEAPP_TEMPLATE"
)

// publisherPageSize is the most that a page of the publisher's figures may have.
const publisherPageSize = 90

// PublisherStatRequest asks for a page of some days.
type PublisherStatRequest struct {
	Page      int  `query:"page"`       // counts from 1
	PageSize  int  `query:"page_size"`  // at most 90
	StartDate Date `query:"start_date"` // 2016 or later
	EndDate   Date `query:"end_date"`
}

func publisherPage(days *DateRange, page int) PublisherStatRequest {
	if days == nil {
		days = new(DateRange) // which the platform refuses
	}
	return PublisherStatRequest{Page: page, PageSize: publisherPageSize, StartDate: days.BeginDate, EndDate: days.EndDate}
}

// PublisherReply is what each page has. Where the outcome is a refusal, the methods return an error and no page.
type PublisherReply struct {
	BaseResp PublisherOutcome `json:"base_resp"`
	TotalNum int              `json:"total_num"` // in all pages
}

// refusal is the code of a page that is none.
func (r *PublisherReply) refusal() (wechat.Code, string) {
	return wechat.Code(r.BaseResp.Ret), r.BaseResp.ErrMsg
}

// PublisherOutcome stands in a reply in place of an errcode.
type PublisherOutcome struct {
	ErrMsg string `json:"err_msg"`
	Ret    int    `json:"ret"` // 0: success
}

// GetPublisherAdPosStatRequest asks for a page of some days, and perhaps of one place.
type GetPublisherAdPosStatRequest struct {
	PublisherStatRequest
	AdSlot AdSlot `query:"ad_slot,omitempty"` // empty: all but AdSlotBizCPS
}

// AdFigures counts what advertisements brought.
type AdFigures struct {
	ReqSuccCount  int     `json:"req_succ_count"` // advertisements fetched
	ExposureCount int     `json:"exposure_count"`
	ExposureRate  float64 `json:"exposure_rate"`
	ClickCount    int     `json:"click_count"`
	ClickRate     float64 `json:"click_rate"`
	Income        int     `json:"income"` // in cents
	ECPM          float64 `json:"ecpm"`   // income of a thousand exposures, in cents
}

// AdPosStat counts what the advertisements in one place brought in a day.
type AdPosStat struct {
	SlotID int64  `json:"slot_id"`
	AdSlot AdSlot `json:"ad_slot"`
	Date   Date   `json:"date"`
	AdFigures
}

// GetPublisherAdPosStatReply is one page.
type GetPublisherAdPosStatReply struct {
	PublisherReply
	List    []AdPosStat `json:"list"`
	Summary AdFigures   `json:"summary"` // of all pages
}

var getPublisherAdPosStat = wechat.Endpoint[GetPublisherAdPosStatRequest, GetPublisherAdPosStatReply]{
	Name: "GetPublisherAdPosStat", Pattern: "GET /publisher/stat",
	Effect:  wechat.EffectRead,
	Const:   map[string]string{"action": "publisher_adpos_general"},
	Refused: func(r *GetPublisherAdPosStatReply) (wechat.Code, string) { return r.refusal() },
}

// GetPublisherAdPosStat tells what advertisements brought, a row for each day and place. It spans at most 90 days.
//
// A refusal does not come as an errcode, but is a *wechat.Error all the same: 1701 means that a parameter is wrong, 2009
// that the account shows no advertisements, 45009 that the calls are too many.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Analytics/Ad_Analysis.html
func (c *Client) GetPublisherAdPosStat(ctx context.Context, r *GetPublisherAdPosStatRequest) (*GetPublisherAdPosStatReply, error) {
	return getPublisherAdPosStat.Do(ctx, c.caller, r)
}

// AllPublisherAdPosStats walks the figures of some days; an empty slot means all but AdSlotBizCPS.
func (c *Client) AllPublisherAdPosStats(ctx context.Context, days *DateRange, slot AdSlot) iter.Seq2[AdPosStat, error] {
	return pageNumbers(ctx, func(ctx context.Context, n int) ([]AdPosStat, int, error) {
		page, err := c.GetPublisherAdPosStat(ctx, &GetPublisherAdPosStatRequest{publisherPage(days, n), slot})
		if err != nil {
			return nil, 0, err
		}
		return page.List, page.TotalNum, nil
	})
}

// CPSFigures counts what the advertising of products brought.
type CPSFigures struct {
	ExposureCount   int     `json:"exposure_count"`
	ClickCount      int     `json:"click_count"`
	ClickRate       float64 `json:"click_rate"`
	OrderCount      int     `json:"order_count"`
	OrderRate       float64 `json:"order_rate"`
	TotalFee        int     `json:"total_fee"`        // what the orders cost, in cents
	TotalCommission int     `json:"total_commission"` // the account's part of it, in cents
}

// CPSStat counts what the advertising of products brought in a day.
type CPSStat struct {
	Date Date `json:"date"`
	CPSFigures
}

// GetPublisherCPSStatReply is one page.
type GetPublisherCPSStatReply struct {
	PublisherReply
	List    []CPSStat  `json:"list"`
	Summary CPSFigures `json:"summary"` // of all pages
}

var getPublisherCPSStat = wechat.Endpoint[PublisherStatRequest, GetPublisherCPSStatReply]{
	Name: "GetPublisherCPSStat", Pattern: "GET /publisher/stat",
	Effect:  wechat.EffectRead,
	Const:   map[string]string{"action": "publisher_cps_general"},
	Refused: func(r *GetPublisherCPSStatReply) (wechat.Code, string) { return r.refusal() },
}

// GetPublisherCPSStat tells what the advertising of products (返佣商品) brought, a row for each day. It spans at most
// 60 days. Its refusals are those of GetPublisherAdPosStat.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Analytics/Ad_Analysis.html
func (c *Client) GetPublisherCPSStat(ctx context.Context, r *PublisherStatRequest) (*GetPublisherCPSStatReply, error) {
	return getPublisherCPSStat.Do(ctx, c.caller, r)
}

// AllPublisherCPSStats walks the figures of some days.
func (c *Client) AllPublisherCPSStats(ctx context.Context, days *DateRange) iter.Seq2[CPSStat, error] {
	return pageNumbers(ctx, func(ctx context.Context, n int) ([]CPSStat, int, error) {
		r := publisherPage(days, n)
		page, err := c.GetPublisherCPSStat(ctx, &r)
		if err != nil {
			return nil, 0, err
		}
		return page.List, page.TotalNum, nil
	})
}

// SettlementStatus is how far the payment of a settlement is.
type SettlementStatus int

// The states of a settlement. Two of them mean that it is settled.
const (
	SettlementOpen     SettlementStatus = 1
	SettlementSettled  SettlementStatus = 2
	SettlementSettled3 SettlementStatus = 3
	SettlementPaying   SettlementStatus = 4
	SettlementPaid     SettlementStatus = 5
)

// Settlement is the account's income from advertisements in half a month.
type Settlement struct {
	Date           Date             `json:"date"`  // when the row was written
	Zone           string           `json:"zone"`  // the days, in Chinese
	Month          string           `json:"month"` // "202003"
	Order          int              `json:"order"` // 1: the first half of the month, 2: the second
	SettStatus     SettlementStatus `json:"sett_status"`
	SettledRevenue int64            `json:"settled_revenue"` // in cents
	SettNo         string           `json:"sett_no"`
	MailSendCnt    string           `json:"mail_send_cnt"` // a number: how often a new bill was asked for
	SlotRevenue    []SlotRevenue    `json:"slot_revenue"`
}

// SlotRevenue is the income from one place.
type SlotRevenue struct {
	SlotID             AdSlot `json:"slot_id"` // a name, where the figures of AdPosStat have a number
	SlotSettledRevenue int64  `json:"slot_settled_revenue"`
}

// GetPublisherSettlementReply is one page. Money is in cents.
type GetPublisherSettlementReply struct {
	PublisherReply
	Body              string       `json:"body"` // who is paid
	PenaltyAll        int64        `json:"penalty_all"`
	RevenueAll        int64        `json:"revenue_all"`
	SettledRevenueAll int64        `json:"settled_revenue_all"`
	SettlementList    []Settlement `json:"settlement_list"`
}

var getPublisherSettlement = wechat.Endpoint[PublisherStatRequest, GetPublisherSettlementReply]{
	Name: "GetPublisherSettlement", Pattern: "GET /publisher/stat",
	Effect:  wechat.EffectRead,
	Const:   map[string]string{"action": "publisher_settlement"},
	Refused: func(r *GetPublisherSettlementReply) (wechat.Code, string) { return r.refusal() },
}

// GetPublisherSettlement tells how the income from advertisements was settled, a row for each half of a month that
// has a day among those asked for. Its refusals are those of GetPublisherAdPosStat.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Analytics/Ad_Analysis.html
func (c *Client) GetPublisherSettlement(ctx context.Context, r *PublisherStatRequest) (*GetPublisherSettlementReply, error) {
	return getPublisherSettlement.Do(ctx, c.caller, r)
}

// AllPublisherSettlements walks the settlements of some days.
func (c *Client) AllPublisherSettlements(ctx context.Context, days *DateRange) iter.Seq2[Settlement, error] {
	return pageNumbers(ctx, func(ctx context.Context, n int) ([]Settlement, int, error) {
		r := publisherPage(days, n)
		page, err := c.GetPublisherSettlement(ctx, &r)
		if err != nil {
			return nil, 0, err
		}
		return page.SettlementList, page.TotalNum, nil
	})
}

// pageNumbers walks a list by page number, from 1, until total, or an empty page.
func pageNumbers[T any](ctx context.Context, list func(ctx context.Context, page int) (items []T, total int, err error)) iter.Seq2[T, error] {
	type cursor struct{ page, seen int }
	return wechat.Pages(ctx, cursor{page: 1}, func(ctx context.Context, at cursor) ([]T, cursor, bool, error) {
		items, total, err := list(ctx, at.page)
		next := cursor{at.page + 1, at.seen + len(items)}
		return items, next, len(items) > 0 && next.seen < total, err
	})
}
