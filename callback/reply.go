package callback

import (
	"errors"
	"reflect"
	"time"
)

// Reply is what a push is answered with: one of the types of this package. Nil is no reply: the platform is told
// success, and the person sees nothing.
type Reply interface {
	// body is the clear answer to a push; nil: there is nothing to say.
	body(h *Header, f format) ([]byte, error)
	// fits reports whether an account can be answered so.
	fits(p Product) bool
}

// errIncomplete ends an answer that would show a fault of the service to the person.
var errIncomplete = errors.New("a field that the reply needs is empty")

// passive renders the replies that have the shape of a message.
func passive(h *Header, f format, msgType string, complete bool, reply any) ([]byte, error) {
	if !complete {
		return nil, errIncomplete
	}
	head := Header{ToUserName: h.FromUserName, FromUserName: h.ToUserName, CreateTime: time.Now().Unix(), MsgType: msgType}
	return write(append(encode(reflect.ValueOf(head), f), encode(reflect.ValueOf(reply), f)...), f), nil
}

// people is what can be answered with a message. Mini programs can only hand over to customer service.
func people(p Product) bool {
	return p == OfficialAccount || p == Platform || p == Work || p == SuiteData
}

// TextReply answers with a text. An empty one is no reply.
type TextReply struct{ Content string }

func (TextReply) fits(p Product) bool { return people(p) }
func (r TextReply) body(h *Header, f format) ([]byte, error) {
	if r.Content == "" {
		return nil, nil
	}
	return passive(h, f, "text", true, r)
}

// ImageReply answers with a picture.
type ImageReply struct {
	MediaID string `wx:"Image>MediaId"`
}

func (ImageReply) fits(p Product) bool { return people(p) }
func (r ImageReply) body(h *Header, f format) ([]byte, error) {
	return passive(h, f, "image", r.MediaID != "", r)
}

// VoiceReply answers with a recording.
type VoiceReply struct {
	MediaID string `wx:"Voice>MediaId"`
}

func (VoiceReply) fits(p Product) bool { return people(p) }
func (r VoiceReply) body(h *Header, f format) ([]byte, error) {
	return passive(h, f, "voice", r.MediaID != "", r)
}

// VideoReply answers with a video.
type VideoReply struct {
	MediaID     string `wx:"Video>MediaId"`
	Title       string `wx:"Video>Title"`
	Description string `wx:"Video>Description"`
}

func (VideoReply) fits(p Product) bool { return people(p) }
func (r VideoReply) body(h *Header, f format) ([]byte, error) {
	return passive(h, f, "video", r.MediaID != "", r)
}

// MusicReply answers with music. Official accounts only.
type MusicReply struct {
	Title        string `wx:"Music>Title"`
	Description  string `wx:"Music>Description"`
	MusicURL     string `wx:"Music>MusicUrl"`
	HQMusicURL   string `wx:"Music>HQMusicUrl"`
	ThumbMediaID string `wx:"Music>ThumbMediaId"` // required
}

func (MusicReply) fits(p Product) bool { return p == OfficialAccount || p == Platform }
func (r MusicReply) body(h *Header, f format) ([]byte, error) {
	return passive(h, f, "music", r.ThumbMediaID != "", r)
}

// NewsReply answers with articles: one on official accounts, up to eight on WeCom.
type NewsReply struct{ Articles []Article }

// Article is an article of a NewsReply.
type Article struct {
	Title       string
	Description string
	PicURL      string `wx:"PicUrl"`
	URL         string `wx:"Url"`
}

func (NewsReply) fits(p Product) bool { return people(p) }
func (r NewsReply) body(h *Header, f format) ([]byte, error) {
	const most = 8
	return passive(h, f, "news", len(r.Articles) > 0 && len(r.Articles) <= most, struct {
		ArticleCount int
		Articles     []Article `wx:"Articles>item"`
	}{len(r.Articles), r.Articles})
}

// TransferReply hands the person over to customer service, of official accounts and mini programs.
type TransferReply struct {
	KfAccount string `wx:"TransInfo>KfAccount"` // ""; anybody
}

func (TransferReply) fits(p Product) bool {
	return p == OfficialAccount || p == MiniProgram || p == Platform
}
func (r TransferReply) body(h *Header, f format) ([]byte, error) {
	return passive(h, f, "transfer_customer_service", true, r)
}

// ResultReply answers pushes that ask for a result, such as those of virtual payment. The zero value is success.
type ResultReply struct {
	ErrCode int
	ErrMsg  string
}

func (ResultReply) fits(p Product) bool { return p != Bot && p != Suite }
func (r ResultReply) body(_ *Header, f format) ([]byte, error) {
	kids := []node{scalar(reflect.ValueOf(r.ErrCode)), scalar(reflect.ValueOf(r.ErrMsg))}
	kids[0].name, kids[1].name = "ErrCode", "ErrMsg"
	return write(kids, f), nil
}

