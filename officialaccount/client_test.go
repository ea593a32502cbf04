package officialaccount

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed175cf469/wechat"
)

func TestTokens(t *testing.T) {
	t.Run("stable by default", func(t *testing.T) {
		s := &server{}
		if _, err := s.client().ListTags(t.Context()); err != nil {
			t.Fatal(err)
		}
		got := s.to("/cgi-bin/stable_token")
		if len(got) != 1 || got[0].method != "POST" || len(got[0].query) != 0 {
			t.Fatalf("token calls: %+v", got)
		}
		var body map[string]any
		if err := json.Unmarshal([]byte(got[0].body), &body); err != nil {
			t.Fatal(err)
		}
		if body["grant_type"] != "client_credential" || body["appid"] != testApp.ID || body["secret"] != "FAKE_SECRET" || len(body) != 3 {
			t.Errorf("token call has the body %v", body)
		}
		if token := s.to("/cgi-bin/tags/get")[0].query.Get("access_token"); token != "FAKE_TOKEN_1" {
			t.Errorf("the call went out with the token %q", token)
		}
	})
	t.Run("classic on demand", func(t *testing.T) {
		s := &server{}
		classic := testApp
		classic.Classic = true
		oa := New(wechat.New(wechat.WithHTTPClient(&http.Client{Transport: s})), classic)
		if _, err := oa.ListTags(t.Context()); err != nil {
			t.Fatal(err)
		}
		got := s.to("/cgi-bin/token")
		if len(got) != 1 || got[0].method != "GET" || got[0].query.Encode() != "appid=wx00112233445566ff&grant_type=client_credential&secret=FAKE_SECRET" {
			t.Errorf("token calls: %+v", got)
		}
	})
}

// The token of the stable channel may have 300 s left; a slow answer takes from that.
func TestTokenExpiryCountsFromTheQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := time.Now()
		slow := wechat.CallerFunc(func(_ context.Context, call *wechat.Call) error {
			time.Sleep(8 * time.Second)
			*call.Response.(*AccessToken) = AccessToken{AccessToken: "FAKE_TOKEN_1", ExpiresIn: 300}
			return nil
		})
		token, err := fetchToken(t.Context(), slow, testApp, false)
		if err != nil {
			t.Fatal(err)
		}
		if want := asked.Add(300 * time.Second); !token.Expiry.Equal(want) {
			t.Errorf("the token ends %v after the question, want 300s", token.Expiry.Sub(asked))
		}
	})
}

func TestTokenForce(t *testing.T) {
	for _, force := range []bool{false, true} {
		var asked StableAccessTokenRequest
		_, err := fetchToken(t.Context(), wechat.CallerFunc(func(_ context.Context, call *wechat.Call) error {
			asked = *call.Request.(*StableAccessTokenRequest)
			return nil
		}), testApp, force)
		if err != nil || asked.ForceRefresh != force {
			t.Errorf("force %v asked %+v, err %v", force, asked, err)
		}
	}
}

