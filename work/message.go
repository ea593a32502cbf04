package work

import (
	"context"
	"slices"
	"time"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/ratelimit"
)

// MsgType is the kind of a message. The field of the same name holds its content.
type MsgType string

// The kinds of messages. Which of them an app, a group chat or a robot can send, stands with its message type.
const (
	MsgText              MsgType = "text"
	MsgImage             MsgType = "image"
	MsgVoice             MsgType = "voice"
	MsgVideo             MsgType = "video"
	MsgFile              MsgType = "file"
	MsgTextCard          MsgType = "textcard"
	MsgNews              MsgType = "news"
	MsgMPNews            MsgType = "mpnews"
	MsgMarkdown          MsgType = "markdown"
	MsgMarkdownV2        MsgType = "markdown_v2"
	MsgMiniProgram       MsgType = "miniprogram"
	MsgMiniProgramNotice MsgType = "miniprogram_notice"
	MsgTaskCard          MsgType = "interactive_taskcard" // retired, in favour of MsgTemplateCard
	MsgTemplate          MsgType = "template_msg"         // of third-party apps
	MsgTemplateCard      MsgType = "template_card"
)

// Message is a message of an app to members, departments and tags; at least one of them. The functions named after
// its kinds make one to members: TextMessage, NewsMessage, and so on.
type Message struct {
	ToUser  string  `json:"touser,omitempty"`  // userids as JoinIDs has them, at most 1000; or All
	ToParty string  `json:"toparty,omitempty"` // ids of departments, at most 100
	ToTag   string  `json:"totag,omitempty"`   // ids of tags, at most 100
	MsgType MsgType `json:"msgtype"`
	// Safe 1 forbids to share the message and shows the reader's name across it; 2, for mpnews, shows the name only
	// inside. Voice, text cards, news, markdown and cards have none.
	Safe          int `json:"safe,omitempty"`
	EnableIDTrans int `json:"enable_id_trans,omitempty"` // 1: "$userName=id$" in texts shows the name; third-party apps
	// EnableDuplicateCheck 1 makes the server drop a message that is byte for byte the same as one of the last
	// DuplicateCheckInterval. The client repeats a message of unknown outcome only where it is set.
	EnableDuplicateCheck   int                `json:"enable_duplicate_check,omitempty"`
	DuplicateCheckInterval int                `json:"duplicate_check_interval,omitempty"` // seconds, at most 14400; 0: 1800
	Text                   *Text              `json:"text,omitempty"`
	Image                  *Media             `json:"image,omitempty"`
	Voice                  *Media             `json:"voice,omitempty"`
	Video                  *Video             `json:"video,omitempty"`
	File                   *Media             `json:"file,omitempty"`
	TextCard               *TextCard          `json:"textcard,omitempty"`
	News                   *News              `json:"news,omitempty"`
	MPNews                 *MPNews            `json:"mpnews,omitempty"`
	Markdown               *Text              `json:"markdown,omitempty"`
	MiniProgramNotice      *MiniProgramNotice `json:"miniprogram_notice,omitempty"`
	InteractiveTaskCard    *TaskCard          `json:"interactive_taskcard,omitempty"`
	TemplateMsg            *TemplateMessage   `json:"template_msg,omitempty"`
	SelectedTicketList     []string           `json:"selected_ticket_list,omitempty"` // of third-party apps: who was chosen in the client
	TemplateCard           *TemplateCard      `json:"template_card,omitempty"`
}

// Text is a text, or markdown. At most MaxText or MaxMarkdown bytes.
type Text struct {
	Content string `json:"content"` // a text may have line breaks and <a href="...">
}

// Media is a file that UploadMedia has stored.
type Media struct {
	MediaID string `json:"media_id"`
}

// Video is a video that UploadMedia has stored.
type Video struct {
	MediaID     string `json:"media_id"`
	Title       string `json:"title,omitempty"`       // at most 128 bytes
	Description string `json:"description,omitempty"` // at most 512 bytes
}

