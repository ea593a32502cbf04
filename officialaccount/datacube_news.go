package officialaccount

import (
	"context"

	"github.com/seed175cf469/wechat"
)

// ContentStats is a reply of the analytics of published content. It has no row where nothing moved; there is nothing
// before November 2025.
type ContentStats[T any] struct {
	Stats[T]
	IsDelay bool `json:"is_delay"` // the figures can still change
}

// ReadSource counts the readers who came by one way.
type ReadSource struct {
	UserCount int    `json:"user_count"`
	SceneDesc string `json:"scene_desc"` // the way, in Chinese; "全部" has all of them
}

// ContentReaders counts readers.
type ContentReaders struct {
	ReadUser       int          `json:"read_user"` // what ReadUserSource has for all ways
	ReadUserSource []ReadSource `json:"read_user_source"`
}

// ContentFigures counts people, comments aside.
type ContentFigures struct {
	ContentReaders
	ShareUser      int `json:"share_user"`
	ZaikanUser     int `json:"zaikan_user"` // the heart
	LikeUser       int `json:"like_user"`   // the thumb
	CommentCount   int `json:"comment_count"`
	CollectionUser int `json:"collection_user"` // kept it among their favourites
}

// ArticleRead counts the readers of an article in a day.
type ArticleRead struct {
	RefDate Date           `json:"ref_date"`
	MsgID   string         `json:"msgid"` // msg_data_id of the publication, "_", and the number of the article from 1
	Detail  ContentReaders `json:"detail"`
}

var getArticleRead = wechat.Endpoint[DateRange, ContentStats[ArticleRead]]{
	Name: "GetArticleRead", Pattern: "POST /datacube/getarticleread",
	Effect: wechat.EffectRead,
}

// GetArticleRead counts the readers of OneDay, a row for each article that was read.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/wedata/news/api_getarticleread.html
func (c *Client) GetArticleRead(ctx context.Context, r *DateRange) (*ContentStats[ArticleRead], error) {
	return getArticleRead.Do(ctx, c.caller, r)
}

// ArticleShare counts the people who shared an article in a day.
type ArticleShare struct {
	RefDate Date   `json:"ref_date"`
	MsgID   string `json:"msgid"` // as in ArticleRead
	Detail  struct {
		ShareUser int `json:"share_user"`
	} `json:"detail"`
}

var getArticleShare = wechat.Endpoint[DateRange, ContentStats[ArticleShare]]{
	Name: "GetArticleShare", Pattern: "POST /datacube/getarticleshare",
	Effect: wechat.EffectRead,
}

// GetArticleShare counts the people who shared something on OneDay, a row for each article that was shared.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/wedata/news/api_getarticleshare.html
func (c *Client) GetArticleShare(ctx context.Context, r *DateRange) (*ContentStats[ArticleShare], error) {
	return getArticleShare.Do(ctx, c.caller, r)
}

// BizSummary counts what happened to all content of the account in a day.
type BizSummary struct {
	RefDate Date             `json:"ref_date"`
	Detail  BizSummaryDetail `json:"detail"`
}

// BizSummaryDetail has the counts of a BizSummary.
type BizSummaryDetail struct {
	ContentFigures
	RedirectOriPageUser int `json:"redirect_ori_page_user"` // went on to the original
	SendPageCount       int `json:"send_page_count"`        // articles published
}

var getBizSummary = wechat.Endpoint[DateRange, ContentStats[BizSummary]]{
	Name: "GetBizSummary", Pattern: "POST /datacube/getbizsummary",
	Effect: wechat.EffectRead,
}

// GetBizSummary counts what happened to all content of the account, a row for each day. It spans at most 30 days.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/wedata/news/api_getbizsummary.html
func (c *Client) GetBizSummary(ctx context.Context, r *DateRange) (*ContentStats[BizSummary], error) {
	return getBizSummary.Do(ctx, c.caller, r)
}

// ArticlePublishType tells whether the followers were notified of an article.
type ArticlePublishType int

// The ways to publish.
const (
	ArticleNotified ArticlePublishType = 0
	ArticleSilent   ArticlePublishType = 1
)

// ArticleTotalDetail has an article's totals, a row for each of the days since it was published.
type ArticleTotalDetail struct {
	RefDate     Date               `json:"ref_date"` // when it was published
	MsgID       string             `json:"msgid"`    // as in ArticleRead
	PublishType ArticlePublishType `json:"publish_type"`
	Title       string             `json:"title"`
	ContentURL  string             `json:"content_url"`
	DetailList  []ArticleToDate    `json:"detail_list"`
}

// ArticleToDate counts what happened to an article from its publication to the end of a day.
type ArticleToDate struct {
	StatDate Date `json:"stat_date"`
	ContentFigures
	PraiseMoney       int64              `json:"praise_money"` // tips, in cents
	ReadSubscribeUser int                `json:"read_subscribe_user"`
	ReadDeliveryRate  float64            `json:"read_delivery_rate"`
	ReadFinishRate    float64            `json:"read_finish_rate"`
	ReadAvgActiveTime float64            `json:"read_avg_activetime"`
	ReadJumpPosition  []ReadJumpPosition `json:"read_jump_position"`
}

