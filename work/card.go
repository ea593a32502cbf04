package work

// CardType is the layout of a template card.
type CardType string

// The layouts. Robots have the first two only; the last three are interactive and need a callback URL.
const (
	CardTextNotice          CardType = "text_notice"          // CardAction, and a title or SubTitleText
	CardNewsNotice          CardType = "news_notice"          // a title, CardAction, and CardImage or ImageTextArea
	CardButtonInteraction   CardType = "button_interaction"   // a title, TaskID and up to 6 of ButtonList
	CardVoteInteraction     CardType = "vote_interaction"     // a title, TaskID, CheckBox and SubmitButton
	CardMultipleInteraction CardType = "multiple_interaction" // a title, TaskID, up to 3 of SelectList and SubmitButton
)

// TemplateCard is a template card of an app (模板卡片). Which parts it needs depends on CardType.
type TemplateCard struct {
	CardType   CardType    `json:"card_type"`
	Source     *CardSource `json:"source,omitempty"`
	ActionMenu *CardMenu   `json:"action_menu,omitempty"` // needs TaskID
	// TaskID names the card, once for an app: letters, digits, "_-@", at most 128 bytes.
	TaskID                string                  `json:"task_id,omitempty"`
	MainTitle             *CardTitle              `json:"main_title,omitempty"`
	QuoteArea             *CardQuote              `json:"quote_area,omitempty"`
	EmphasisContent       *CardTitle              `json:"emphasis_content,omitempty"` // the one number that matters
	SubTitleText          string                  `json:"sub_title_text,omitempty"`
	ImageTextArea         *CardImageText          `json:"image_text_area,omitempty"`
	CardImage             *CardImage              `json:"card_image,omitempty"`
	VerticalContentList   []CardVerticalContent   `json:"vertical_content_list,omitempty"`   // at most 4
	HorizontalContentList []CardHorizontalContent `json:"horizontal_content_list,omitempty"` // at most 6
	JumpList              []CardJump              `json:"jump_list,omitempty"`               // at most 3
	CardAction            *CardAction             `json:"card_action,omitempty"`
	ButtonSelection       *CardButtonSelection    `json:"button_selection,omitempty"`
	ButtonList            []CardButton            `json:"button_list,omitempty"` // at most 6
	CheckBox              *CardCheckBox           `json:"checkbox,omitempty"`
	SelectList            []CardSelect            `json:"select_list,omitempty"` // at most 3
	SubmitButton          *CardSubmit             `json:"submit_button,omitempty"`
}

// UpdatedCard is a template card that takes the place of one that was sent. It has the parts of a TemplateCard, can
// disable its questions, and ReplaceText greys its button.
type UpdatedCard struct {
	CardType              CardType                `json:"card_type"`
	Source                *CardSource             `json:"source,omitempty"`
	ActionMenu            *CardMenu               `json:"action_menu,omitempty"`
	MainTitle             *CardTitle              `json:"main_title,omitempty"`
	QuoteArea             *CardQuote              `json:"quote_area,omitempty"`
	EmphasisContent       *CardTitle              `json:"emphasis_content,omitempty"`
	SubTitleText          string                  `json:"sub_title_text,omitempty"`
	ImageTextArea         *CardImageText          `json:"image_text_area,omitempty"`
	CardImage             *CardImage              `json:"card_image,omitempty"`
	VerticalContentList   []CardVerticalContent   `json:"vertical_content_list,omitempty"`
	HorizontalContentList []CardHorizontalContent `json:"horizontal_content_list,omitempty"`
	JumpList              []CardJump              `json:"jump_list,omitempty"`
	CardAction            *CardAction             `json:"card_action,omitempty"`
	ButtonSelection       *CardButtonSelection    `json:"button_selection,omitempty"`
	ButtonList            []CardButton            `json:"button_list,omitempty"`
	CheckBox              *UpdatedCheckBox        `json:"checkbox,omitempty"`
	SelectList            []UpdatedSelect         `json:"select_list,omitempty"`
	SubmitButton          *CardSubmit             `json:"submit_button,omitempty"`
	ReplaceText           string                  `json:"replace_text,omitempty"` // what the button says then
}