// TextCard is a text that opens a page.
type TextCard struct {
	Title       string `json:"title"`       // cut at 128 characters
	Description string `json:"description"` // cut at 512 characters; <div class="gray">, "highlight" and "normal" set colours
	URL         string `json:"url"`
	BtnTxt      string `json:"btntxt,omitempty"` // at most 4 characters; "" shows 详情
}

// News is one to eight articles that open pages elsewhere.
type News struct {
	Articles []Article `json:"articles"`
}

// Article is an article of News. It opens URL, or a page of a mini program where AppID and PagePath are set.
type Article struct {
	Title       string `json:"title"`                 // cut at 128 bytes
	Description string `json:"description,omitempty"` // cut at 512 bytes
	URL         string `json:"url,omitempty"`
	PicURL      string `json:"picurl,omitempty"` // jpg or png, best 1068*455 large and 150*150 small
	AppID       string `json:"appid,omitempty"`
	PagePath    string `json:"pagepath,omitempty"`
}

// MPNews is one to eight articles that WeCom itself stores.
type MPNews struct {
	Articles []MPArticle `json:"articles"`
}

// MPArticle is an article of MPNews.
type MPArticle struct {
	Title            string `json:"title"`          // cut at 128 bytes
	ThumbMediaID     string `json:"thumb_media_id"` // a picture that UploadMedia has stored
	Author           string `json:"author,omitempty"`
	ContentSourceURL string `json:"content_source_url,omitempty"` // what "read the original" opens
	Content          string `json:"content"`                      // HTML, at most MaxMPNewsContent bytes
	Digest           string `json:"digest,omitempty"`             // cut at 512 bytes
}

// MiniProgramNotice is a card that opens a mini program that is bound to the app. It cannot go to All.
type MiniProgramNotice struct {
	AppID             string          `json:"appid"`
	Page              string          `json:"page,omitempty"`                // "": nothing is opened
	Title             string          `json:"title"`                         // 4 to 12 characters
	Description       string          `json:"description,omitempty"`         // 4 to 12 characters
	EmphasisFirstItem bool            `json:"emphasis_first_item,omitempty"` // shows the first item large
	ContentItem       []NoticeContent `json:"content_item,omitempty"`        // at most 10
}

// NoticeContent is a line of a notice.
type NoticeContent struct {
	Key   string `json:"key,omitempty"`   // at most 10 characters
	Value string `json:"value,omitempty"` // at most 30 characters
}

// TaskCard is a card with buttons, in the form before TemplateCard.
type TaskCard struct {
	Title       string           `json:"title"`
	Description string           `json:"description"`
	URL         string           `json:"url,omitempty"`
	TaskID      string           `json:"task_id"`
	Btn         []TaskCardButton `json:"btn"` // 1 or 2
}

// TaskCardButton is a button of a TaskCard.
type TaskCardButton struct {
	Key    string `json:"key"`
	Name   string `json:"name"`
	Color  string `json:"color,omitempty"` // "red" or "blue"
	IsBold bool   `json:"is_bold,omitempty"`
}

// TemplateMessage is a message of a third-party app by a template.
type TemplateMessage struct {
	TemplateID  string               `json:"template_id"`
	URL         string               `json:"url,omitempty"`
	MiniProgram *TemplateMiniProgram `json:"miniprogram,omitempty"`
	ContentItem []NoticeContent      `json:"content_item,omitempty"`
}

// TemplateMiniProgram is the mini program page that a tap opens.
type TemplateMiniProgram struct {
	AppID    string `json:"appid"`
	PagePath string `json:"pagepath,omitempty"`
}

// TextMessage makes a text to userids, which JoinIDs joins.
func TextMessage(to, content string) *Message {
	return &Message{ToUser: to, MsgType: MsgText, Text: &Text{Content: content}}
}

// MarkdownMessage makes a message in WeCom's markdown.
func MarkdownMessage(to, content string) *Message {
	return &Message{ToUser: to, MsgType: MsgMarkdown, Markdown: &Text{Content: content}}
}

