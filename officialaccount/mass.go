package officialaccount

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/ratelimit"
)

// MassMsgType is the kind of a mass message.
type MassMsgType string

// The kinds of mass messages.
const (
	MassTypeNews  MassMsgType = "mpnews"
	MassTypeText  MassMsgType = "text"
	MassTypeVoice MassMsgType = "voice"
	MassTypeMusic MassMsgType = "music" // in previews
	MassTypeImage MassMsgType = "image" // the part is Images
	MassTypeVideo MassMsgType = "mpvideo"
	MassTypeCard  MassMsgType = "wxcard" // no longer allowed (45113)
)

// MassContent is what a mass message says. It has one part, the one that MsgType names; MassText and the like make them.
type MassContent struct {
	MsgType MassMsgType   `json:"msgtype"`
	MPNews  *MediaContent `json:"mpnews,omitempty"`
	Text    *TextContent  `json:"text,omitempty"`
	Voice   *MediaContent `json:"voice,omitempty"`
	Images  *MassImages   `json:"images,omitempty"`
	MPVideo *MassVideo    `json:"mpvideo,omitempty"`
}

// MassImages is one or more pictures.
type MassImages struct {
	MediaIDs           []string `json:"media_ids"`
	Recommend          string   `json:"recommend,omitempty"` // a text beside the pictures
	Title              string   `json:"title,omitempty"`
	NeedOpenComment    int      `json:"need_open_comment,omitempty"`     // 1: people may comment
	OnlyFansCanComment int      `json:"only_fans_can_comment,omitempty"` // 1: only followers may
}

