package wechat_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"time"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/ratelimit"
)

// A token centre is one service of a company that fetches the tokens of all its apps. The programs ask it over HTTP
// and say which token the server has refused, so that a hundred of them cause one refresh.
func ExampleTokenSource() {
	centre := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"access_token": "from the centre", "expires_in": 3600})
	}))
	defer centre.Close()

	source := wechat.TokenFunc(func(ctx context.Context, refused wechat.Token) (wechat.Token, error) {
		asked := time.Now()
		form := url.Values{"app": {"wx1"}, "refused": {refused.Value.Reveal()}}
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, centre.URL+"/token?"+form.Encode(), nil)
		if err != nil {
			return wechat.Token{}, err
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			return wechat.Token{}, err
		}
		defer func() { _ = res.Body.Close() }()
		var reply struct {
			AccessToken string `json:"access_token"`
			ExpiresIn   int64  `json:"expires_in"`
		}
		if err := json.NewDecoder(res.Body).Decode(&reply); err != nil {
			return wechat.Token{}, err
		}
		return wechat.NewToken(reply.AccessToken, reply.ExpiresIn, asked), nil
	})

	// In a program: officialaccount.New(client, wechat.App{ID: "wx1", TokenSource: source})
	t, err := source.Token(context.Background(), wechat.Token{})
	fmt.Println(t.Value.Reveal(), err)
	fmt.Println(t.Value)
	http.DefaultClient.CloseIdleConnections()
	// Output:
	// from the centre <nil>
	// REDACTED
}

// What an error means to a program that sends messages.
func ExampleRetryAfter() {
	err := error(&wechat.Error{Kind: wechat.ErrQuotaExhausted, Code: 45009, Endpoint: "SendTemplateMessage", After: 8 * time.Hour})
	switch {
	case errors.Is(err, wechat.ErrOutcomeUnknown):
		fmt.Println("it may have arrived: ask, do not send again blindly")
	case errors.Is(err, wechat.ErrUnreachable):
		fmt.Println("this person does not follow: drop it")
	case errors.Is(err, wechat.ErrRateLimited), errors.Is(err, wechat.ErrQuotaExhausted):
		after, _ := wechat.RetryAfter(err)
		fmt.Println("later, in", after)
	}
	// Output: later, in 8h0m0s
}

// Limits may come from a file. Verify finds what is wrong with them before the first call.
func ExampleVerify() {
	app := wechat.App{ID: "wx1", Secret: "secret", Limits: ratelimit.Limits{
		Endpoints: map[string][]ratelimit.Limit{"SendTemplateMesage": {ratelimit.PerDay(80_000)}},
	}}
	fmt.Println(wechat.Verify(app, wechat.Spec{Name: "SendTemplateMessage"})) // in a program: officialaccount.Endpoints()...
	// Output: wechat: Limits.Endpoints: there is no endpoint "SendTemplateMesage"
}

// Explain is for logs and support: what the platform means by a number.
func ExampleExplain() {
	e, _ := wechat.Explain("officialaccount", 43004)
	fmt.Println(e.English, "|", e.Chinese, "|", e.Kind)
	// Output: user must follow first | 用户未关注 | recipient unreachable
}
