package tokencentre_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/mock"
	"github.com/seed175cf469/wechat/officialaccount"
	"github.com/seed175cf469/wechat/tokencentre"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const password = wechat.Secret("open sesame")

// centre is a platform and a centre that has the secret of its app.
func centre(t *testing.T) (wx *mock.Server, url string) {
	wx = mock.NewServer(officialaccount.Endpoints()...)
	account := wechat.App{ID: "wx1", Secret: "app secret"}
	wx.App(account)
	wrong := account
	wrong.Secret = "another"
	h := tokencentre.Handler(wechat.New(wx.Options()...), password, map[string]tokencentre.Account{
		"shop":  {Product: officialaccount.Product(), App: account},
		"wrong": {Product: officialaccount.Product(), App: wrong},
	})
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return wx, s.URL
}

// other is a process without the secret.
func other(t *testing.T, wx *mock.Server, url string, password wechat.Secret, name string) *officialaccount.Client {
	h := &http.Client{Transport: &http.Transport{}, Timeout: 10 * time.Second}
	t.Cleanup(h.CloseIdleConnections)
	return officialaccount.New(wechat.New(wx.Options()...),
		wechat.App{ID: "wx1", TokenSource: tokencentre.Source(url, password, name, h)})
}

func TestOneTokenForAll(t *testing.T) {
	ctx := context.Background()
	wx, url := centre(t)
	var all []*officialaccount.Client
	for range 5 {
		all = append(all, other(t, wx, url, password, "shop"))
	}
	each := func() {
		var wg sync.WaitGroup
		for _, oa := range all {
			for range 10 {
				wg.Go(func() {
					if _, err := oa.GetMaterialCount(ctx); err != nil {
						t.Error(err)
					}
				})
			}
		}
		wg.Wait()
	}
	each()
	if n := wx.TokensIssued("wx1"); n != 1 {
		t.Errorf("%d tokens for five processes; want 1", n)
	}
	wx.RevokeTokens("wx1")
	each()
	if n := wx.TokensIssued("wx1"); n != 2 {
		t.Errorf("%d tokens after one was revoked; want 2", n)
	}
}

func TestRefusedTokenIsNotReturned(t *testing.T) {
	ctx := context.Background()
	wx, url := centre(t)
	source := tokencentre.Source(url, password, "shop", nil)
	first, err := source.Token(ctx, wechat.Token{})
	if err != nil {
		t.Fatal(err)
	}
	if life := time.Until(first.Expiry); life < time.Hour || life > 2*time.Hour {
		t.Errorf("it lives for %v", life)
	}
	wx.RevokeTokens("wx1")
	second, err := source.Token(ctx, first)
	if err != nil || second.Value == first.Value {
		t.Fatalf("the refused token again (%v), %v", second.Value == first.Value, err)
	}
	late, err := source.Token(ctx, first) // somebody else hears of it late
	if err != nil || late.Value != second.Value || wx.TokensIssued("wx1") != 2 {
		t.Errorf("another token was fetched: %d, %v", wx.TokensIssued("wx1"), err)
	}
	http.DefaultClient.CloseIdleConnections()
}

func TestFailuresKeepTheirKind(t *testing.T) {
	ctx := context.Background()
	wx, url := centre(t)
	for _, tt := range []struct {
		name     string
		password wechat.Secret
		account  string
		kind     wechat.Kind
	}{
		{"wrong password", "open says me", "shop", wechat.ErrCredential},
		{"no password", "", "shop", wechat.ErrCredential},
		{"unknown account", password, "shoe", wechat.ErrInvalidRequest},
		{"wrong secret at the centre", password, "wrong", wechat.ErrCredential},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := other(t, wx, url, tt.password, tt.account).GetMaterialCount(ctx)
			if !errors.Is(err, tt.kind) {
				t.Errorf("%v; want %v", err, tt.kind)
			}
			for _, secret := range []string{"open s", "app secret", "another"} {
				if text := fmt.Sprintf("%v %+v %#v", err, err, err); strings.Contains(text, secret) {
					t.Errorf("a secret stands in %q", text)
				}
			}
		})
	}
}

func TestHandlerRefuses(t *testing.T) {
	h := tokencentre.Handler(wechat.New(), password, nil)
	open := tokencentre.Handler(wechat.New(), "", nil)
	for _, tt := range []struct {
		name, method, auth, body string
		h                        http.Handler
		status                   int
	}{
		{"no header", "POST", "", `{"name":"shop"}`, h, 401},
		{"bare password", "POST", "open sesame", `{"name":"shop"}`, h, 401},
		{"part of the password", "POST", "Bearer open", `{"name":"shop"}`, h, 401},
		{"empty password is none", "POST", "Bearer ", `{"name":"shop"}`, open, 401},
		{"GET", "GET", "Bearer open sesame", "", h, 405},
		{"no JSON", "POST", "Bearer open sesame", "name=shop", h, 400},
		{"too long", "POST", "Bearer open sesame", `{"name":"` + strings.Repeat("x", 1<<17) + `"}`, h, 400},
		{"unknown", "POST", "Bearer open sesame", `{"name":"shop"}`, h, 404},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			r := httptest.NewRequest(tt.method, "/", strings.NewReader(tt.body))
			if tt.auth != "" {
				r.Header.Set("Authorization", tt.auth)
			}
			tt.h.ServeHTTP(w, r)
			if w.Code != tt.status {
				t.Errorf("%d %s; want %d", w.Code, w.Body, tt.status)
			}
			if c := w.Header().Get("Cache-Control"); c != "no-store" {
				t.Errorf("Cache-Control is %q", c)
			}
		})
	}
}

// Something that is no centre may answer.
func TestOddAnswers(t *testing.T) {
	for name, body := range map[string]string{"HTML": "<html>login</html>", "no token": "{}", "nothing": ""} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) }))
			defer s.Close()
			h := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
			if _, err := tokencentre.Source(s.URL, password, "shop", h).Token(context.Background(), wechat.Token{}); !errors.Is(err, wechat.ErrBadReply) {
				t.Errorf("%v; want ErrBadReply", err)
			}
		})
	}
}

// A centre that is down is not noticed while the token lives.
func TestCentreDown(t *testing.T) {
	wx, url := centre(t)
	down := false
	h := &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
		if down {
			return nil, errors.New("connection refused")
		}
		tr := &http.Transport{DisableKeepAlives: true}
		return tr.RoundTrip(r)
	})}
	oa := officialaccount.New(wechat.New(wx.Options()...), wechat.App{ID: "wx1", TokenSource: tokencentre.Source(url, password, "shop", h)})
	for range 3 {
		if _, err := oa.GetMaterialCount(context.Background()); err != nil {
			t.Error(err)
		}
		down = true
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