// MassVideo is a video of UploadMassVideo.
type MassVideo struct {
	MediaID     string `json:"media_id"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
}

// MassArticles is the articles of a draft, whose media id ends when they are sent.
func MassArticles(mediaID string) MassContent {
	return MassContent{MsgType: MassTypeNews, MPNews: &MediaContent{mediaID}}
}

// MassText is a text.
func MassText(content string) MassContent {
	return MassContent{MsgType: MassTypeText, Text: &TextContent{content}}
}

// MassVoice is a voice.
func MassVoice(mediaID string) MassContent {
	return MassContent{MsgType: MassTypeVoice, Voice: &MediaContent{mediaID}}
}

// MassPictures is one or more pictures.
func MassPictures(images MassImages) MassContent {
	return MassContent{MsgType: MassTypeImage, Images: &images}
}

// MassVideoMessage is a video.
func MassVideoMessage(v MassVideo) MassContent {
	return MassContent{MsgType: MassTypeVideo, MPVideo: &v}
}

// MassFilter says who gets a mass message: everybody, or those who carry a tag.
type MassFilter struct {
	IsToAll bool  `json:"is_to_all,omitempty"`
	TagID   int64 `json:"tag_id,omitempty"`
}

// MassMessageByTag is a mass message to all followers or those of a tag.
type MassMessageByTag struct {
	Filter MassFilter `json:"filter"`
	MassContent
	WXCard *MassCard `json:"wxcard,omitempty"`
	// SendIgnoreReprint is 1 to send articles that count as reprints all the same.
	SendIgnoreReprint int `json:"send_ignore_reprint,omitempty"`
	// ClientMsgID, of up to 32 bytes, makes the server send a message once in 24 hours. An empty one is filled in
	// for each call, so that the call can be repeated safely.
	ClientMsgID string `json:"clientmsgid,omitempty"`
}

// MassCard is a coupon or a card in a mass message or a preview.
type MassCard struct {
	CardID  string `json:"card_id"`
	CardExt string `json:"card_ext,omitempty"` // JSON text
}

// to names the audience, as there is no person to name.
func (m *MassMessageByTag) to() []string {
	switch {
	case m.Filter.IsToAll:
		return []string{"all"}
	case m.Filter.TagID != 0:
		return []string{"tag " + strconv.FormatInt(m.Filter.TagID, 10)}
	}
	return nil
}

// alreadySent is the errcode of a mass message whose ClientMsgID has been used.
const alreadySent wechat.Code = 45065

// MassReceipt is the answer to a mass message that was accepted.
type MassReceipt struct {
	MsgID     int64 `json:"msg_id"`      // the MASSSENDJOBFINISH event, which tells the outcome, has the same
	MsgDataID int64 `json:"msg_data_id"` // of articles: for comments and statistics

	ErrCode wechat.Code `json:"errcode"`
}

// AlreadySent reports whether this call sent nothing, because a message with the same ClientMsgID had been sent within
// the last 24 hours: the receipt is that message's.
func (r *MassReceipt) AlreadySent() bool { return r.ErrCode == alreadySent }

// massLimit is the documented cap of each call that sends to many.
var massLimit = []ratelimit.Limit{ratelimit.PerMinute(60)}

const massDedupeFor = 24 * time.Hour

var sendMassMessageByTag = wechat.Endpoint[MassMessageByTag, MassReceipt]{
	Name: "SendMassMessageByTag", Pattern: "POST /cgi-bin/message/mass/sendall",
	Effect:    wechat.EffectSend,
	Limits:    massLimit,
	To:        (*MassMessageByTag).to,
	Dedupe:    func(m *MassMessageByTag) *string { return &m.ClientMsgID },
	DedupeFor: massDedupeFor,
}

// SendMassMessageByTag sends one message to all followers, or to those who carry a tag. A receipt means that it stands in
// the queue: WaitMassMessage, or the MASSSENDJOBFINISH event, tells what became of it. The receipt of a call that is
// repeated with the same ClientMsgID is that of the first (see MassReceipt.AlreadySent).
//
// A subscription account can do so once a day; a service account's followers get at most four messages a month; 60 calls
// a minute are taken. 45028 means that this is used up, 89504 that an administrator has to confirm within 30 minutes,
// 89505 that one refused, 40152 that there is no such tag, 45067 that ClientMsgID is too long.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/notify/message/api_sendall.html
func (c *Client) SendMassMessageByTag(ctx context.Context, m *MassMessageByTag) (*MassReceipt, error) {
	return sendMassMessageByTag.Do(ctx, c.caller, m)
}

// MassMessageByOpenIDs is a mass message to people by openid.
type MassMessageByOpenIDs struct {
	ToUser []string `json:"touser"` // 2 to 10,000 openids
	MassContent
	WXCard *CardContent `json:"wxcard,omitempty"`
	// SendIgnoreReprint is 1 to send articles that count as reprints all the same.
	SendIgnoreReprint int `json:"send_ignore_reprint,omitempty"`
	// ClientMsgID is as in MassMessageByTag.
	ClientMsgID string `json:"clientmsgid,omitempty"`
}

var sendMassMessageByOpenIDs = wechat.Endpoint[MassMessageByOpenIDs, MassReceipt]{
	Name: "SendMassMessageByOpenIDs", Pattern: "POST /cgi-bin/message/mass/send",
	Effect:    wechat.EffectSend,
	Limits:    massLimit,
	To:        func(m *MassMessageByOpenIDs) []string { return m.ToUser },
	Dedupe:    func(m *MassMessageByOpenIDs) *string { return &m.ClientMsgID },
	DedupeFor: massDedupeFor,
}

// SendMassMessageByOpenIDs sends one message to up to 10,000 followers of a service account; a single one is refused
// (40130). Receipt, quotas and codes are those of SendMassMessageByTag. 48001 means that the account is no service
// account.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/notify/message/api_masssend.html
func (c *Client) SendMassMessageByOpenIDs(ctx context.Context, m *MassMessageByOpenIDs) (*MassReceipt, error) {
	return sendMassMessageByOpenIDs.Do(ctx, c.caller, m)
}

// MassPreview is a mass message to one person, to look at. Its parts differ from those of the message itself: Image is
// one picture.
type MassPreview struct {
	ToUser   string        `json:"touser,omitempty"`   // openid
	ToWXName string        `json:"towxname,omitempty"` // WeChat id; wins over ToUser
	MsgType  MassMsgType   `json:"msgtype"`
	MPNews   *MediaContent `json:"mpnews,omitempty"`
	Text     *TextContent  `json:"text,omitempty"`
	Voice    *MediaContent `json:"voice,omitempty"`
	Music    *MediaContent `json:"music,omitempty"`
	Image    *MediaContent `json:"image,omitempty"`
	MPVideo  *MediaContent `json:"mpvideo,omitempty"`
	WXCard   *MassCard     `json:"wxcard,omitempty"`
}

func (m *MassPreview) to() []string {
	if m.ToWXName != "" {
		return []string{m.ToWXName}
	}
	return []string{m.ToUser}
}

// PreviewMassMessageReply names the message.
type PreviewMassMessageReply struct {
	MsgID int64 `json:"msg_id"`
}

var previewMassMessage = wechat.Endpoint[MassPreview, PreviewMassMessageReply]{
	Name: "PreviewMassMessage", Pattern: "POST /cgi-bin/message/mass/preview",
	Effect: wechat.EffectSend,
	To:     (*MassPreview).to,
}

// PreviewMassMessage sends a mass message to one person for a look at it. Previews by WeChat id are limited to 100 a day.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/notify/message/api_preview.html
func (c *Client) PreviewMassMessage(ctx context.Context, m *MassPreview) (*PreviewMassMessageReply, error) {
	return previewMassMessage.Do(ctx, c.caller, m)
}

// DeleteMassMessageRequest names a message, or an article of one.
type DeleteMassMessageRequest struct {
	MsgID      int64  `json:"msg_id,omitempty"`      // wins over URL
	ArticleIdx int    `json:"article_idx,omitempty"` // counts from 1; 0: all articles
	URL        string `json:"url,omitempty"`         // of an article
}

var deleteMassMessage = wechat.Endpoint[DeleteMassMessageRequest, wechat.None]{
	Name: "DeleteMassMessage", Pattern: "POST /cgi-bin/message/mass/delete",
	Effect: wechat.EffectSet,
}

// DeleteMassMessage takes down articles or a video that were sent by API. The message stays in people's chats, what it opens
// is gone. 40204 means that it cannot be deleted.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/notify/message/api_deletemassmsg.html
func (c *Client) DeleteMassMessage(ctx context.Context, r *DeleteMassMessageRequest) error {
	return deleteMassMessage.Exec(ctx, c.caller, r)
}

// MassStatus is how far a mass message has come.
type MassStatus string

// The states of a mass message.
const (
	MassSending MassStatus = "SENDING"
	MassSent    MassStatus = "SEND_SUCCESS"
	MassFailed  MassStatus = "SEND_FAIL"
	MassDeleted MassStatus = "DELETE"
)

// GetMassMessageStatusRequest names a message.
type GetMassMessageStatusRequest struct {
	MsgID string `json:"msg_id"` // MassReceipt.MsgID as text
}

// GetMassMessageStatusReply tells how far it has come.
type GetMassMessageStatusReply struct {
	MsgID     int64      `json:"msg_id"`
	MsgStatus MassStatus `json:"msg_status"`
}

var getMassMessageStatus = wechat.Endpoint[GetMassMessageStatusRequest, GetMassMessageStatusReply]{
	Name: "GetMassMessageStatus", Pattern: "POST /cgi-bin/message/mass/get",
	Effect: wechat.EffectRead,
}

// GetMassMessageStatus tells how far a mass message has come. How many people got it is told by the MASSSENDJOBFINISH event
// alone.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/notify/message/api_massmsgget.html
func (c *Client) GetMassMessageStatus(ctx context.Context, r *GetMassMessageStatusRequest) (*GetMassMessageStatusReply, error) {
	return getMassMessageStatus.Do(ctx, c.caller, r)
}

// WaitMassMessage waits until a mass message is sent. It asks at once and then ever less often, up to every 30 seconds,
// until ctx ends. A message that failed or was deleted gives the last status together with an error that matches
// ErrJobFailed.
func (c *Client) WaitMassMessage(ctx context.Context, msgID int64) (*GetMassMessageStatusReply, error) {
	var last *GetMassMessageStatusReply
	err := poll(ctx, func() (bool, error) {
		status, err := c.GetMassMessageStatus(ctx, &GetMassMessageStatusRequest{MsgID: strconv.FormatInt(msgID, 10)})
		if err != nil {
			return false, err
		}
		last = status
		switch status.MsgStatus {
		case MassSent:
			return true, nil
		case MassFailed, MassDeleted:
			return true, fmt.Errorf("%w: mass message %d is %s", ErrJobFailed, msgID, status.MsgStatus)
		default: // MassSending, or a state that is not known here, as the wait for an administrator
			return false, nil
		}
	})
	return last, err
}

// MassSpeed is a level: 0 is 800,000 messages a minute, 1 is 600,000, 2 is 450,000, 3 is 300,000 and 4 is 100,000.
type MassSpeed int

// GetMassSpeedReply is the account's speed.
type GetMassSpeedReply struct {
	Speed     MassSpeed `json:"speed"`
	RealSpeed int       `json:"realspeed"` // in 10,000 messages a minute
}

var getMassSpeed = wechat.Endpoint[wechat.None, GetMassSpeedReply]{
	Name: "GetMassSpeed", Pattern: "POST /cgi-bin/message/mass/speed/get",
	Effect: wechat.EffectRead,
}

// GetMassSpeed tells how fast mass messages are sent. 45084 means that no speed was set.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/notify/message/api_getspeed.html
func (c *Client) GetMassSpeed(ctx context.Context) (*GetMassSpeedReply, error) {
	return getMassSpeed.Do(ctx, c.caller, nil)
}

// SetMassSpeedRequest is the speed to set.
type SetMassSpeedRequest struct {
	Speed MassSpeed `json:"speed"`
}

var setMassSpeed = wechat.Endpoint[SetMassSpeedRequest, wechat.None]{
	Name: "SetMassSpeed", Pattern: "POST /cgi-bin/message/mass/speed/set",
	Effect: wechat.EffectSet,
}

// SetMassSpeed sets how fast mass messages are sent. 89504 and 89505 mean that an administrator has to confirm.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/notify/message/api_setspeed.html
func (c *Client) SetMassSpeed(ctx context.Context, r *SetMassSpeedRequest) error {
	return setMassSpeed.Exec(ctx, c.caller, r)
}

// UploadNewsMessageRequest is one to eight articles.
type UploadNewsMessageRequest struct {
	Articles []MassArticle `json:"articles"`
}

// MassArticle is an article for a mass message.
type MassArticle struct {
	Title              string `json:"title"`
	Author             string `json:"author,omitempty"`
	Content            string `json:"content"` // HTML; pictures of UploadArticleImage only
	ContentSourceURL   string `json:"content_source_url,omitempty"`
	Digest             string `json:"digest,omitempty"` // empty: the first 64 characters
	ThumbMediaID       string `json:"thumb_media_id"`   // temporary media
	ShowCoverPic       int    `json:"show_cover_pic,omitempty"`
	NeedOpenComment    int    `json:"need_open_comment,omitempty"`
	OnlyFansCanComment int    `json:"only_fans_can_comment,omitempty"`
}

// MassMedia names what a mass message can send.
type MassMedia struct {
	Type      string `json:"type"` // "news", "video"
	MediaID   string `json:"media_id"`
	CreatedAt int64  `json:"created_at"`
}

var uploadNewsMessage = wechat.Endpoint[UploadNewsMessageRequest, MassMedia]{
	Name: "UploadNewsMessage", Pattern: "POST /cgi-bin/media/uploadnews",
	Effect: wechat.EffectCreate,
}

// UploadNewsMessage stores articles for a mass message in the way used before drafts; AddDraft is taking its place.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/notify/message/api_uploadnewsmsg.html
func (c *Client) UploadNewsMessage(ctx context.Context, r *UploadNewsMessageRequest) (*MassMedia, error) {
	return uploadNewsMessage.Do(ctx, c.caller, r)
}

// UploadMassVideoRequest is a video with its text.
type UploadMassVideoRequest struct {
	MediaID     string `json:"media_id"` // of UploadTempMedia
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
}

var uploadMassVideo = wechat.Endpoint[UploadMassVideoRequest, MassMedia]{
	Name: "UploadMassVideo", Pattern: "POST /cgi-bin/media/uploadvideo",
	Effect: wechat.EffectCreate,
}

// UploadMassVideo makes a video for a mass message of an uploaded one. It has left the official documentation.
func (c *Client) UploadMassVideo(ctx context.Context, r *UploadMassVideoRequest) (*MassMedia, error) {
	return uploadMassVideo.Do(ctx, c.caller, r)
}
