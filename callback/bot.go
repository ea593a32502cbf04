package callback

import (
	"cmp"
	"crypto/rand"
	"strings"
)

// BotHeader is what pushes to an AI bot (智能机器人) have in common. Its Header is filled in from it: FromUserName is
// the member, ToUserName the bot, Event the eventtype.
type BotHeader struct {
	Header      `wx:"-"`
	MsgID       string  `wx:"msgid"`
	CreateTime  int64   `wx:"create_time"`
	AIBotID     string  `wx:"aibotid"`
	ChatID      string  `wx:"chatid"`   // of a group
	ChatType    string  `wx:"chattype"` // single, group
	From        BotUser `wx:"from"`
	ResponseURL string  `wx:"response_url"` // for one answer later
	MsgType     string  `wx:"msgtype"`
	EventType   string  `wx:"event>eventtype"`
}

// BotUser is who talks to a bot.
type BotUser struct {
	CorpID string `wx:"corpid"`
	UserID string `wx:"userid"`
}

// adopt fills in the Header.
func (b *BotHeader) adopt() {
	b.Header = Header{
		ToUserName: b.AIBotID, FromUserName: b.From.UserID, CreateTime: b.CreateTime, MsgType: b.MsgType, Event: b.EventType,
	}
}

func (b *BotHeader) complete(key string, now int64) {
	name, event, _ := strings.Cut(strings.TrimPrefix(key, botPrefix), "/")
	b.MsgType, b.EventType = cmp.Or(b.MsgType, name), cmp.Or(b.EventType, event)
	b.MsgID = cmp.Or(b.MsgID, rand.Text())
	b.CreateTime = cmp.Or(b.CreateTime, now)
}

// BotText is a text for a bot.
type BotText struct {
	BotHeader
	Text  BotTextContent `wx:"text"`
	Quote *BotQuote      `wx:"quote"` // the message that is answered
}

// BotTextContent is a text, or what was said.
type BotTextContent struct {
	Content string `wx:"content"`
}

// BotURL is where a picture or a file can be got for five minutes, encrypted with the bot's EncodingAESKey.
type BotURL struct {
	URL string `wx:"url"`
}

// BotQuote is a message that another one answers.
type BotQuote struct {
	MsgType string          `wx:"msgtype"`
	Text    *BotTextContent `wx:"text"`
	Image   *BotURL         `wx:"image"`
	Mixed   *BotMixedItems  `wx:"mixed"`
	Voice   *BotTextContent `wx:"voice"`
	File    *BotURL         `wx:"file"`
}

// BotImage is a picture for a bot.
type BotImage struct {
	BotHeader
	Image BotURL `wx:"image"`
}

// BotMixed is texts and pictures for a bot.
type BotMixed struct {
	BotHeader
	Mixed BotMixedItems `wx:"mixed"`
	Quote *BotQuote     `wx:"quote"`
}

// BotMixedItems are the parts of a BotMixed.
type BotMixedItems struct {
	MsgItem []BotMixedItem `wx:"msg_item"`
}

// BotMixedItem is a text or a picture.
type BotMixedItem struct {
	MsgType string          `wx:"msgtype"`
	Text    *BotTextContent `wx:"text"`
	Image   *BotURL         `wx:"image"`
}

// BotVoice is a recording for a bot, as text.
type BotVoice struct {
	BotHeader
	Voice BotTextContent `wx:"voice"`
}

// BotFile is a file for a bot.
type BotFile struct {
	BotHeader
	File BotURL `wx:"file"`
}

// BotStream asks for what has become of a stream; it is answered with a BotStreamReply of the same ID.
type BotStream struct {
	BotHeader
	Stream BotStreamID `wx:"stream"`
}

// BotStreamID names a stream.
type BotStreamID struct {
	ID string `wx:"id"`
}

// BotEnterChat says that somebody opened the conversation for the first time today; it may be answered with a welcome.
type BotEnterChat struct{ BotHeader }

// BotTemplateCardEvent says that a card was clicked; a BotUpdateCardReply changes it.
type BotTemplateCardEvent struct {
	BotHeader
	Card BotCardClick `wx:"event>template_card_event"`
}

// BotCardClick is what was clicked.
type BotCardClick struct {
	CardType      string            `wx:"card_type"`
	EventKey      string            `wx:"event_key"`
	TaskID        string            `wx:"task_id"`
	SelectedItems []BotSelectedItem `wx:"selected_items>selected_item"`
}

// BotSelectedItem is a question and its answers.
type BotSelectedItem struct {
	QuestionKey string   `wx:"question_key"`
	OptionIDs   []string `wx:"option_ids>option_id"`
}

// BotFeedbackEvent is what somebody thinks of an answer.
type BotFeedbackEvent struct {
	BotHeader
	Feedback BotOpinion `wx:"event>feedback_event"`
}

// BotOpinion is an opinion on the answer with the feedback ID.
type BotOpinion struct {
	ID                   string  `wx:"id"`
	Type                 int64   `wx:"type"` // 1 accurate, 2 inaccurate, 3 taken back
	Content              string  `wx:"content"`
	InaccurateReasonList []int64 `wx:"inaccurate_reason_list"`
}

func botKinds() []kind {
	return []kind{
		of[BotText]("bot/text"), of[BotImage]("bot/image"), of[BotMixed]("bot/mixed"), of[BotVoice]("bot/voice"),
		of[BotFile]("bot/file"), of[BotStream]("bot/stream"), of[BotEnterChat]("bot/event/enter_chat"),
		of[BotTemplateCardEvent]("bot/event/template_card_event"), of[BotFeedbackEvent]("bot/event/feedback_event"),
	}
}
