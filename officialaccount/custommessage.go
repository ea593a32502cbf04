package officialaccount

import (
	"context"
	"fmt"

	"github.com/seed175cf469/wechat"
)

// CustomMsgType is the kind of a CustomMessage.
type CustomMsgType string

// The kinds of customer service messages.
const (
	CustomText          CustomMsgType = "text"
	CustomImage         CustomMsgType = "image"
	CustomVoice         CustomMsgType = "voice"
	CustomVideo         CustomMsgType = "video"
	CustomMusic         CustomMsgType = "music"
	CustomNews          CustomMsgType = "news"
	CustomMPNews        CustomMsgType = "mpnews"
	CustomMPNewsArticle CustomMsgType = "mpnewsarticle"
	CustomMenu          CustomMsgType = "msgmenu"
	CustomCard          CustomMsgType = "wxcard"
	CustomMiniProgram   CustomMsgType = "miniprogrampage"
)

// CustomMessage is a message to a person who was in touch with the account lately. It has one part, the one that MsgType
// names; TextMessage and the like make such messages. From and AI go with any kind.
type CustomMessage struct {
	ToUser  string        `json:"touser"` // openid
	MsgType CustomMsgType `json:"msgtype"`

	Text            *TextContent            `json:"text,omitempty"`
	Image           *MediaContent           `json:"image,omitempty"`
	Voice           *MediaContent           `json:"voice,omitempty"`
	Video           *VideoContent           `json:"video,omitempty"`
	Music           *MusicContent           `json:"music,omitempty"`
	News            *NewsContent            `json:"news,omitempty"`
	MPNews          *MediaContent           `json:"mpnews,omitempty"`
	MPNewsArticle   *ArticleContent         `json:"mpnewsarticle,omitempty"`
	MsgMenu         *MenuContent            `json:"msgmenu,omitempty"`
	WXCard          *CardContent            `json:"wxcard,omitempty"`
	MiniProgramPage *MiniProgramPageContent `json:"miniprogrampage,omitempty"`

	CustomService *CustomServiceSender `json:"customservice,omitempty"` // the agent shown as the sender
	AIMsgContext  *AIMsgContext        `json:"aimsgcontext,omitempty"`  // labels the message as made by a machine
	BusinessID    string               `json:"businessid,omitempty"`    // of a sub-merchant
}

// TextContent is a text. Links are written as <a href="https://...">; in customer service messages an href of
// weixin://bizmsgmenu?msgmenucontent=...&msgmenuid=... sends a reply when it is tapped.
type TextContent struct {
	Content string `json:"content"`
}

// MediaContent is a picture, a voice or articles, by media id.
type MediaContent struct {
	MediaID string `json:"media_id"`
}

// VideoContent is a video with its preview picture.
type VideoContent struct {
	MediaID      string `json:"media_id"`
	ThumbMediaID string `json:"thumb_media_id"`
	Title        string `json:"title,omitempty"`
	Description  string `json:"description,omitempty"`
}

// MusicContent is a piece of music.
type MusicContent struct {
	Title        string `json:"title"`
	Description  string `json:"description"`
	MusicURL     string `json:"musicurl"`
	HQMusicURL   string `json:"hqmusicurl,omitempty"` // a better one, played on Wi-Fi
	ThumbMediaID string `json:"thumb_media_id"`
}

// NewsContent is a link that looks like an article.
type NewsContent struct {
	Articles []NewsArticle `json:"articles"` // one (45008)
}

// NewsArticle is that link.
type NewsArticle struct {
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	URL         string `json:"url,omitempty"`
	PicURL      string `json:"picurl,omitempty"` // best 640*320
}

// ArticleContent is a published article.
type ArticleContent struct {
	ArticleID string `json:"article_id"` // of GetPublishStatus
}

// MenuContent is a text with answers to choose from.
type MenuContent struct {
	HeadContent string       `json:"head_content,omitempty"`
	List        []MenuAnswer `json:"list"`
	TailContent string       `json:"tail_content,omitempty"`
}

// MenuAnswer is one of the answers. A tap sends Content as the person's message, with ID as its bizmsgmenuid.
type MenuAnswer struct {
	ID      string `json:"id"`
	Content string `json:"content"`
}

// CardContent is a coupon or a card.
type CardContent struct {
	CardID string `json:"card_id"`
}

// MiniProgramPageContent is a page of a mini program that is linked to the account.
type MiniProgramPageContent struct {
	Title        string `json:"title"`
	AppID        string `json:"appid"`
	PagePath     string `json:"pagepath"`
	ThumbMediaID string `json:"thumb_media_id"`
}

// CustomServiceSender is the agent shown as the sender.
type CustomServiceSender struct {
	KfAccount string `json:"kf_account"`
}

// AIMsgContext says whether a machine made the message.
type AIMsgContext struct {
	IsAIMsg int `json:"is_ai_msg"` // 1: it did
}

// TextMessage is a text to openid.
func TextMessage(openid, content string) *CustomMessage {
	return &CustomMessage{ToUser: openid, MsgType: CustomText, Text: &TextContent{content}}
}

// ImageMessage is a picture to openid.
func ImageMessage(openid, mediaID string) *CustomMessage {
	return &CustomMessage{ToUser: openid, MsgType: CustomImage, Image: &MediaContent{mediaID}}
}

// VoiceMessage is a voice to openid.
func VoiceMessage(openid, mediaID string) *CustomMessage {
	return &CustomMessage{ToUser: openid, MsgType: CustomVoice, Voice: &MediaContent{mediaID}}
}