// WebhookCard is a template card of a robot: CardTextNotice or CardNewsNotice.
type WebhookCard struct {
	CardType              CardType                `json:"card_type"`
	Source                *CardSource             `json:"source,omitempty"`
	MainTitle             CardTitle               `json:"main_title"`
	EmphasisContent       *CardTitle              `json:"emphasis_content,omitempty"`
	QuoteArea             *CardQuote              `json:"quote_area,omitempty"`
	SubTitleText          string                  `json:"sub_title_text,omitempty"`
	CardImage             *CardImage              `json:"card_image,omitempty"`
	ImageTextArea         *CardImageText          `json:"image_text_area,omitempty"`
	VerticalContentList   []CardVerticalContent   `json:"vertical_content_list,omitempty"`   // at most 4
	HorizontalContentList []CardHorizontalContent `json:"horizontal_content_list,omitempty"` // at most 6
	JumpList              []CardJump              `json:"jump_list,omitempty"`               // at most 3
	CardAction            WebhookCardAction       `json:"card_action"`
}

// CardJumpType is where a tap leads.
type CardJumpType int

// The types of jumps.
const (
	JumpNowhere     CardJumpType = 0
	JumpURL         CardJumpType = 1 // URL
	JumpMiniProgram CardJumpType = 2 // AppID and PagePath
)

// CardSource tells where a card comes from.
type CardSource struct {
	IconURL   string `json:"icon_url,omitempty"`
	Desc      string `json:"desc,omitempty"`
	DescColor int    `json:"desc_color,omitempty"` // 0 grey, 1 black, 2 red, 3 green
}

// CardMenu is the menu in the corner of a card.
type CardMenu struct {
	Desc       string           `json:"desc,omitempty"`
	ActionList []CardMenuAction `json:"action_list"` // 1 to 3
}

// CardMenuAction is an entry of a CardMenu.
type CardMenuAction struct {
	Text string `json:"text"`
	Key  string `json:"key"` // comes back in the event
}

// CardTitle is a title and what stands below it.
type CardTitle struct {
	Title string `json:"title,omitempty"`
	Desc  string `json:"desc,omitempty"`
}

// CardQuote is a quotation.
type CardQuote struct {
	Type      CardJumpType `json:"type,omitempty"`
	URL       string       `json:"url,omitempty"`
	AppID     string       `json:"appid,omitempty"`
	PagePath  string       `json:"pagepath,omitempty"`
	Title     string       `json:"title,omitempty"`
	QuoteText string       `json:"quote_text,omitempty"`
}

// CardImageText is a picture with text beside it.
type CardImageText struct {
	Type     CardJumpType `json:"type,omitempty"`
	URL      string       `json:"url,omitempty"`
	AppID    string       `json:"appid,omitempty"`
	PagePath string       `json:"pagepath,omitempty"`
	Title    string       `json:"title,omitempty"`
	Desc     string       `json:"desc,omitempty"`
	ImageURL string       `json:"image_url"`
}

// CardImage is the picture of a card.
type CardImage struct {
	URL         string  `json:"url"`
	AspectRatio float64 `json:"aspect_ratio,omitempty"` // width to height, 1.3 to 2.25; 0: 1.3
}

// CardVerticalContent is a paragraph of a card.
type CardVerticalContent struct {
	Title string `json:"title"`
	Desc  string `json:"desc,omitempty"`
}

// CardContentType is what a tap on a CardHorizontalContent opens.
type CardContentType int

// The types of contents.
const (
	ContentText   CardContentType = 0 // nothing
	ContentURL    CardContentType = 1 // URL
	ContentFile   CardContentType = 2 // MediaID
	ContentMember CardContentType = 3 // UserID
)

