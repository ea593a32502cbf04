package mock_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/mock"
)

// ask fetches a token by hand.
func ask(t *testing.T, s *mock.Server, kind string) (token string, expiresIn int, code int) {
	t.Helper()
	var body string
	switch kind {
	case "classic":
		_, _, body = request(t, s, "GET", "/cgi-bin/token?grant_type=client_credential&appid="+oaApp.ID+"&secret="+oaApp.Secret.Reveal(), "", "")
	case "work":
		_, _, body = request(t, s, "GET", "/cgi-bin/gettoken?corpid="+workApp.ID+"&corpsecret="+workApp.Secret.Reveal(), "", "")
	default:
		force := ""
		if kind == "forced" {
			force = `,"force_refresh":true`
		}
		_, _, body = request(t, s, "POST", "/cgi-bin/stable_token", "application/json",
			`{"grant_type":"client_credential","appid":"`+oaApp.ID+`","secret":"`+oaApp.Secret.Reveal()+`"`+force+`}`)
	}
	var reply struct {
		AccessToken string `json:"access_token"`
		ExpiresIn   int    `json:"expires_in"`
		ErrCode     int    `json:"errcode"`
	}
	if err := json.Unmarshal([]byte(body), &reply); err != nil {
		t.Fatal(err, body)
	}
	return reply.AccessToken, reply.ExpiresIn, reply.ErrCode
}

// use calls an API with a token and gives the errcode.
func use(t *testing.T, s *mock.Server, token string) int {
	t.Helper()
	target := "/cgi-bin/person/info?openid=o&access_token=" + token
	if strings.HasPrefix(token, "W:") {
		target = "/cgi-bin/person/get?userid=u&access_token=" + token[2:]
	}
	_, _, body := request(t, s, "GET", target, "", "")
	var reply struct {
		ErrCode int `json:"errcode"`
	}
	if err := json.Unmarshal([]byte(body), &reply); err != nil {
		t.Fatal(err, body)
	}
	return reply.ErrCode
}

func expect[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// P010: a new classic token ends the one before it after five minutes.
func TestClassicTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := mock.NewServer(specs()...)
		first, life, _ := ask(t, s, "classic")
		expect(t, "life", life, 7200)
		second, _, _ := ask(t, s, "classic")
		expect(t, "another token", first != second, true)
		expect(t, "first at once", use(t, s, first), 0)
		time.Sleep(5*time.Minute - time.Second)
		expect(t, "first in the overlap", use(t, s, first), 0)
		time.Sleep(time.Second)
		expect(t, "first after it", use(t, s, first), 40001)
		expect(t, "second", use(t, s, second), 0)
		time.Sleep(2 * time.Hour)
		expect(t, "second after its life", use(t, s, second), 42001)
		expect(t, "issued", s.TokensIssued(oaApp.ID), 2)
	})
}

func TestStableTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := mock.NewServer(specs()...)
		first, life, _ := ask(t, s, "stable")
		expect(t, "life", life, 7200)
		time.Sleep(time.Hour)
		same, life, _ := ask(t, s, "stable")
		expect(t, "the same token", same, first)
		expect(t, "shrinking life", life, 3600)
		time.Sleep(55*time.Minute - time.Second)
		same, life, _ = ask(t, s, "stable")
		expect(t, "the same token before the last five minutes", same, first)
		expect(t, "life", life, 301)
		time.Sleep(time.Second)
		second, life, _ := ask(t, s, "stable")
		expect(t, "renewed", second != first && life == 7200, true)
		expect(t, "first", use(t, s, first), 0)
		time.Sleep(5 * time.Minute)
		expect(t, "first after its life", use(t, s, first), 42001)

		third, _, _ := ask(t, s, "forced")
		expect(t, "second after a force", use(t, s, second), 40001)
		expect(t, "third", use(t, s, third), 0)
		time.Sleep(29 * time.Second)
		same, _, _ = ask(t, s, "forced")
		expect(t, "forced too soon", same, third)
		for range 19 {
			time.Sleep(30 * time.Second)
			_, _, code := ask(t, s, "forced")
			expect(t, "forced", code, 0)
		}
		time.Sleep(30 * time.Second)
		_, _, code := ask(t, s, "forced")
		expect(t, "forced the 21st time", code, 45009)
		_, _, code = ask(t, s, "stable")
		expect(t, "normal mode", code, 0)
		time.Sleep(24 * time.Hour)
		_, _, code = ask(t, s, "forced")
		expect(t, "forced the next day", code, 0)

		classic, _, _ := ask(t, s, "classic") // a family of its own
		stable, _, _ := ask(t, s, "stable")
		expect(t, "classic", use(t, s, classic), 0)
		expect(t, "stable", use(t, s, stable), 0)
	})
}

func TestWorkTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := mock.NewServer(specs()...)
		first, _, _ := ask(t, s, "work")
		time.Sleep(2*time.Hour - time.Second)
		same, life, _ := ask(t, s, "work")
		expect(t, "the same token", same, first)
		expect(t, "life", life, 1)
		expect(t, "first", use(t, s, "W:"+first), 0)
		time.Sleep(time.Second)
		expect(t, "first after its life", use(t, s, "W:"+first), 42001)
		second, _, _ := ask(t, s, "work")
		s.RevokeTokens(workApp.ID)
		expect(t, "revoked", use(t, s, "W:"+second), 40014)
		third, _, _ := ask(t, s, "work")
		expect(t, "a new token", third != second && use(t, s, "W:"+third) == 0, true)
		s.SpoilTokens(workApp.ID)
		same, _, _ = ask(t, s, "work")
		expect(t, "the same spoilt token", same, third)
		expect(t, "spoilt", use(t, s, "W:"+third), 40014)
	})
}