// RawReply answers with bytes as they are, encrypted where the account encrypts: XML or JSON as the push came.
type RawReply []byte

func (RawReply) fits(Product) bool                      { return true }
func (r RawReply) body(*Header, format) ([]byte, error) { return r, nil }

// UpdateButtonReply changes the text of the button that was clicked on a template card. WeCom.
type UpdateButtonReply struct {
	ReplaceName string `wx:"Button>ReplaceName"`
}

func (UpdateButtonReply) fits(p Product) bool { return p == Work || p == SuiteData }
func (r UpdateButtonReply) body(h *Header, f format) ([]byte, error) {
	return passive(h, f, "update_button", r.ReplaceName != "", r)
}

// UpdateTaskCardReply changes the text of the button that was clicked on a task card. WeCom.
type UpdateTaskCardReply struct {
	ReplaceName string `wx:"TaskCard>ReplaceName"`
}

func (UpdateTaskCardReply) fits(p Product) bool { return p == Work || p == SuiteData }
func (r UpdateTaskCardReply) body(h *Header, f format) ([]byte, error) {
	return passive(h, f, "update_taskcard", r.ReplaceName != "", r)
}

// UpdateTemplateCardReply puts another card in place of the one that was clicked. WeCom.
type UpdateTemplateCardReply struct{ TemplateCard TemplateCard }

func (UpdateTemplateCardReply) fits(p Product) bool { return p == Work || p == SuiteData }
func (r UpdateTemplateCardReply) body(h *Header, f format) ([]byte, error) {
	return passive(h, f, "update_template_card", r.TemplateCard.CardType != "", r)
}

// TemplateCard is a card as a passive reply has it. Which fields count depends on CardType: text_notice, news_notice,
// button_interaction, vote_interaction, multiple_interaction.
// https://developer.work.weixin.qq.com/document/path/90241
type TemplateCard struct {
	CardType              string
	Source                CardSource
	ActionMenu            CardActionMenu
	MainTitle             CardTitle
	SubTitleText          string
	QuoteArea             CardQuote
	EmphasisContent       CardTitle
	HorizontalContentList []CardLine
	VerticalContentList   []CardTitle
	JumpList              []CardJump
	CardAction            CardJump
	CardImage             CardImage
	ImageTextArea         CardImageText
	ButtonSelection       CardSelect
	ButtonList            []CardButton
	CheckBox              CardCheckBox
	SelectList            []CardSelect
	SubmitButton          CardButton
	ReplaceText           string
}

// CardSource is where a card comes from.
type CardSource struct {
	IconURL   string `wx:"IconUrl"`
	Desc      string
	DescColor int64
}

// CardActionMenu is the menu in the corner.
type CardActionMenu struct {
	Desc       string
	ActionList []CardButton
}

// CardTitle is a title with a text below.
type CardTitle struct {
	Title string
	Desc  string
}

// CardQuote is a quotation.
type CardQuote struct {
	Type      int64
	URL       string `wx:"Url"`
	AppID     string `wx:"AppId"`
	PagePath  string
	Title     string
	QuoteText string
}

// CardLine is a line of two columns.
type CardLine struct {
	KeyName string
	Value   string
	Type    int64  // 0 text, 1 link, 2 file, 3 member
	URL     string `wx:"Url"`
	MediaID string `wx:"MediaId"`
	UserID  string `wx:"UserId"`
}

// CardJump leads to a page or a mini program.
type CardJump struct {
	Type     int64 // 0 nowhere, 1 page, 2 mini program
	Title    string
	URL      string `wx:"Url"`
	AppID    string `wx:"AppId"`
	PagePath string
}

// CardImage is a picture.
type CardImage struct {
	URL         string `wx:"Url"`
	AspectRatio float64
}

// CardImageText is a small picture beside a text.
type CardImageText struct {
	Type     int64
	URL      string `wx:"Url"`
	AppID    string `wx:"AppId"`
	PagePath string
	Title    string
	Desc     string
	ImageURL string `wx:"ImageUrl"`
}

// CardButton is a button or an item of a menu.
type CardButton struct {
	Text  string
	Style int64
	Key   string
}

// CardSelect is a list to choose from.
type CardSelect struct {
	QuestionKey string
	Title       string
	SelectedID  string `wx:"SelectedId"`
	Disable     bool
	OptionList  []CardOption
}

// CardCheckBox is a question.
type CardCheckBox struct {
	QuestionKey string
	Mode        int64 // 0 one answer, 1 several
	Disable     bool
	OptionList  []CardOption
}

// CardOption is an answer.
type CardOption struct {
	ID        string `wx:"Id"`
	Text      string
	IsChecked bool
}
