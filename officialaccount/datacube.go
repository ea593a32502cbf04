package officialaccount

import (
	"context"

	"github.com/seed175cf469/wechat"
)

// Stats is a reply of the analytics (数据统计): rows, in any order, and none for what did not happen.
//
// The days of all analytics are China's, and the last that can be asked for is Yesterday, whose figures are there
// from eight in the morning. Each method says how many days one call may span. 61500 means that a date is wrong,
// 61501 that the days are too many or not over, 61503 that the figures are not there yet.
type Stats[T any] struct {
	List []T `json:"list"`
}

// FollowSource is the way by which people came to follow the account.
type FollowSource int

// The ways to follow.
const (
	FollowOther          FollowSource = 0
	FollowSearch         FollowSource = 1
	FollowCard           FollowSource = 17 // the account's card, as people share it
	FollowQRCode         FollowSource = 30
	FollowArticle        FollowSource = 57 // the account's name in an article
	FollowAd             FollowSource = 100
	FollowMiniProgram    FollowSource = 149
	FollowReprint        FollowSource = 161 // an article that another account reprinted
	FollowChannels       FollowSource = 200
	FollowChannelsOnLive FollowSource = 201
)

// UserSummary counts who came and who left in a day by one way.
type UserSummary struct {
	RefDate    Date         `json:"ref_date"`
	UserSource FollowSource `json:"user_source"`
	NewUser    int          `json:"new_user"`
	CancelUser int          `json:"cancel_user"`
}

var getUserSummary = wechat.Endpoint[DateRange, Stats[UserSummary]]{
	Name: "GetUserSummary", Pattern: "POST /datacube/getusersummary",
	Effect: wechat.EffectRead,
}

// GetUserSummary counts the followers won and lost, a row for each day and way to follow. It spans at most seven days.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/wedata/user/api_getusersummary.html
func (c *Client) GetUserSummary(ctx context.Context, r *DateRange) (*Stats[UserSummary], error) {
	return getUserSummary.Do(ctx, c.caller, r)
}

// UserCumulate counts the followers at the end of a day.
type UserCumulate struct {
	RefDate      Date `json:"ref_date"`
	CumulateUser int  `json:"cumulate_user"`
}

var getUserCumulate = wechat.Endpoint[DateRange, Stats[UserCumulate]]{
	Name: "GetUserCumulate", Pattern: "POST /datacube/getusercumulate",
	Effect: wechat.EffectRead,
}

// GetUserCumulate counts all followers, a row for each day. It spans at most seven days.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/wedata/user/api_getusercumulate.html
func (c *Client) GetUserCumulate(ctx context.Context, r *DateRange) (*Stats[UserCumulate], error) {
	return getUserCumulate.Do(ctx, c.caller, r)
}

// UpstreamMsgType is a kind of message that people send to the account.
type UpstreamMsgType int

// The kinds of messages.
const (
	UpstreamText  UpstreamMsgType = 1
	UpstreamImage UpstreamMsgType = 2
	UpstreamVoice UpstreamMsgType = 3
	UpstreamVideo UpstreamMsgType = 4
	UpstreamLink  UpstreamMsgType = 6
)

// UpstreamMsg counts the messages of one kind in a day, a week or a month.
type UpstreamMsg struct {
	RefDate  Date            `json:"ref_date"` // of a week or a month: its first day
	MsgType  UpstreamMsgType `json:"msg_type"`
	MsgUser  int             `json:"msg_user"` // people who sent one
	MsgCount int             `json:"msg_count"`
}

// UpstreamMsgHour counts the messages of one kind in an hour.
type UpstreamMsgHour struct {
	UpstreamMsg
	RefHour int `json:"ref_hour"` // 0 to 2300, in hundreds
}

var getUpstreamMsg = wechat.Endpoint[DateRange, Stats[UpstreamMsg]]{
	Name: "GetUpstreamMsg", Pattern: "POST /datacube/getupstreammsg",
	Effect: wechat.EffectRead,
}

// GetUpstreamMsg counts the messages that people sent to the account, a row for each day and kind. It spans at most
// seven days.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/wedata/mess/api_getupstreammsg.html
func (c *Client) GetUpstreamMsg(ctx context.Context, r *DateRange) (*Stats[UpstreamMsg], error) {
	return getUpstreamMsg.Do(ctx, c.caller, r)
}

var getUpstreamMsgHour = wechat.Endpoint[DateRange, Stats[UpstreamMsgHour]]{
	Name: "GetUpstreamMsgHour", Pattern: "POST /datacube/getupstreammsghour",
	Effect: wechat.EffectRead,
}

// GetUpstreamMsgHour counts the messages of OneDay, a row for each hour and kind.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/wedata/mess/api_getupstreammsghour.html
func (c *Client) GetUpstreamMsgHour(ctx context.Context, r *DateRange) (*Stats[UpstreamMsgHour], error) {
	return getUpstreamMsgHour.Do(ctx, c.caller, r)
}