// CardHorizontalContent is a line of a card: a key and a value.
type CardHorizontalContent struct {
	Type    CardContentType `json:"type,omitempty"`
	KeyName string          `json:"keyname"`
	Value   string          `json:"value,omitempty"`
	URL     string          `json:"url,omitempty"`
	MediaID string          `json:"media_id,omitempty"`
	UserID  string          `json:"userid,omitempty"`
}

// CardJump is a link at the foot of a card.
type CardJump struct {
	Type     CardJumpType `json:"type,omitempty"`
	Title    string       `json:"title"`
	URL      string       `json:"url,omitempty"`
	AppID    string       `json:"appid,omitempty"`
	PagePath string       `json:"pagepath,omitempty"`
}

// CardAction is what a tap on a card opens.
type CardAction struct {
	Type     CardJumpType `json:"type,omitempty"`
	URL      string       `json:"url,omitempty"`
	AppID    string       `json:"appid,omitempty"`
	PagePath string       `json:"pagepath,omitempty"`
}

// WebhookCardAction is what a tap on a robot's card opens: JumpURL or JumpMiniProgram.
type WebhookCardAction struct {
	Type     CardJumpType `json:"type"`
	URL      string       `json:"url,omitempty"`
	AppID    string       `json:"appid,omitempty"`
	PagePath string       `json:"pagepath,omitempty"`
}

// CardOption is a choice of a list.
type CardOption struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// CardButtonSelection is a list above the buttons of a card.
type CardButtonSelection struct {
	QuestionKey string       `json:"question_key"` // comes back in the event
	Title       string       `json:"title,omitempty"`
	OptionList  []CardOption `json:"option_list"` // at most 10
	SelectedID  string       `json:"selected_id,omitempty"`
}

// CardButton is a button of a card.
type CardButton struct {
	Type  int    `json:"type,omitempty"` // 0: an event with Key; 1: opens URL
	Text  string `json:"text"`
	Style int    `json:"style,omitempty"` // 1 (the default) to 4
	Key   string `json:"key,omitempty"`
	URL   string `json:"url,omitempty"`
}

// CardCheckBox is the question of a vote.
type CardCheckBox struct {
	QuestionKey string            `json:"question_key"`   // comes back in the event
	Mode        int               `json:"mode,omitempty"` // 0: one choice; 1: several
	OptionList  []CardCheckOption `json:"option_list"`    // 1 to 20
}

// CardCheckOption is a choice of a vote.
type CardCheckOption struct {
	ID        string `json:"id"`
	Text      string `json:"text"`
	IsChecked bool   `json:"is_checked"`
}

// UpdatedCheckBox is the question of a vote after it was answered.
type UpdatedCheckBox struct {
	QuestionKey string               `json:"question_key"`
	Disable     bool                 `json:"disable,omitempty"`
	Mode        int                  `json:"mode,omitempty"`
	OptionList  []UpdatedCheckOption `json:"option_list"`
}

// UpdatedCheckOption is a choice of a vote after it was answered.
type UpdatedCheckOption struct {
	ID        string `json:"id"`
	Text      string `json:"text"`
	IsChecked bool   `json:"is_checked"`
	Disable   bool   `json:"disable,omitempty"`
}

// CardSelect is one of several questions, each with one choice.
type CardSelect struct {
	QuestionKey string       `json:"question_key"` // comes back in the event
	Title       string       `json:"title,omitempty"`
	SelectedID  string       `json:"selected_id,omitempty"`
	OptionList  []CardOption `json:"option_list"` // 1 to 10
}

// UpdatedSelect is a CardSelect after it was answered.
type UpdatedSelect struct {
	QuestionKey string       `json:"question_key"`
	Title       string       `json:"title,omitempty"`
	SelectedID  string       `json:"selected_id,omitempty"`
	Disable     bool         `json:"disable,omitempty"`
	OptionList  []CardOption `json:"option_list"`
}

// CardSubmit is the button that sends the answers.
type CardSubmit struct {
	Text string `json:"text"`
	Key  string `json:"key"` // comes back in the event
}