// VideoMessage is a video to openid.
func VideoMessage(openid string, v VideoContent) *CustomMessage {
	return &CustomMessage{ToUser: openid, MsgType: CustomVideo, Video: &v}
}

// MusicMessage is a piece of music to openid.
func MusicMessage(openid string, m MusicContent) *CustomMessage {
	return &CustomMessage{ToUser: openid, MsgType: CustomMusic, Music: &m}
}

// NewsMessage is a link that looks like an article, to openid.
func NewsMessage(openid string, a NewsArticle) *CustomMessage {
	return &CustomMessage{ToUser: openid, MsgType: CustomNews, News: &NewsContent{Articles: []NewsArticle{a}}}
}

// MPNewsMessage is articles of the account, by media id, to openid. ArticleMessage is taking its place.
func MPNewsMessage(openid, mediaID string) *CustomMessage {
	return &CustomMessage{ToUser: openid, MsgType: CustomMPNews, MPNews: &MediaContent{mediaID}}
}

// ArticleMessage is a published article to openid.
func ArticleMessage(openid, articleID string) *CustomMessage {
	return &CustomMessage{ToUser: openid, MsgType: CustomMPNewsArticle, MPNewsArticle: &ArticleContent{articleID}}
}

// MenuMessage is a text with answers to choose from, to openid.
func MenuMessage(openid string, m MenuContent) *CustomMessage {
	return &CustomMessage{ToUser: openid, MsgType: CustomMenu, MsgMenu: &m}
}

// CardMessage is a coupon or a card to openid.
func CardMessage(openid, cardID string) *CustomMessage {
	return &CustomMessage{ToUser: openid, MsgType: CustomCard, WXCard: &CardContent{cardID}}
}

// MiniProgramMessage is a page of a mini program to openid.
func MiniProgramMessage(openid string, p MiniProgramPageContent) *CustomMessage {
	return &CustomMessage{ToUser: openid, MsgType: CustomMiniProgram, MiniProgramPage: &p}
}

// From returns a copy of m that shows the agent as its sender.
func (m CustomMessage) From(kfAccount string) *CustomMessage {
	m.CustomService = &CustomServiceSender{kfAccount}
	return &m
}

// check refuses a message whose MsgType names a part that is not there. Kinds that are not known here are the server's
// business.
func (m *CustomMessage) check() error {
	missing := false
	switch m.MsgType {
	case CustomText:
		missing = m.Text == nil
	case CustomImage:
		missing = m.Image == nil
	case CustomVoice:
		missing = m.Voice == nil
	case CustomVideo:
		missing = m.Video == nil
	case CustomMusic:
		missing = m.Music == nil
	case CustomNews:
		missing = m.News == nil
	case CustomMPNews:
		missing = m.MPNews == nil
	case CustomMPNewsArticle:
		missing = m.MPNewsArticle == nil
	case CustomMenu:
		missing = m.MsgMenu == nil
	case CustomCard:
		missing = m.WXCard == nil
	case CustomMiniProgram:
		missing = m.MiniProgramPage == nil
	}
	if missing {
		return fmt.Errorf("a message of type %q has no part %q", m.MsgType, m.MsgType)
	}
	return nil
}

var sendCustomMessage = wechat.Endpoint[CustomMessage, wechat.None]{
	Name: "SendCustomMessage", Pattern: "POST /cgi-bin/message/custom/send",
	Effect: wechat.EffectSend,
	To:     func(m *CustomMessage) []string { return []string{m.ToUser} },
	Check:  (*CustomMessage).check,
}

// SendCustomMessage sends a message to a person who was in touch with the account lately: five within 48 hours of a message
// of the person, three within a minute of a tap on a menu (click, scancode_push or scancode_waitmsg), of a follow or of
// a scan, any number within 48 hours of a payment. No id comes back.
//
// 45015 means that the person was not in touch in that time, 45047 that the number is used up; neither is a matter of
// waiting. 45008 means more than one article, 70000 that the message is held back to protect minors. The default
// quota is 500,000 calls a day.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/customer/message/api_sendcustommessage.html
func (c *Client) SendCustomMessage(ctx context.Context, m *CustomMessage) error {
	return sendCustomMessage.Exec(ctx, c.caller, m)
}

// TypingCommand shows or hides the typing indicator.
type TypingCommand string

// The commands of SetTyping.
const (
	Typing       TypingCommand = "Typing"
	CancelTyping TypingCommand = "CancelTyping"
)

// SetTypingRequest shows or hides the typing indicator to a person.
type SetTypingRequest struct {
	ToUser     string        `json:"touser"` // openid
	Command    TypingCommand `json:"command"`
	BusinessID string        `json:"businessid,omitempty"` // of a sub-merchant
}

var setTyping = wechat.Endpoint[SetTypingRequest, wechat.None]{
	Name: "SetTyping", Pattern: "POST /cgi-bin/message/custom/typing",
	Effect: wechat.EffectSet,
	To:     func(r *SetTypingRequest) []string { return []string{r.ToUser} },
}

// SetTyping tells a person that the account is writing, for 15 seconds. It works within 30 seconds of the person's
// last message (45080). 45081 means that it is shown already.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/customer/message/api_typing.html
func (c *Client) SetTyping(ctx context.Context, r *SetTypingRequest) error {
	return setTyping.Exec(ctx, c.caller, r)
}
