package work

import (
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strings"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/ratelimit"
)

// WebhookMessage is a message of a group robot (群机器人) to its group. The functions whose names begin with Webhook
// make one of each kind. A robot belongs to no app: a Client made with the zero App can send it.
type WebhookMessage struct {
	Key          string        `query:"key"` // the key of the robot's webhook URL; whoever has it can write to the group
	MsgType      MsgType       `json:"msgtype"`
	Text         *WebhookText  `json:"text,omitempty"`
	Markdown     *Text         `json:"markdown,omitempty"`
	MarkdownV2   *Text         `json:"markdown_v2,omitempty"` // with tables and code; without mentions and colours
	Image        *WebhookImage `json:"image,omitempty"`
	News         *LinkNews     `json:"news,omitempty"`
	File         *Media        `json:"file,omitempty"`  // that UploadWebhookMedia has stored for this robot
	Voice        *Media        `json:"voice,omitempty"` // that UploadWebhookMedia has stored for this robot
	TemplateCard *WebhookCard  `json:"template_card,omitempty"`
}

// WebhookText is a text of a robot, at most MaxText bytes.
type WebhookText struct {
	Content             string   `json:"content"`
	MentionedList       []string `json:"mentioned_list,omitempty"` // userids; All for everybody
	MentionedMobileList []string `json:"mentioned_mobile_list,omitempty"`
}

// WebhookImage is a picture in the message itself: JPG or PNG, at most 2 MB.
type WebhookImage struct {
	Base64 string `json:"base64"`
	MD5    string `json:"md5"` // hex, of the picture itself
}

// maxWebhookImage bounds the picture itself, in bytes.
const maxWebhookImage = 2 << 20

// WebhookTextMessage makes a text that mentions userids.
func WebhookTextMessage(key, content string, mentioned ...string) *WebhookMessage {
	return &WebhookMessage{Key: key, MsgType: MsgText, Text: &WebhookText{Content: content, MentionedList: mentioned}}
}

// WebhookMarkdownMessage makes a message in WeCom's markdown, where <@userid> mentions a member. At most
// MaxWebhookMarkdown bytes.
func WebhookMarkdownMessage(key, content string) *WebhookMessage {
	return &WebhookMessage{Key: key, MsgType: MsgMarkdown, Markdown: &Text{Content: content}}
}

// WebhookMarkdownV2Message makes a message in the markdown that has tables and code. Clients before 4.1.36 show it as
// plain text. At most MaxWebhookMarkdown bytes.
func WebhookMarkdownV2Message(key, content string) *WebhookMessage {
	return &WebhookMessage{Key: key, MsgType: MsgMarkdownV2, MarkdownV2: &Text{Content: content}}
}

// WebhookImageMessage makes a picture from the bytes of a JPG or PNG file.
func WebhookImageMessage(key string, picture []byte) *WebhookMessage {
	sum := md5.Sum(picture)
	return &WebhookMessage{Key: key, MsgType: MsgImage, Image: &WebhookImage{
		Base64: base64.StdEncoding.EncodeToString(picture), MD5: hex.EncodeToString(sum[:]),
	}}
}

// WebhookNewsMessage makes one to eight articles that open pages elsewhere.
func WebhookNewsMessage(key string, articles ...LinkArticle) *WebhookMessage {
	return &WebhookMessage{Key: key, MsgType: MsgNews, News: &LinkNews{Articles: articles}}
}

// WebhookFileMessage makes a file that UploadWebhookMedia has stored.
func WebhookFileMessage(key, mediaID string) *WebhookMessage {
	return &WebhookMessage{Key: key, MsgType: MsgFile, File: &Media{MediaID: mediaID}}
}

// WebhookVoiceMessage makes a voice message that UploadWebhookMedia has stored.
func WebhookVoiceMessage(key, mediaID string) *WebhookMessage {
	return &WebhookMessage{Key: key, MsgType: MsgVoice, Voice: &Media{MediaID: mediaID}}
}

// WebhookCardMessage makes a template card.
func WebhookCardMessage(key string, card WebhookCard) *WebhookMessage {
	return &WebhookMessage{Key: key, MsgType: MsgTemplateCard, TemplateCard: &card}
}

// robot names a robot without showing its key.
func robot(key string) []string {
	sum := sha256.Sum256([]byte(key))
	return []string{"robot:" + hex.EncodeToString(sum[:6])}
}

// check refuses a message without a robot, and contents that are over the documented sizes.
func (m *WebhookMessage) check() error {
	switch {
	case m.Key == "":
		return errors.New("the key of the robot is empty")
	case m.MsgType == MsgText && m.Text != nil:
		return checkSize("text.content", len(m.Text.Content), MaxText)
	case m.MsgType == MsgMarkdown && m.Markdown != nil:
		return checkSize("markdown.content", len(m.Markdown.Content), MaxWebhookMarkdown)
	case m.MsgType == MsgMarkdownV2 && m.MarkdownV2 != nil:
		return checkSize("markdown_v2.content", len(m.MarkdownV2.Content), MaxWebhookMarkdown)
	case m.MsgType == MsgNews && m.News != nil:
		return checkArticles("news.articles", len(m.News.Articles))
	case m.MsgType == MsgImage && m.Image != nil:
		return checkSize("image", m.Image.size(), maxWebhookImage)
	}
	return nil
}

// size is the size of the picture itself.
func (i *WebhookImage) size() int {
	return base64.RawStdEncoding.DecodedLen(len(strings.TrimRight(i.Base64, "=")))
}

var sendWebhookMessage = wechat.Endpoint[WebhookMessage, wechat.None]{
	Name: "SendWebhookMessage", Pattern: "POST /cgi-bin/webhook/send",
	Effect:    wechat.EffectSend,
	NoToken:   true,
	Recipient: []ratelimit.Limit{ratelimit.PerMinute(20)},
	To:        func(m *WebhookMessage) []string { return robot(m.Key) },
	Check:     (*WebhookMessage).check,
}

// SendWebhookMessage posts one message to the group of a robot. A robot has 20 messages a minute; the client waits for
// a turn. There is nothing that makes a repeat safe: a message of unknown outcome is not repeated.
//
// Errors: 93000 the key is wrong or the robot was removed, 93004 it is disabled, 93008 it is not in the group, 40007
// the media has ended or is another robot's.
//
// Official page: https://developer.work.weixin.qq.com/document/path/99110
func (c *Client) SendWebhookMessage(ctx context.Context, m *WebhookMessage) error {
	return sendWebhookMessage.Exec(ctx, c.caller, m)
}

// WebhookMediaRequest is a file for a robot.
type WebhookMediaRequest struct {
	Key   string      `query:"key"`
	Type  MediaType   `query:"type"` // MediaFile, 6 bytes to 20 MB, or MediaVoice, AMR, at most 2 MB and 60 s
	Media wechat.File `form:"media"`
}

var uploadWebhookMedia = wechat.Endpoint[WebhookMediaRequest, UploadedMedia]{
	Name: "UploadWebhookMedia", Pattern: "POST /cgi-bin/webhook/upload_media",
	Effect:  wechat.EffectUpload,
	NoToken: true,
}

// UploadWebhookMedia stores a file for three days, for messages of this robot only. Errors: 93000 the key is wrong,
// 45001 the file is too large.
//
// Official page: https://developer.work.weixin.qq.com/document/path/99110
func (c *Client) UploadWebhookMedia(ctx context.Context, r *WebhookMediaRequest) (*UploadedMedia, error) {
	return uploadWebhookMedia.Do(ctx, c.caller, r)
}