// ImageMessage makes a picture that UploadMedia has stored.
func ImageMessage(to, mediaID string) *Message {
	return &Message{ToUser: to, MsgType: MsgImage, Image: &Media{MediaID: mediaID}}
}

// VoiceMessage makes a voice message that UploadMedia has stored.
func VoiceMessage(to, mediaID string) *Message {
	return &Message{ToUser: to, MsgType: MsgVoice, Voice: &Media{MediaID: mediaID}}
}

// FileMessage makes a file that UploadMedia has stored.
func FileMessage(to, mediaID string) *Message {
	return &Message{ToUser: to, MsgType: MsgFile, File: &Media{MediaID: mediaID}}
}

// VideoMessage makes a video.
func VideoMessage(to string, video Video) *Message {
	return &Message{ToUser: to, MsgType: MsgVideo, Video: &video}
}

// TextCardMessage makes a text that opens a page.
func TextCardMessage(to string, card TextCard) *Message {
	return &Message{ToUser: to, MsgType: MsgTextCard, TextCard: &card}
}

// NewsMessage makes one to eight articles that open pages elsewhere.
func NewsMessage(to string, articles ...Article) *Message {
	return &Message{ToUser: to, MsgType: MsgNews, News: &News{Articles: articles}}
}

// MPNewsMessage makes one to eight articles that WeCom itself stores.
func MPNewsMessage(to string, articles ...MPArticle) *Message {
	return &Message{ToUser: to, MsgType: MsgMPNews, MPNews: &MPNews{Articles: articles}}
}

// MiniProgramNoticeMessage makes a card that opens a mini program.
func MiniProgramNoticeMessage(to string, notice MiniProgramNotice) *Message {
	return &Message{ToUser: to, MsgType: MsgMiniProgramNotice, MiniProgramNotice: &notice}
}

// TemplateCardMessage makes a template card.
func TemplateCardMessage(to string, card TemplateCard) *Message {
	return &Message{ToUser: to, MsgType: MsgTemplateCard, TemplateCard: &card}
}

// recipients names whom m reaches.
func (m *Message) recipients() []string {
	return everybody(names("", SplitIDs(m.ToUser)), names(party, SplitIDs(m.ToParty)), names(tag, SplitIDs(m.ToTag)))
}

// check refuses contents that are over the documented sizes.
func (m *Message) check() error {
	switch {
	case m.MsgType == MsgText && m.Text != nil:
		return checkSize("text.content", len(m.Text.Content), MaxText)
	case m.MsgType == MsgMarkdown && m.Markdown != nil:
		return checkSize("markdown.content", len(m.Markdown.Content), MaxMarkdown)
	case m.MsgType == MsgNews && m.News != nil:
		return checkArticles("news.articles", len(m.News.Articles))
	case m.MsgType == MsgMPNews && m.MPNews != nil:
		return m.MPNews.check()
	}
	return nil
}

func (n *MPNews) check() error {
	for _, a := range n.Articles {
		if err := checkSize("mpnews.articles.content", len(a.Content), MaxMPNewsContent); err != nil {
			return err
		}
	}
	return checkArticles("mpnews.articles", len(n.Articles))
}

// Receipt is the answer to a message that reached somebody. The texts name those whom it did not reach, joined by "|",
// userids in lower case; the methods split them.
type Receipt struct {
	InvalidUser    string `json:"invaliduser"`
	InvalidParty   string `json:"invalidparty"`
	InvalidTag     string `json:"invalidtag"`
	UnlicensedUser string `json:"unlicenseduser"` // members without a licence
	MsgID          string `json:"msgid"`          // for RecallMessage
	ResponseCode   string `json:"response_code"`  // of interactive cards: for UpdateTemplateCard, once, within 72 hours
}

// InvalidUsers are the userids that do not exist or may not see the app.
func (r *Receipt) InvalidUsers() []string { return SplitIDs(r.InvalidUser) }