func TestCredentials(t *testing.T) {
	s := mock.NewServer(specs()...)
	s.App(oaApp)
	s.App(workApp)
	other := workApp
	other.Secret = "second"
	s.App(other)
	tests := []struct {
		name string
		call func(c wechat.Caller) error
		code wechat.Code
	}{
		{"right", func(c wechat.Caller) error {
			_, err := newAccount(c, oaApp).GetUser(t.Context(), &userRequest{OpenID: "o"})
			return err
		}, 0},
		{"wrong secret", func(c wechat.Caller) error {
			_, err := newAccount(c, wechat.App{ID: oaApp.ID, Secret: "x"}).GetUser(t.Context(), &userRequest{OpenID: "o"})
			return err
		}, 40125},
		{"wrong secret, classic", func(c wechat.Caller) error {
			_, err := newAccount(c, wechat.App{ID: oaApp.ID, Secret: "x", Classic: true}).GetUser(t.Context(), &userRequest{OpenID: "o"})
			return err
		}, 40125},
		{"unknown app", func(c wechat.Caller) error {
			_, err := newAccount(c, wechat.App{ID: "wx9", Secret: "x"}).GetUser(t.Context(), &userRequest{OpenID: "o"})
			return err
		}, 40013},
		{"company", func(c wechat.Caller) error {
			_, err := newCompany(c, workApp).GetMember(t.Context(), &memberRequest{UserID: "u"})
			return err
		}, 0},
		{"second app of the company", func(c wechat.Caller) error {
			_, err := newCompany(c, other).GetMember(t.Context(), &memberRequest{UserID: "u"})
			return err
		}, 0},
		{"wrong secret of the company", func(c wechat.Caller) error {
			_, err := newCompany(c, wechat.App{ID: workApp.ID, Secret: "x"}).GetMember(t.Context(), &memberRequest{UserID: "u"})
			return err
		}, 40001},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.call(wechat.New(s.Options()...))
			wantCode(t, err, tt.code)
			if tt.code != 0 && !errors.Is(err, wechat.ErrCredential) {
				t.Errorf("error is %v, want one of the credential", err)
			}
		})
	}
	if n := s.TokensIssued(workApp.ID); n != 2 {
		t.Errorf("%d tokens issued to the company, want one for each of its apps", n)
	}
}

// P009: a token that was revoked is replaced without the caller noticing.
func TestRevokedToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, a := platform()
		for range 3 {
			if _, err := a.GetUser(t.Context(), &userRequest{OpenID: "o"}); err != nil {
				t.Fatal(err)
			}
			s.RevokeTokens(oaApp.ID)
		}
		expect(t, "issued", s.TokensIssued(oaApp.ID), 3)
		expect(t, "calls", len(s.Calls("GetUser")), 5)
		expect(t, "code of the second", s.Calls("GetUser")[1].Code, 40001)
	})
}

// A stable token that is refused and handed out all the same must be forced.
func TestSpoiltToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, a := platform()
		if _, err := a.GetUser(t.Context(), &userRequest{OpenID: "o"}); err != nil {
			t.Fatal(err)
		}
		s.SpoilTokens(oaApp.ID)
		if _, err := a.GetUser(t.Context(), &userRequest{OpenID: "o"}); err != nil {
			t.Fatal(err)
		}
		calls := s.Calls("GetStableAccessToken")
		if len(calls) != 3 || calls[1].Request.(*stableToken).ForceRefresh || !calls[2].Request.(*stableToken).ForceRefresh {
			t.Errorf("token calls were %+v", calls)
		}
	})
}

func TestScriptedToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, a := platform()
		s.Script("GetStableAccessToken", mock.Reply{JSON: accessToken{"FAKE_TOKEN_1", 300}})
		if _, err := a.GetUser(t.Context(), &userRequest{OpenID: "o"}); err != nil {
			t.Fatal(err)
		}
		expect(t, "token", s.Calls("GetUser")[0].Token, "FAKE_TOKEN_1")
		time.Sleep(5 * time.Minute)
		expect(t, "after its life", use(t, s, "FAKE_TOKEN_1"), 42001)
		s.TokenLife(time.Minute)
		_, life, _ := ask(t, s, "stable")
		expect(t, "life", life, 60)
	})
}

func TestOwnTokens(t *testing.T) {
	s := mock.NewServer(specs()...)
	issued := s.IssueToken(oaApp.ID)
	s.AcceptToken("wx2", "static")
	for _, app := range []wechat.App{
		{ID: oaApp.ID, TokenSource: wechat.StaticToken(issued.Value)},
		{ID: "wx2", TokenSource: wechat.StaticToken("static")},
	} {
		if _, err := newAccount(wechat.New(s.Options()...), app).GetUser(t.Context(), &userRequest{OpenID: "o"}); err != nil {
			t.Error(err)
		}
	}
	expect(t, "app of the second", s.Calls("GetUser")[1].App, "wx2")
}

// A program's own product may have none of the token endpoints among its specs.
func TestTokenEndpointsAreThere(t *testing.T) {
	spec := getUser.Spec()
	spec.Product = "officialaccount"
	s := mock.NewServer(spec)
	for _, app := range []wechat.App{oaApp, {ID: oaApp.ID, Secret: oaApp.Secret, Classic: true}} {
		if _, err := newAccount(wechat.New(s.Options()...), app).GetUser(t.Context(), &userRequest{OpenID: "o"}); err != nil {
			t.Error(err)
		}
	}
	expect(t, "issued", s.TokensIssued(oaApp.ID), 2)
	expect(t, "calls", len(s.Calls("GetStableAccessToken"))+len(s.Calls("GetAccessToken")), 2)
}
