// Package officialaccount calls the server API of official accounts (公众号): service accounts (服务号) and
// subscription accounts (订阅号).
//
//	oa := officialaccount.New(wechat.New(), wechat.App{ID: "wx...", Secret: "..."})
//	receipt, err := oa.SendTemplateMessage(ctx, &officialaccount.TemplateMessage{
//		ToUser:     "openid",
//		TemplateID: "template",
//		Data:       map[string]officialaccount.TemplateValue{"thing1": {Value: "Paid"}},
//	})
//
// # Calls
//
// Each call of the API is a method of Client, named as in the documentation. It takes a context and a request, and
// returns a reply or an error; calls that ask nothing take no request, and those that answer no more than success
// return only an error. What the App knows (app id, secret) and what has one value only (grant_type) is filled in.
//
// Lists come in pages: ListX returns one of them as the API has it, AllX walks all pages.
//
// # Requests and replies
//
// The types have the names and the shape of the API's JSON. A field without omitempty in its tag is required by
// the API. Times are Unix seconds and money is in cents (分) unless a field says otherwise. The texts of a message
// are sent as they are, so that <a href="..."> and & arrive unharmed.
//
// # Errors
//
// A refusal is a *wechat.Error with the errcode. Which codes matter to the caller of a method stands in its comment;
// errors.Is(err, wechat.Code(43004)) finds one, errors.Is(err, wechat.ErrUnreachable) all of a kind.
//
// # Quotas
//
// Daily quotas differ by account and are not counted here: GetAPIQuota reads one, the server's refusal closes the
// endpoint until midnight UTC+8, and App.Limits can set any. Limits that hold for every account, as of template
// messages to one person, are kept by the client itself.
package officialaccount

import (
	"context"
	"time"

	"github.com/seed175cf469/wechat"
)

//go:generate go run ../internal/gen

var product = wechat.Product{
	Name:     "officialaccount",
	BaseURL:  "https://api.weixin.qq.com",
	Token:    fetchToken,
	Forcible: true,
	Quota:    fetchQuota,
}

// Client calls the API for one account. It is safe for concurrent use and cheap to make.
type Client struct {
	caller wechat.Caller
	appID  string // for what is made without a call: links and signatures
}

// New returns a Client that makes the calls of app through c: a *wechat.Client, or in tests a mock.
func New(c wechat.Caller, app wechat.App) *Client {
	return &Client{caller: wechat.Bind(c, &product, app), appID: app.ID}
}

// fetchToken gets an access token with the app's secret. c is bound to the app already.
func fetchToken(ctx context.Context, c wechat.Caller, app wechat.App, force bool) (wechat.Token, error) {
	var (
		oa    = &Client{caller: c, appID: app.ID}
		asked = time.Now() // the token may have lived a while when the reply is here
		token *AccessToken
		err   error
	)
	if app.Classic {
		token, err = oa.GetAccessToken(ctx)
	} else {
		token, err = oa.GetStableAccessToken(ctx, &StableAccessTokenRequest{ForceRefresh: force})
	}
	if err != nil {
		return wechat.Token{}, err
	}
	return wechat.NewToken(token.AccessToken, int64(token.ExpiresIn), asked), nil
}