// InvalidParties are the ids of departments that do not exist or may not see the app.
func (r *Receipt) InvalidParties() []string { return SplitIDs(r.InvalidParty) }

// InvalidTags are the ids of tags that do not exist or may not see the app.
func (r *Receipt) InvalidTags() []string { return SplitIDs(r.InvalidTag) }

// UnlicensedUsers are the userids of members without a licence.
func (r *Receipt) UnlicensedUsers() []string { return SplitIDs(r.UnlicensedUser) }

// missed names whom the message did not reach.
func (r *Receipt) missed() []string {
	return slices.Concat(names("", r.InvalidUsers()), names("", r.UnlicensedUsers()),
		names(party, r.InvalidParties()), names(tag, r.InvalidTags()))
}

var sendMessage = wechat.Endpoint[Message, Receipt]{
	Name: "SendMessage", Pattern: "POST /cgi-bin/message/send",
	Effect:    wechat.EffectSend,
	Const:     map[string]string{"agentid": wechat.ConstAgentID},
	Recipient: []ratelimit.Limit{ratelimit.PerMinute(30), ratelimit.PerHour(1_000)},
	To:        (*Message).recipients,
	Dedupes:   func(m *Message) time.Duration { return dedupeFor(m.EnableDuplicateCheck, m.DuplicateCheckInterval) },
	Check:     (*Message).check,
	Partial:   (*Receipt).missed,
}

// dedupeFor is how long the server drops a repeat of the same bytes: half an hour unless told, four hours at most.
func dedupeFor(enabled, interval int) time.Duration {
	switch {
	case enabled != 1:
		return 0
	case interval > 0:
		return min(time.Duration(interval)*time.Second, 4*time.Hour)
	}
	return 30 * time.Minute
}

// SendMessage sends one message of the app to members, departments and tags.
//
// A receipt without an error does not say that everybody was reached: look at InvalidUsers and its like. Only when
// nobody is left the call fails, with 81013. In a day an app may reach 200 times as many members as the company has
// accounts, each member counted once a message. To one member go at most 30 messages a minute and 1,000 an hour; the
// client waits for their turn, as the server would drop the rest without a word. A department, a tag and All count as
// one more recipient each: who is in them is not known here.
//
// A message whose outcome is unknown is repeated only with EnableDuplicateCheck. The documentation asks to keep clear
// of the full and the half hour.
//
// Errors: 82001 no recipient at all, 40032 more than 1000 userids, 45002 a text is too long, 40007 the media has ended
// or is not the company's, 43012 an interactive card without a callback URL, 42027 to 42051 a field of a card.
//
// Official page: https://developer.work.weixin.qq.com/document/path/90236
func (c *Client) SendMessage(ctx context.Context, m *Message) (*Receipt, error) {
	return sendMessage.Do(ctx, c.caller, m)
}

// CardUpdate changes a template card that was sent, for some of those who got it or for all of them. Either Button or
// TemplateCard is set.
type CardUpdate struct {
	UserIDs       []string          `json:"userids,omitempty"`
	PartyIDs      []int             `json:"partyids,omitempty"`
	TagIDs        []int             `json:"tagids,omitempty"`
	AtAll         int               `json:"atall,omitempty"` // 1: everybody who got it
	ResponseCode  string            `json:"response_code"`   // from the Receipt, or from the event of a tap; works once, within 72 hours
	EnableIDTrans int               `json:"enable_id_trans,omitempty"`
	Button        *CardUpdateButton `json:"button,omitempty"` // greys the button
	TemplateCard  *UpdatedCard      `json:"template_card,omitempty"`
}

// CardUpdateButton is what a button says once it cannot be used any more.
type CardUpdateButton struct {
	ReplaceName string `json:"replace_name"`
	TaskID      string `json:"task_id,omitempty"`
}

func (u *CardUpdate) recipients() []string {
	list := slices.Concat(names("", u.UserIDs), names(party, u.PartyIDs), names(tag, u.TagIDs))
	if u.AtAll == 1 {
		list = append(list, All)
	}
	return list
}