// ReadJumpPosition tells how many readers left at a place of an article.
type ReadJumpPosition struct {
	Position int     `json:"position"`
	Rate     float64 `json:"rate"`
}

var getArticleTotalDetail = wechat.Endpoint[DateRange, ContentStats[ArticleTotalDetail]]{
	Name: "GetArticleTotalDetail", Pattern: "POST /datacube/getarticletotaldetail",
	Effect: wechat.EffectRead,
}

// GetArticleTotalDetail counts what happened to the articles that were published on OneDay, in the 30 days since. The
// rows of an article are totals to date: those of one day are the difference of two rows.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/wedata/news/api_getarticletotaldetail.html
func (c *Client) GetArticleTotalDetail(ctx context.Context, r *DateRange) (*ContentStats[ArticleTotalDetail], error) {
	return getArticleTotalDetail.Do(ctx, c.caller, r)
}

// PageFigures counts people and times, as the older analytics have them.
type PageFigures struct {
	IntPageReadUser  int `json:"int_page_read_user"` // of the article
	IntPageReadCount int `json:"int_page_read_count"`
	OriPageReadUser  int `json:"ori_page_read_user"` // of the original that it links to; 0 where there is none
	OriPageReadCount int `json:"ori_page_read_count"`
	ShareUser        int `json:"share_user"`
	ShareCount       int `json:"share_count"`
	AddToFavUser     int `json:"add_to_fav_user"`
	AddToFavCount    int `json:"add_to_fav_count"`
}

// PageSource is the way by which readers came, in the older analytics.
type PageSource int

// The ways to an article.
const (
	PageFromChat       PageSource = 0
	PageFromFriends    PageSource = 1
	PageFromMoments    PageSource = 2
	PageFromHistory    PageSource = 4
	PageFromOther      PageSource = 5
	PageFromTopStories PageSource = 6
	PageFromSearch     PageSource = 7
	PageFromAll        PageSource = 99999999
)

// ArticleSummary counts what happened to an article on the day on which it was sent.
type ArticleSummary struct {
	RefDate Date   `json:"ref_date"`
	MsgID   string `json:"msgid"` // id of the broadcast, "_", and the number of the article from 1
	Title   string `json:"title"`
	PageFigures
	UserSource PageSource `json:"user_source"`
}

var getArticleSummary = wechat.Endpoint[DateRange, Stats[ArticleSummary]]{
	Name: "GetArticleSummary", Pattern: "POST /datacube/getarticlesummary",
	Effect: wechat.EffectRead,
}

// GetArticleSummary counts what happened on OneDay to the articles sent on it. The platform does not look after it any
// more: GetArticleRead and GetArticleShare are to take its place.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/wedata/news/api_getarticlesummary.html
func (c *Client) GetArticleSummary(ctx context.Context, r *DateRange) (*Stats[ArticleSummary], error) {
	return getArticleSummary.Do(ctx, c.caller, r)
}

// ArticleTotal has an article's totals, a row for each of the days since it was sent.
type ArticleTotal struct {
	RefDate    Date                `json:"ref_date"` // when it was sent
	MsgID      string              `json:"msgid"`    // as in ArticleSummary
	Title      string              `json:"title"`
	URL        string              `json:"url"`
	UserSource PageSource          `json:"user_source"`
	Details    []ArticleTotalStats `json:"details"`
}

// ArticleTotalStats counts what happened to an article from its broadcast to the end of a day.
type ArticleTotalStats struct {
	StatDate   Date `json:"stat_date"`
	TargetUser int  `json:"target_user"` // to whom it was sent
	PageFigures
	IntPageFromSessionReadUser   int `json:"int_page_from_session_read_user"` // from the account's chat
	IntPageFromSessionReadCount  int `json:"int_page_from_session_read_count"`
	IntPageFromHistMsgReadUser   int `json:"int_page_from_hist_msg_read_user"` // from the list of older messages
	IntPageFromHistMsgReadCount  int `json:"int_page_from_hist_msg_read_count"`
	IntPageFromFeedReadUser      int `json:"int_page_from_feed_read_user"` // from moments
	IntPageFromFeedReadCount     int `json:"int_page_from_feed_read_count"`
	IntPageFromFriendsReadUser   int `json:"int_page_from_friends_read_user"`
	IntPageFromFriendsReadCount  int `json:"int_page_from_friends_read_count"`
	IntPageFromOtherReadUser     int `json:"int_page_from_other_read_user"`
	IntPageFromOtherReadCount    int `json:"int_page_from_other_read_count"`
	IntPageFromKanyikanReadUser  int `json:"int_page_from_kanyikan_read_user"` // from top stories
	IntPageFromKanyikanReadCount int `json:"int_page_from_kanyikan_read_count"`
	IntPageFromSouyisouReadUser  int `json:"int_page_from_souyisou_read_user"` // from search
	IntPageFromSouyisouReadCount int `json:"int_page_from_souyisou_read_count"`
	FeedShareFromSessionUser     int `json:"feed_share_from_session_user"`
	FeedShareFromSessionCnt      int `json:"feed_share_from_session_cnt"`
	FeedShareFromFeedUser        int `json:"feed_share_from_feed_user"`
	FeedShareFromFeedCnt         int `json:"feed_share_from_feed_cnt"`
	FeedShareFromOtherUser       int `json:"feed_share_from_other_user"`
	FeedShareFromOtherCnt        int `json:"feed_share_from_other_cnt"`
}

