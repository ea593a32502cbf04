// Package miniprogram calls the server API of mini programs (小程序).
//
//	mp := miniprogram.New(wechat.New(), wechat.App{ID: "wx...", Secret: "..."})
//	session, err := mp.Code2Session(ctx, &miniprogram.Code2SessionRequest{JSCode: code})
//
// # Codes that work once
//
// The codes that the client side gets, of wx.login and of the getPhoneNumber button, are used up by the call that takes
// them. Such a call is never repeated when its outcome is unknown (wechat.ErrOutcomeUnknown): a second try would only say
// that the code is used. Let the client side get a new one.
//
// # Session keys
//
// A session key is a secret between the platform and the server. SignSession proves that a program has it without
// showing it, and UserData verifies and decrypts with it what the client side sends of its user.
//
// # Verdicts
//
// A text that must not be published is no error of CheckText; the verdict stands in the reply.
package miniprogram

import (
	"context"
	"time"

	"github.com/seed175cf469/wechat"
)

//go:generate go run ../internal/gen

var product = wechat.Product{
	Name:     "miniprogram",
	BaseURL:  "https://api.weixin.qq.com",
	Token:    fetchToken,
	Forcible: true,
	Quota:    fetchQuota,
}

// Client calls the API for one mini program. It is safe for concurrent use and cheap to make.
type Client struct{ caller wechat.Caller }

// New returns a Client that calls through c, which is usually a [wechat.Client] and in tests a mock. App.ID and
// App.Secret are the mini program's AppID and AppSecret.
func New(c wechat.Caller, app wechat.App) *Client { return &Client{wechat.Bind(c, &product, app)} }

// fetchToken gets the token of app: the stable one, unless App.Classic asks for the other.
func fetchToken(ctx context.Context, c wechat.Caller, app wechat.App, force bool) (wechat.Token, error) {
	asked := time.Now()
	var (
		res *AccessToken
		err error
	)
	if app.Classic {
		res, err = getAccessToken.Do(ctx, c, nil)
	} else {
		res, err = getStableAccessToken.Do(ctx, c, &StableAccessTokenRequest{ForceRefresh: force})
	}
	if err != nil {
		return wechat.Token{}, err
	}
	return wechat.NewToken(res.AccessToken, int64(res.ExpiresIn), asked), nil
}
