package callback

// botBody renders a reply of a bot, which is JSON throughout.
func botBody(complete bool, v any) ([]byte, error) {
	if !complete {
		return nil, errIncomplete
	}
	return marshal(v)
}

// BotTextReply welcomes somebody who opened the conversation. Only a BotEnterChat can be answered so.
type BotTextReply struct{ Content string }

func (BotTextReply) fits(p Product) bool { return p == Bot }
func (r BotTextReply) body(*Header, format) ([]byte, error) {
	type text struct {
		Content string `json:"content"`
	}
	return botBody(r.Content != "", struct {
		MsgType string `json:"msgtype"`
		Text    text   `json:"text"`
	}{"text", text(r)})
}

// BotStreamReply answers with a text that grows. The platform asks for the rest with a BotStream, until Finish.
type BotStreamReply struct {
	ID         string          `json:"id"`                 // the bot's own, of up to 256 bytes
	Finish     bool            `json:"finish"`             // nothing follows
	Content    string          `json:"content,omitempty"`  // all of the text so far, Markdown, up to 20,480 bytes
	MsgItem    []BotStreamItem `json:"msg_item,omitempty"` // pictures, with the last part only
	FeedbackID string          `json:"-"`                  // with the first part: comes back in a BotFeedbackEvent
	Card       any             `json:"-"`                  // a template card below the text, as JSON; nil: none
}

// BotStreamItem is a picture.
type BotStreamItem struct {
	MsgType string         `json:"msgtype"` // image
	Image   BotStreamImage `json:"image"`
}

// BotStreamImage is a JPG or PNG of up to 10 MB.
type BotStreamImage struct {
	Base64 string `json:"base64"`
	MD5    string `json:"md5"`
}

func (BotStreamReply) fits(p Product) bool { return p == Bot }
func (r BotStreamReply) body(*Header, format) ([]byte, error) {
	type feedback struct {
		ID string `json:"id"`
	}
	type stream struct {
		BotStreamReply
		Feedback *feedback `json:"feedback,omitempty"`
	}
	reply := struct {
		MsgType string `json:"msgtype"`
		Stream  stream `json:"stream"`
		Card    any    `json:"template_card,omitempty"`
	}{"stream", stream{BotStreamReply: r}, r.Card}
	if r.Card != nil {
		reply.MsgType = "stream_with_template_card"
	}
	if r.FeedbackID != "" {
		reply.Stream.Feedback = &feedback{r.FeedbackID}
	}
	return botBody(r.ID != "", reply)
}

// BotCardReply answers with a template card.
type BotCardReply struct {
	Card any // as JSON
}

func (BotCardReply) fits(p Product) bool { return p == Bot }
func (r BotCardReply) body(*Header, format) ([]byte, error) {
	return botBody(r.Card != nil, struct {
		MsgType string `json:"msgtype"`
		Card    any    `json:"template_card"`
	}{"template_card", r.Card})
}

// BotUpdateCardReply puts another card in place of the one that was clicked.
type BotUpdateCardReply struct {
	UserIDs []string // whose card; none: everybody's
	Card    any      // as JSON
}

func (BotUpdateCardReply) fits(p Product) bool { return p == Bot }
func (r BotUpdateCardReply) body(*Header, format) ([]byte, error) {
	return botBody(r.Card != nil, struct {
		ResponseType string   `json:"response_type"`
		UserIDs      []string `json:"userids,omitempty"`
		Card         any      `json:"template_card"`
	}{"update_template_card", r.UserIDs, r.Card})
}