var getArticleTotal = wechat.Endpoint[DateRange, Stats[ArticleTotal]]{
	Name: "GetArticleTotal", Pattern: "POST /datacube/getarticletotal",
	Effect: wechat.EffectRead,
}

// GetArticleTotal counts what happened to the articles sent on OneDay, in the seven days since. The rows of an article
// are totals to date, not those of a day. The platform does not look after it any more: GetArticleTotalDetail is
// to take its place.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/wedata/news/api_getarticletotal.html
func (c *Client) GetArticleTotal(ctx context.Context, r *DateRange) (*Stats[ArticleTotal], error) {
	return getArticleTotal.Do(ctx, c.caller, r)
}

// UserRead counts reading in a day by one way. Originals and favourites are counted for PageFromAll alone.
type UserRead struct {
	RefDate    Date       `json:"ref_date"`
	UserSource PageSource `json:"user_source"`
	PageFigures
}

// UserReadHour counts reading in an hour by one way.
type UserReadHour struct {
	UserRead
	RefHour int `json:"ref_hour"` // 0 to 2300, in hundreds
}

var getUserRead = wechat.Endpoint[DateRange, Stats[UserRead]]{
	Name: "GetUserRead", Pattern: "POST /datacube/getuserread",
	Effect: wechat.EffectRead,
}

// GetUserRead counts the reading of articles, a row for each day and way. It spans at most three days. The platform
// does not look after it any more: GetBizSummary is to take its place.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/wedata/news/api_getuserread.html
func (c *Client) GetUserRead(ctx context.Context, r *DateRange) (*Stats[UserRead], error) {
	return getUserRead.Do(ctx, c.caller, r)
}

var getUserReadHour = wechat.Endpoint[DateRange, Stats[UserReadHour]]{
	Name: "GetUserReadHour", Pattern: "POST /datacube/getuserreadhour",
	Effect: wechat.EffectRead,
}

// GetUserReadHour counts the reading of articles on OneDay, a row for each hour and way. The platform does not look
// after it any more.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/wedata/news/api_getuserreadhour.html
func (c *Client) GetUserReadHour(ctx context.Context, r *DateRange) (*Stats[UserReadHour], error) {
	return getUserReadHour.Do(ctx, c.caller, r)
}

// ShareScene is where an article was shared to.
type ShareScene int

// The places to share to.
const (
	ShareToFriends ShareScene = 1
	ShareToMoments ShareScene = 2
	ShareToOther   ShareScene = 255
)

// UserShare counts sharing in a day to one place.
type UserShare struct {
	RefDate    Date       `json:"ref_date"`
	ShareScene ShareScene `json:"share_scene"`
	ShareCount int        `json:"share_count"`
	ShareUser  int        `json:"share_user"`
}

// UserShareHour counts sharing in an hour to one place.
type UserShareHour struct {
	UserShare
	RefHour int `json:"ref_hour"` // 0 to 2300, in hundreds
}

var getUserShare = wechat.Endpoint[DateRange, Stats[UserShare]]{
	Name: "GetUserShare", Pattern: "POST /datacube/getusershare",
	Effect: wechat.EffectRead,
}

// GetUserShare counts the sharing of articles, a row for each day and place. It spans at most seven days. The platform
// does not look after it any more: GetArticleShare is to take its place.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/wedata/news/api_getusershare.html
func (c *Client) GetUserShare(ctx context.Context, r *DateRange) (*Stats[UserShare], error) {
	return getUserShare.Do(ctx, c.caller, r)
}

var getUserShareHour = wechat.Endpoint[DateRange, Stats[UserShareHour]]{
	Name: "GetUserShareHour", Pattern: "POST /datacube/getusersharehour",
	Effect: wechat.EffectRead,
}

// GetUserShareHour counts the sharing of articles on OneDay, a row for each hour and place. The platform does not look
// after it any more.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/wedata/news/api_getusersharehour.html
func (c *Client) GetUserShareHour(ctx context.Context, r *DateRange) (*Stats[UserShareHour], error) {
	return getUserShareHour.Do(ctx, c.caller, r)
}