var getUpstreamMsgWeek = wechat.Endpoint[DateRange, Stats[UpstreamMsg]]{
	Name: "GetUpstreamMsgWeek", Pattern: "POST /datacube/getupstreammsgweek",
	Effect: wechat.EffectRead,
}

// GetUpstreamMsgWeek counts the messages of a week, a row for each kind. It is asked for with OneDay, the Monday of
// the week, once the week is over. The official page gives that as the rule; an older one allowed 30 days.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/wedata/mess/api_getupstreammsgweek.html
func (c *Client) GetUpstreamMsgWeek(ctx context.Context, r *DateRange) (*Stats[UpstreamMsg], error) {
	return getUpstreamMsgWeek.Do(ctx, c.caller, r)
}

var getUpstreamMsgMonth = wechat.Endpoint[DateRange, Stats[UpstreamMsg]]{
	Name: "GetUpstreamMsgMonth", Pattern: "POST /datacube/getupstreammsgmonth",
	Effect: wechat.EffectRead,
}

// GetUpstreamMsgMonth counts the messages of a month, a row for each kind. It is asked for with days of the month that
// have its first among them, once the month is over; an older page allowed 30 days.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/wedata/mess/api_getupstreammsgmonth.html
func (c *Client) GetUpstreamMsgMonth(ctx context.Context, r *DateRange) (*Stats[UpstreamMsg], error) {
	return getUpstreamMsgMonth.Do(ctx, c.caller, r)
}

// UpstreamCountInterval is how many messages a person sent.
type UpstreamCountInterval int

// The numbers of messages.
const (
	UpstreamNone       UpstreamCountInterval = 0
	Upstream1To5       UpstreamCountInterval = 1
	Upstream6To10      UpstreamCountInterval = 2
	UpstreamMoreThan10 UpstreamCountInterval = 3
)

// UpstreamMsgDist counts the people who sent so many messages in a day, a week or a month.
type UpstreamMsgDist struct {
	RefDate       Date                  `json:"ref_date"` // of a week or a month: its first day
	CountInterval UpstreamCountInterval `json:"count_interval"`
	MsgUser       int                   `json:"msg_user"`
}

var getUpstreamMsgDist = wechat.Endpoint[DateRange, Stats[UpstreamMsgDist]]{
	Name: "GetUpstreamMsgDist", Pattern: "POST /datacube/getupstreammsgdist",
	Effect: wechat.EffectRead,
}

// GetUpstreamMsgDist counts people by the number of messages that they sent in a day. It spans at most 15 days.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/wedata/mess/api_getupstreammsgdist.html
func (c *Client) GetUpstreamMsgDist(ctx context.Context, r *DateRange) (*Stats[UpstreamMsgDist], error) {
	return getUpstreamMsgDist.Do(ctx, c.caller, r)
}

var getUpstreamMsgDistWeek = wechat.Endpoint[DateRange, Stats[UpstreamMsgDist]]{
	Name: "GetUpstreamMsgDistWeek", Pattern: "POST /datacube/getupstreammsgdistweek",
	Effect: wechat.EffectRead,
}

// GetUpstreamMsgDistWeek counts people by the number of messages that they sent in a week. It spans at most 15 days,
// by an older page 30, and has the weeks whose Monday is among them.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/wedata/mess/api_getupstreammsgdistweek.html
func (c *Client) GetUpstreamMsgDistWeek(ctx context.Context, r *DateRange) (*Stats[UpstreamMsgDist], error) {
	return getUpstreamMsgDistWeek.Do(ctx, c.caller, r)
}

var getUpstreamMsgDistMonth = wechat.Endpoint[DateRange, Stats[UpstreamMsgDist]]{
	Name: "GetUpstreamMsgDistMonth", Pattern: "POST /datacube/getupstreammsgdistmonth",
	Effect: wechat.EffectRead,
}

// GetUpstreamMsgDistMonth counts people by the number of messages that they sent in a month. It spans at most 15 days
// and has the months whose first day is among them.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/wedata/mess/api_getupstreammsgdistmonth.html
func (c *Client) GetUpstreamMsgDistMonth(ctx context.Context, r *DateRange) (*Stats[UpstreamMsgDist], error) {
	return getUpstreamMsgDistMonth.Do(ctx, c.caller, r)
}

// InterfaceSummary tells how the account's server answered the callbacks (被动回复) of a day.
type InterfaceSummary struct {
	RefDate       Date  `json:"ref_date"`
	CallbackCount int   `json:"callback_count"`
	FailCount     int   `json:"fail_count"`
	TotalTimeCost int64 `json:"total_time_cost"` // milliseconds; divided by CallbackCount it is the average
	MaxTimeCost   int   `json:"max_time_cost"`   // milliseconds
}

// InterfaceSummaryHour tells how the account's server answered the callbacks of an hour.
type InterfaceSummaryHour struct {
	InterfaceSummary
	RefHour int `json:"ref_hour"` // 0 to 2300, in hundreds
}

