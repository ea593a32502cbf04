package callback

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed175cf469/wechat"
)

// platform is WeChat as far as these tokens go: it answers a path with what a test gives, and keeps what it was asked.
type platform struct {
	mu     sync.Mutex
	answer map[string]func(n int, r *http.Request, body string) string
	asked  map[string][]string // by path: query and body
}

func (p *platform) RoundTrip(r *http.Request) (*http.Response, error) {
	body := ""
	if r.Body != nil {
		b, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		body = string(b)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.asked == nil {
		p.asked = map[string][]string{}
	}
	p.asked[r.URL.Path] = append(p.asked[r.URL.Path], r.URL.RawQuery+" "+body)
	answer := p.answer[r.URL.Path](len(p.asked[r.URL.Path]), r, body)
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(answer)), ContentLength: int64(len(answer)), Request: r}, nil
}

var (
	ping        = wechat.Endpoint[wechat.None, wechat.None]{Name: "Ping", Pattern: "GET /ping", Effect: wechat.EffectRead}
	pingProduct = &wechat.Product{Name: "officialaccount", BaseURL: "https://api.weixin.qq.com"}
)

type refreshTokens struct {
	mu     sync.Mutex
	tokens map[string]wechat.Secret
}

func (s *refreshTokens) Load(_ context.Context, id string) (wechat.Secret, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.tokens[id]; t != "" {
		return t, nil
	}
	return "", wechat.ErrNoToken
}

func (s *refreshTokens) Save(_ context.Context, id string, t wechat.Secret) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tokens[id] = t
	return nil
}

func TestComponent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refused := ""
		p := &platform{answer: map[string]func(int, *http.Request, string) string{
			"/cgi-bin/component/api_component_token": func(n int, _ *http.Request, _ string) string {
				return fmt.Sprintf(`{"component_access_token":"component%d","expires_in":7200}`, n)
			},
			"/cgi-bin/component/api_authorizer_token": func(n int, r *http.Request, _ string) string {
				if r.URL.Query().Get("component_access_token") == refused {
					return `{"errcode":42006,"errmsg":"component_access_token expired"}`
				}
				return fmt.Sprintf(`{"authorizer_access_token":"authorizer%d","expires_in":7200,"authorizer_refresh_token":"refresh%d"}`, n, n)
			},
			"/ping": func(_ int, r *http.Request, _ string) string {
				if r.URL.Query().Get("access_token") == "authorizer1" && refused != "" {
					return `{"errcode":42001,"errmsg":"access_token expired"}`
				}
				return `{"errcode":0}`
			},
		}}
		client := wechat.New(wechat.WithHTTPClient(&http.Client{Transport: p}))
		tickets := NewMemoryTickets()
		refresh := &refreshTokens{tokens: map[string]wechat.Secret{"wxa": "refresh0"}}
		component := NewComponent(client, wechat.App{ID: "wxp", Secret: "s3cret"}, tickets)
		account := wechat.Bind(client, pingProduct, wechat.App{ID: "wxa", TokenSource: component.TokenSource("wxa", refresh)})
		ctx := context.Background()

		if err := ping.Exec(ctx, account, nil); !errors.Is(err, wechat.ErrNoToken) {
			t.Errorf("no ticket yet: %v", err)
		}
		time.Sleep(10 * time.Minute)
		if err := tickets.Put(ctx, "wxp", wechat.Token{Value: "ticket1", Expiry: time.Now().Add(componentTicketLife)}); err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() {
				if err := ping.Exec(ctx, account, nil); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if got := p.asked["/cgi-bin/component/api_component_token"]; len(got) != 1 ||
			!strings.Contains(got[0], `"component_appid":"wxp"`) || !strings.Contains(got[0], `"component_appsecret":"s3cret"`) || !strings.Contains(got[0], `"component_verify_ticket":"ticket1"`) {
			t.Errorf("component token: %q", got)
		}
		if got := p.asked["/cgi-bin/component/api_authorizer_token"]; len(got) != 1 ||
			!strings.HasPrefix(got[0], "component_access_token=component1 ") || !strings.Contains(got[0], `"authorizer_refresh_token":"refresh0"`) || !strings.Contains(got[0], `"component_appid":"wxp"`) {
			t.Errorf("authorizer token: %q", got)
		}
		if refresh.tokens["wxa"] != "refresh1" {
			t.Error("the fresh refresh token was not kept")
		}

		p.mu.Lock()
		refused = "component1" // and the account's token is void too
		p.mu.Unlock()
		if err := ping.Exec(ctx, account, nil); err != nil {
			t.Errorf("after the tokens were void: %v", err)
		}
		if got := p.asked["/cgi-bin/component/api_authorizer_token"]; len(got) != 3 || !strings.HasPrefix(got[2], "component_access_token=component2 ") || !strings.Contains(got[2], "refresh1") {
			t.Errorf("authorizer token: %q", got)
		}
		for _, shown := range []string{fmt.Sprintf("%+v", component), fmt.Sprintf("%#v", component)} {
			if strings.Contains(shown, "s3cret") {
				t.Errorf("the secret is printed: %s", shown)
			}
		}
	})
}

func TestSuiteApp(t *testing.T) {
	p := &platform{answer: map[string]func(int, *http.Request, string) string{
		"/cgi-bin/service/get_suite_token": func(int, *http.Request, string) string {
			return `{"suite_access_token":"suite1","expires_in":7200}`
		},
		"/cgi-bin/service/get_corp_token": func(int, *http.Request, string) string {
			return `{"access_token":"corp1","expires_in":7200}`
		},
		"/ping": func(int, *http.Request, string) string { return `{"errcode":0}` },
	}}
	client := wechat.New(wechat.WithHTTPClient(&http.Client{Transport: p}))
	tickets := NewMemoryTickets()
	ctx := context.Background()
	if err := tickets.Put(ctx, "ss", wechat.Token{Value: "ticket1", Expiry: time.Now().Add(suiteTicketLife)}); err != nil {
		t.Fatal(err)
	}
	suite := NewSuiteApp(client, wechat.App{ID: "ss", Secret: "s3cret"}, tickets)
	corp := wechat.Bind(client, pingProduct, wechat.App{ID: "ww", TokenSource: suite.TokenSource("ww", "permanent")})
	for range 3 {
		if err := ping.Exec(ctx, corp, nil); err != nil {
			t.Fatal(err)
		}
	}
	if got := p.asked["/cgi-bin/service/get_suite_token"]; len(got) != 1 || !strings.Contains(got[0], `"suite_id":"ss"`) || !strings.Contains(got[0], `"suite_secret":"s3cret"`) || !strings.Contains(got[0], `"suite_ticket":"ticket1"`) {
		t.Errorf("suite token: %q", got)
	}
	if got := p.asked["/cgi-bin/service/get_corp_token"]; len(got) != 1 || !strings.HasPrefix(got[0], "suite_access_token=suite1 ") || !strings.Contains(got[0], `"permanent_code":"permanent"`) || !strings.Contains(got[0], `"auth_corpid":"ww"`) {
		t.Errorf("corp token: %q", got)
	}
	if got := p.asked["/ping"]; len(got) != 3 || !strings.HasPrefix(got[0], "access_token=corp1") {
		t.Errorf("call: %q", got)
	}
}