// CardUpdateReceipt names whose card could not be changed.
type CardUpdateReceipt struct {
	InvalidUser []string `json:"invaliduser"`
}

var updateTemplateCard = wechat.Endpoint[CardUpdate, CardUpdateReceipt]{
	Name: "UpdateTemplateCard", Pattern: "POST /cgi-bin/message/update_template_card",
	Effect:  wechat.EffectSet,
	Const:   map[string]string{"agentid": wechat.ConstAgentID},
	To:      (*CardUpdate).recipients,
	Partial: func(r *CardUpdateReceipt) []string { return r.InvalidUser },
}

// UpdateTemplateCard greys the button of a card that was sent, or puts another card in its place. A ResponseCode works
// once: after a reply that was lost, 60140 means that the change has been made.
//
// Errors: 60140 the code is used or older than 72 hours, 42015 the card is another app's, 82101 there is nobody left to
// change it for.
//
// Official page: https://developer.work.weixin.qq.com/document/path/94888
func (c *Client) UpdateTemplateCard(ctx context.Context, r *CardUpdate) (*CardUpdateReceipt, error) {
	return updateTemplateCard.Do(ctx, c.caller, r)
}

// RecallRequest names a message.
type RecallRequest struct {
	MsgID string `json:"msgid"` // Receipt.MsgID
}

var recallMessage = wechat.Endpoint[RecallRequest, wechat.None]{
	Name: "RecallMessage", Pattern: "POST /cgi-bin/message/recall",
	Effect: wechat.EffectSet,
}

// RecallMessage takes back a message of the last 24 hours (42052: it is older). It goes from WeCom's own client, not
// from the plug-in in WeChat.
//
// Official page: https://developer.work.weixin.qq.com/document/path/94867
func (c *Client) RecallMessage(ctx context.Context, r *RecallRequest) error {
	return recallMessage.Exec(ctx, c.caller, r)
}

// MessageStatisticsRequest names a day.
type MessageStatisticsRequest struct {
	TimeType int `json:"time_type,omitempty"` // 0: today; 1: yesterday
}

// MessageStatistics counts messages by app.
type MessageStatistics struct {
	Statistics []struct {
		AgentID int    `json:"agentid"`
		AppName string `json:"app_name"`
		Count   int    `json:"count"` // members reached, each counted once a message
	} `json:"statistics"`
}

var getMessageStatistics = wechat.Endpoint[MessageStatisticsRequest, MessageStatistics]{
	Name: "GetMessageStatistics", Pattern: "POST /cgi-bin/message/get_statistics",
	Effect: wechat.EffectRead,
}

// GetMessageStatistics counts the messages that apps have sent today or yesterday.
func (c *Client) GetMessageStatistics(ctx context.Context, r *MessageStatisticsRequest) (*MessageStatistics, error) {
	return getMessageStatistics.Do(ctx, c.caller, r)
}

// TaskCardUpdate marks a TaskCard as done.
type TaskCardUpdate struct {
	UserIDs     []string `json:"userids"`
	TaskID      string   `json:"task_id"`
	ReplaceName string   `json:"replace_name"` // what the button says then
}

var updateTaskCard = wechat.Endpoint[TaskCardUpdate, CardUpdateReceipt]{
	Name: "UpdateTaskCard", Pattern: "POST /cgi-bin/message/update_taskcard",
	Effect:  wechat.EffectSet,
	Const:   map[string]string{"agentid": wechat.ConstAgentID},
	To:      func(u *TaskCardUpdate) []string { return names("", u.UserIDs) },
	Partial: func(r *CardUpdateReceipt) []string { return r.InvalidUser },
}

// UpdateTaskCard marks a TaskCard as done. New programs send a TemplateCard and call UpdateTemplateCard.
func (c *Client) UpdateTaskCard(ctx context.Context, r *TaskCardUpdate) (*CardUpdateReceipt, error) {
	return updateTaskCard.Do(ctx, c.caller, r)
}