var getInterfaceSummary = wechat.Endpoint[DateRange, Stats[InterfaceSummary]]{
	Name: "GetInterfaceSummary", Pattern: "POST /datacube/getinterfacesummary",
	Effect: wechat.EffectRead,
}

// GetInterfaceSummary tells how the account's server answered callbacks, a row for each day. It spans at most 30 days.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/wedata/api/api_getinterfacesummary.html
func (c *Client) GetInterfaceSummary(ctx context.Context, r *DateRange) (*Stats[InterfaceSummary], error) {
	return getInterfaceSummary.Do(ctx, c.caller, r)
}

var getInterfaceSummaryHour = wechat.Endpoint[DateRange, Stats[InterfaceSummaryHour]]{
	Name: "GetInterfaceSummaryHour", Pattern: "POST /datacube/getinterfacesummaryhour",
	Effect: wechat.EffectRead,
}

// GetInterfaceSummaryHour tells how the account's server answered the callbacks of OneDay, a row for each hour.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/wedata/api/api_getinterfacesummaryhour.html
func (c *Client) GetInterfaceSummaryHour(ctx context.Context, r *DateRange) (*Stats[InterfaceSummaryHour], error) {
	return getInterfaceSummaryHour.Do(ctx, c.caller, r)
}

// CardStatsSource is by what the coupons were made.
type CardStatsSource int

// The sources of coupons.
const (
	CardStatsAll CardStatsSource = 0
	CardStatsAPI CardStatsSource = 1
)

// CardStatsRequest asks for days and a source.
type CardStatsRequest struct {
	DateRange
	CondSource CardStatsSource `json:"cond_source"`
}

// CardCounts counts, of the coupons of a day, the times and the people.
type CardCounts struct {
	ViewCnt     int `json:"view_cnt"`
	ViewUser    int `json:"view_user"`
	ReceiveCnt  int `json:"receive_cnt"`
	ReceiveUser int `json:"receive_user"`
	VerifyCnt   int `json:"verify_cnt"` // redeemed
	VerifyUser  int `json:"verify_user"`
}

// CardBizStats counts the use of all coupons in a day.
type CardBizStats struct {
	RefDate Date `json:"ref_date"`
	CardCounts
	GivenCnt   int `json:"given_cnt"` // handed on to friends
	GivenUser  int `json:"given_user"`
	ExpireCnt  int `json:"expire_cnt"`
	ExpireUser int `json:"expire_user"`
}

var getCardBizInfo = wechat.Endpoint[CardStatsRequest, Stats[CardBizStats]]{
	Name: "GetCardBizInfo", Pattern: "POST /datacube/getcardbizuininfo",
	Effect: wechat.EffectRead,
}

// GetCardBizInfo counts the use of the account's coupons, a row for each day. It spans at most 62 days.
func (c *Client) GetCardBizInfo(ctx context.Context, r *CardStatsRequest) (*Stats[CardBizStats], error) {
	return getCardBizInfo.Do(ctx, c.caller, r)
}

// GetCardInfoRequest asks for days, a source and perhaps one coupon.
type GetCardInfoRequest struct {
	DateRange
	CondSource CardStatsSource `json:"cond_source"`
	CardID     string          `json:"card_id,omitempty"` // empty: all of them
}

// FreeCardStats counts the use of a coupon in a day.
type FreeCardStats struct {
	CardBizStats
	CardID   string `json:"card_id"`
	CardType int    `json:"card_type"`
	IsPay    int    `json:"is_pay"` // not in all descriptions of the reply
}

var getCardInfo = wechat.Endpoint[GetCardInfoRequest, Stats[FreeCardStats]]{
	Name: "GetCardInfo", Pattern: "POST /datacube/getcardcardinfo",
	Effect: wechat.EffectRead,
}

// GetCardInfo counts the use of free coupons, a row for each day and coupon. It spans at most 62 days.
func (c *Client) GetCardInfo(ctx context.Context, r *GetCardInfoRequest) (*Stats[FreeCardStats], error) {
	return getCardInfo.Do(ctx, c.caller, r)
}

// MemberCardStats counts the use of member cards in a day.
type MemberCardStats struct {
	RefDate Date `json:"ref_date"`
	CardCounts
	ActiveUser       int `json:"active_user"`
	TotalUser        int `json:"total_user"`
	TotalReceiveUser int `json:"total_receive_user"`
	NewUser          int `json:"new_user"` // not in all descriptions of the reply
}

var getMemberCardInfo = wechat.Endpoint[CardStatsRequest, Stats[MemberCardStats]]{
	Name: "GetMemberCardInfo", Pattern: "POST /datacube/getcardmembercardinfo",
	Effect: wechat.EffectRead,
}

// GetMemberCardInfo counts the use of the account's member cards, a row for each day. It spans at most 62 days.
func (c *Client) GetMemberCardInfo(ctx context.Context, r *CardStatsRequest) (*Stats[MemberCardStats], error) {
	return getMemberCardInfo.Do(ctx, c.caller, r)
}
