package officialaccount

import (
	"context"

	"github.com/seed175cf469/wechat"
)

// AutoReply is what the account answers by itself.
type AutoReply struct {
	Type    string `json:"type"`    // "text", "img", "voice" or "video"; for keywords "news" too
	Content string `json:"content"` // a text, or a media id that differs each time
}

// KeywordReply is an AutoReply that can be articles.
type KeywordReply struct {
	AutoReply
	NewsInfo NewsInfo `json:"news_info"`
}

// KeywordRule is what the account answers to some words.
type KeywordRule struct {
	RuleName        string `json:"rule_name"`
	CreateTime      int64  `json:"create_time"`
	ReplyMode       string `json:"reply_mode"` // "reply_all": all replies; "random_one": one of them
	KeywordListInfo []struct {
		Type      string `json:"type"`       // "text"
		MatchMode string `json:"match_mode"` // "contain", or "equal"
		Content   string `json:"content"`
	} `json:"keyword_list_info"`
	ReplyListInfo []KeywordReply `json:"reply_list_info"`
}

// GetCurrentAutoReplyInfoReply has the rules of the web console.
type GetCurrentAutoReplyInfoReply struct {
	IsAddFriendReplyOpen        int       `json:"is_add_friend_reply_open"` // 1: new followers are answered
	IsAutoReplyOpen             int       `json:"is_autoreply_open"`        // 1: messages are answered
	AddFriendAutoReplyInfo      AutoReply `json:"add_friend_autoreply_info"`
	MessageDefaultAutoReplyInfo AutoReply `json:"message_default_autoreply_info"`
	KeywordAutoReplyInfo        struct {
		List []KeywordRule `json:"list"`
	} `json:"keyword_autoreply_info"`
}

var getCurrentAutoReplyInfo = wechat.Endpoint[wechat.None, GetCurrentAutoReplyInfoReply]{
	Name: "GetCurrentAutoReplyInfo", Pattern: "GET /cgi-bin/get_current_autoreply_info",
	Effect: wechat.EffectRead,
}

// GetCurrentAutoReplyInfo reads the rules for automatic replies that were set in the web console. Accounts that are not
// verified may call it too.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/notify/autoreplies/api_getcurrentautoreplyinfo.html
func (c *Client) GetCurrentAutoReplyInfo(ctx context.Context) (*GetCurrentAutoReplyInfoReply, error) {
	return getCurrentAutoReplyInfo.Do(ctx, c.caller, nil)
}
