// Package miniprogram calls the server API of mini programs (小程序): sign-in, subscription messages, codes, content
// checks and what belongs to them. It also verifies and decrypts what the client side sends of its user.
package miniprogram

import (
	"context"
	"time"

	"github.com/seed175cf469/wechat"
)

//go:generate go run ../internal/gen

var product = wechat.Product{Name: "miniprogram", BaseURL: "https://api.weixin.qq.com", Token: fetchToken}

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
