// Package work calls the server API of WeCom (企业微信): messages of apps, group robots, contacts, media and what
// belongs to them.
//
//	app := work.New(wechat.New(), wechat.App{ID: "ww...", Secret: "...", AgentID: 1000002})
//	receipt, err := app.SendMessage(ctx, work.TextMessage("zhangsan", "Lunch is ready."))
//
// # Apps
//
// Each app of a company has a secret of its own, and so have the contacts and other parts of the system: make a Client
// for each. The token of one is refused by the calls of another (301002, 48002).
//
// # Ids
//
// A userid is the same in upper and lower case, and replies may have it in lower case. Where the API joins ids into one
// text with "|", JoinIDs and SplitIDs do so.
//
// # Sends
//
// Of a message to many, those who could not be reached are named in the reply of a call that succeeds. What exceeds 30
// messages a minute or 1,000 an hour to one member is dropped by the server without a word, so that the client waits for
// each member's turn. Nothing makes a message safe to repeat but Message.EnableDuplicateCheck.
package work

import (
	"context"
	"time"

	"github.com/seed175cf469/wechat"
)

//go:generate go run ../internal/gen

var product = wechat.Product{
	Name:    "work",
	BaseURL: "https://qyapi.weixin.qq.com",
	Token:   fetchToken,
}

// Client calls the API for one app of a company. It is safe for concurrent use and cheap to make.
type Client struct {
	caller  wechat.Caller
	corpID  string // for signatures, which are made without a call
	agentID int64
}

// New returns a Client that makes the calls of app through c: a *wechat.Client, or in tests a mock. App.ID is the
// CorpID; App.AgentID is needed by calls that concern the app itself, such as SendMessage.
func New(c wechat.Caller, app wechat.App) *Client {
	return &Client{caller: wechat.Bind(c, &product, app), corpID: app.ID, agentID: app.AgentID}
}

// fetchToken gets an access token with the app's secret. The server hands out the same token while it lives, so there
// is nothing to force.
func fetchToken(ctx context.Context, c wechat.Caller, _ wechat.App, _ bool) (wechat.Token, error) {
	asked := time.Now() // the token may have lived a while when the reply is here
	token, err := getAccessToken.Do(ctx, c, nil)
	if err != nil {
		return wechat.Token{}, err
	}
	return wechat.NewToken(token.AccessToken, int64(token.ExpiresIn), asked), nil
}