// P035: the reset that works when no token can be had carries app id and secret in the query and no body.
func TestClearQuotaByAppSecret(t *testing.T) {
	s := &server{}
	if err := s.client().ClearQuotaByAppSecret(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := s.to("/cgi-bin/clear_quota/v2")
	if len(got) != 1 || len(s.requests) != 1 {
		t.Fatalf("requests: %+v", s.requests)
	}
	r := got[0]
	if r.query.Get("appid") != testApp.ID || r.query.Get("appsecret") != "FAKE_SECRET" || r.query.Has("access_token") || r.body != "" || r.length != 0 {
		t.Errorf("the reset is %+v", r)
	}
}

func TestClearQuotaHasTheAppID(t *testing.T) {
	s := &server{}
	if err := s.client().ClearQuota(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, want := s.to("/cgi-bin/clear_quota")[0].body, `{"appid":"wx00112233445566ff"}`; got != want {
		t.Errorf("the body is %s, want %s", got, want)
	}
}

// A quota that is used up closes the endpoint; a reset opens it, and only the reset that names it or all.
func TestClearAPIQuotaReopens(t *testing.T) {
	s := &server{reply: func(r request) response {
		if r.path == "/cgi-bin/tags/get" && r.n == 0 {
			return jsonBody(`{"errcode":45009,"errmsg":"reach max api daily quota limit rid: 65000000-0badcafe-00000001"}`)
		}
		return response{}
	}}
	oa := s.client()
	if _, err := oa.ListTags(t.Context()); err == nil {
		t.Fatal("the quota is used up")
	}
	if _, err := oa.ListTags(t.Context()); err == nil || len(s.to("/cgi-bin/tags/get")) != 1 {
		t.Fatalf("a closed endpoint was called: err %v", err)
	}
	if err := oa.ClearAPIQuota(t.Context(), &APIPath{CGIPath: "/cgi-bin/tags/get"}); err != nil {
		t.Fatal(err)
	}
	if _, err := oa.ListTags(t.Context()); err != nil {
		t.Errorf("after the reset: %v", err)
	}
}

// P077, P079: menus are refused when they have \u escapes.
func TestCreateMenuBytes(t *testing.T) {
	s := &server{}
	err := s.client().CreateMenu(t.Context(), &Menu{Button: []Button{{Type: ButtonView, Name: "今日", URL: "https://example.invalid/a?x=1&y=2"}}})
	if err != nil {
		t.Fatal(err)
	}
	got := s.to("/cgi-bin/menu/create")[0]
	want := `{"button":[{"type":"view","name":"今日","url":"https://example.invalid/a?x=1&y=2"}]}`
	if got.body != want || got.length != 86 {
		t.Errorf("the menu is %d bytes: %s\nwant 86 bytes: %s", got.length, got.body, want)
	}
	if got.header.Get("Content-Type") != "application/json; charset=utf-8" {
		t.Errorf("Content-Type is %q", got.header.Get("Content-Type"))
	}
}

func TestMenuReplies(t *testing.T) {
	s := &server{reply: func(r request) response {
		switch r.path {
		case "/cgi-bin/menu/get": // leaf buttons have an empty list; numbers come as text (P059)
			return jsonBody(`{"menu":{"button":[{"name":"m","sub_button":[{"type":"click","name":"c","key":"K","sub_button":[]}]}],"menuid":1},
				"conditionalmenu":[{"button":[{"type":"click","name":"c","key":"K","sub_button":[]}],"matchrule":{"group_id":"2","sex":1,"client_platform_type":"3"},"menuid":"208396993"}]}`)
		case "/cgi-bin/get_current_selfmenu_info": // here sub_button is an object
			return jsonBody(`{"is_menu_open":1,"selfmenu_info":{"button":[{"name":"m","sub_button":{"list":[{"type":"news","name":"n","value":"v","news_info":{"list":[{"title":"t","show_cover":0}]}}]}},{"type":"text","name":"x","value":"hello"}]}}`)
		}
		return response{}
	}}
	oa := s.client()
	menu, err := oa.GetMenu(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if b := menu.Menu.Button; menu.Menu.MenuID != 1 || len(b) != 1 || b[0].SubButton[0].Key != "K" {
		t.Errorf("the menu is %+v", menu.Menu)
	}
	if c := menu.ConditionalMenu; len(c) != 1 || c[0].MenuID != 208396993 || c[0].MatchRule.GroupID != 2 || c[0].MatchRule.ClientPlatformType != 3 {
		t.Errorf("the conditional menus are %+v", c)
	}
	self, err := oa.GetCurrentSelfMenuInfo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b := self.SelfMenuInfo.Button
	if len(b) != 2 || b[0].SubButton.List[0].NewsInfo.List[0].Title != "t" || b[1].Value != "hello" {
		t.Errorf("the menu in use is %+v", b)
	}
}

func TestLinks(t *testing.T) {
	oa := New(wechat.New(), testApp)
	for _, tt := range []struct{ got, want string }{
		{oa.OAuthURL("https://example.invalid/a?b=c&d", ScopeUserInfo, "S1"),
			"https://open.weixin.qq.com/connect/oauth2/authorize?appid=wx00112233445566ff&redirect_uri=https%3A%2F%2Fexample.invalid%2Fa%3Fb%3Dc%26d&response_type=code&scope=snsapi_userinfo&state=S1#wechat_redirect"},
		{oa.QRConnectURL("https://example.invalid/", "S1"),
			"https://open.weixin.qq.com/connect/qrconnect?appid=wx00112233445566ff&redirect_uri=https%3A%2F%2Fexample.invalid%2F&response_type=code&scope=snsapi_login&state=S1#wechat_redirect"},
		{oa.OneTimeSubscribeURL(1000, "T1", "https://example.invalid/", "R"),
			"https://mp.weixin.qq.com/mp/subscribemsg?action=get_confirm&appid=wx00112233445566ff&redirect_url=https%3A%2F%2Fexample.invalid%2F&reserved=R&scene=1000&template_id=T1#wechat_redirect"},
	} {
		if tt.got != tt.want {
			t.Errorf("got  %s\nwant %s", tt.got, tt.want)
		}
		if strings.Contains(tt.got, "FAKE_SECRET") {
			t.Error("a link has the secret")
		}
	}
}