// SchoolMessage is a notice of a school to parents and students.
type SchoolMessage struct {
	RecvScope              int                `json:"recv_scope,omitempty"`        // 0: parents; 1: students; 2: both
	ToParentUserID         []string           `json:"to_parent_userid,omitempty"`  // at most 1000
	ToStudentUserID        []string           `json:"to_student_userid,omitempty"` // at most 1000
	ToParty                []string           `json:"to_party,omitempty"`          // at most 100
	ToAll                  int                `json:"toall,omitempty"`             // 1: everybody of RecvScope
	MsgType                MsgType            `json:"msgtype"`
	EnableIDTrans          int                `json:"enable_id_trans,omitempty"`
	EnableDuplicateCheck   int                `json:"enable_duplicate_check,omitempty"`   // as in Message
	DuplicateCheckInterval int                `json:"duplicate_check_interval,omitempty"` // seconds, at most 14400; 0: 1800
	Text                   *Text              `json:"text,omitempty"`
	Image                  *Media             `json:"image,omitempty"`
	Voice                  *Media             `json:"voice,omitempty"`
	Video                  *Video             `json:"video,omitempty"`
	File                   *Media             `json:"file,omitempty"`
	News                   *LinkNews          `json:"news,omitempty"`
	MPNews                 *MPNews            `json:"mpnews,omitempty"`
	MiniProgram            *SchoolMiniProgram `json:"miniprogram,omitempty"`
}

// LinkNews is one to eight articles that open pages elsewhere.
type LinkNews struct {
	Articles []LinkArticle `json:"articles"`
}

// LinkArticle is an article of LinkNews.
type LinkArticle struct {
	Title       string `json:"title"`                 // cut at 128 bytes
	Description string `json:"description,omitempty"` // cut at 512 bytes
	URL         string `json:"url"`
	PicURL      string `json:"picurl,omitempty"` // jpg or png, best 1068*455 large and 150*150 small
}

// SchoolMiniProgram is a mini program in a SchoolMessage.
type SchoolMiniProgram struct {
	AppID        string `json:"appid"`
	Title        string `json:"title,omitempty"`
	ThumbMediaID string `json:"thumb_media_id"` // a picture that UploadMedia has stored
	PagePath     string `json:"pagepath"`
}

func (m *SchoolMessage) recipients() []string {
	list := slices.Concat(names("", m.ToParentUserID), names("", m.ToStudentUserID), names(party, m.ToParty))
	if m.ToAll == 1 {
		list = append(list, All)
	}
	return list
}

// SchoolReceipt names whom a SchoolMessage did not reach.
type SchoolReceipt struct {
	InvalidParentUserID  []string `json:"invalid_parent_userid"`
	InvalidStudentUserID []string `json:"invalid_student_userid"`
	InvalidParty         []string `json:"invalid_party"`
}

var sendSchoolMessage = wechat.Endpoint[SchoolMessage, SchoolReceipt]{
	Name: "SendSchoolMessage", Pattern: "POST /cgi-bin/externalcontact/message/send",
	Effect: wechat.EffectSend,
	Const:  map[string]string{"agentid": wechat.ConstAgentID},
	To:     (*SchoolMessage).recipients,
	Dedupes: func(m *SchoolMessage) time.Duration {
		return dedupeFor(m.EnableDuplicateCheck, m.DuplicateCheckInterval)
	},
	Partial: func(r *SchoolReceipt) []string {
		return slices.Concat(r.InvalidParentUserID, r.InvalidStudentUserID, names(party, r.InvalidParty))
	},
}

// SendSchoolMessage sends a notice to parents and students. As with SendMessage, those whom it did not reach stand in a
// reply without an error.
//
// Official page: https://developer.work.weixin.qq.com/document/path/91609
func (c *Client) SendSchoolMessage(ctx context.Context, m *SchoolMessage) (*SchoolReceipt, error) {
	return sendSchoolMessage.Do(ctx, c.caller, m)
}
