package officialaccount

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/internal/jssdk"
)

// P067: the calls for people's tokens answer as text/plain. They go without the account's token.
func TestOAuth(t *testing.T) {
	s := &server{reply: func(r request) response {
		switch r.path {
		case "/sns/oauth2/access_token":
			return response{contentType: "text/plain", body: `{"access_token":"FAKE_USER_TOKEN","expires_in":7200,"refresh_token":"FAKE_REFRESH","openid":"o1","scope":"snsapi_userinfo","unionid":"u1"}`}
		case "/sns/oauth2/refresh_token":
			return response{contentType: "text/plain", body: `{"access_token":"FAKE_USER_TOKEN_2","expires_in":7200,"refresh_token":"FAKE_REFRESH","openid":"o1","scope":"snsapi_userinfo"}`}
		case "/sns/userinfo": // P063: names hold control characters
			return response{contentType: "text/plain", body: "{\"openid\":\"o1\",\"nickname\":\"\x14测试😀\",\"sex\":0,\"privilege\":[]}"}
		case "/sns/auth":
			return response{contentType: "text/plain", body: `{"errcode":40003,"errmsg":"invalid openid"}`}
		}
		return response{}
	}}
	oa, ctx := s.client(), t.Context()
	token, err := oa.GetOAuthAccessToken(ctx, &GetOAuthAccessTokenRequest{Code: "CODE"})
	if err != nil {
		t.Fatal(err)
	}
	if token.AccessToken != "FAKE_USER_TOKEN" || token.OpenID != "o1" || token.UnionID != "u1" || token.ExpiresIn != 7200 {
		t.Errorf("the token is %+v", token)
	}
	if _, err := oa.RefreshOAuthAccessToken(ctx, &RefreshOAuthAccessTokenRequest{RefreshToken: token.RefreshToken}); err != nil {
		t.Fatal(err)
	}
	user, err := oa.GetOAuthUserInfo(ctx, &GetOAuthUserInfoRequest{AccessToken: token.AccessToken, OpenID: "o1"})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(user.NickName, "测试😀") {
		t.Errorf("the name is %q", user.NickName)
	}
	err = oa.CheckOAuthAccessToken(ctx, &CheckOAuthAccessTokenRequest{AccessToken: token.AccessToken, OpenID: "o2"})
	if !errors.Is(err, wechat.Code(40003)) {
		t.Errorf("err = %v, want 40003", err)
	}

	var got []string
	for _, r := range s.requests {
		got = append(got, r.path+"?"+r.query.Encode())
	}
	want := []string{
		"/sns/oauth2/access_token?appid=wx00112233445566ff&code=CODE&grant_type=authorization_code&secret=FAKE_SECRET",
		"/sns/oauth2/refresh_token?appid=wx00112233445566ff&grant_type=refresh_token&refresh_token=FAKE_REFRESH",
		"/sns/userinfo?access_token=FAKE_USER_TOKEN&openid=o1",
		"/sns/auth?access_token=FAKE_USER_TOKEN&openid=o2",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("requests:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A code works once: where the reply is lost nobody knows whether it was used.
func TestOAuthCodeIsNotSentTwice(t *testing.T) {
	s := &server{reply: func(request) response { return response{lost: true} }}
	_, err := s.client().GetOAuthAccessToken(t.Context(), &GetOAuthAccessTokenRequest{Code: "CODE"})
	if !errors.Is(err, wechat.ErrOutcomeUnknown) || len(s.requests) != 1 {
		t.Errorf("err %v after %d requests", err, len(s.requests))
	}
	if strings.Contains(err.Error(), "CODE") || strings.Contains(err.Error(), "FAKE_SECRET") {
		t.Errorf("the error shows a secret: %v", err)
	}
}

// A person's token that is no good is no reason to fetch the account's token anew.
func TestOAuthTokenRefused(t *testing.T) {
	s := &server{reply: func(request) response {
		return jsonBody(`{"errcode":42001,"errmsg":"access_token expired"}`)
	}}
	_, err := s.client().GetOAuthUserInfo(t.Context(), &GetOAuthUserInfoRequest{AccessToken: "FAKE", OpenID: "o1"})
	if !errors.Is(err, wechat.ErrTokenInvalid) || len(s.requests) != 1 {
		t.Errorf("err %v after %d requests", err, len(s.requests))
	}
}

func ticketServer() *server {
	return &server{reply: func(r request) response {
		switch {
		case r.path != "/cgi-bin/ticket/getticket":
			return response{}
		case r.query.Get("type") == "jsapi":
			return jsonBody(`{"errcode":0,"errmsg":"ok","ticket":"FAKE_TICKET_1","expires_in":7200}`)
		}
		return jsonBody(`{"errcode":0,"errmsg":"ok","ticket":"FAKE_CARD_TICKET","expires_in":7200}`)
	}}
}

func TestSignJSAPI(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := ticketServer()
		oa := s.client()
		const page = "http://mp.weixin.qq.com?params=value"
		seen := map[string]bool{}
		for range 3 {
			got, err := oa.SignJSAPI(t.Context(), page+"#top")
			if err != nil {
				t.Fatal(err)
			}
			if got.AppID != testApp.ID || got.Timestamp != time.Now().Unix() || seen[got.NonceStr] {
				t.Errorf("signed %+v", got)
			}
			seen[got.NonceStr] = true
			if want := jssdk.Sign("FAKE_TICKET_1", got.NonceStr, got.Timestamp, page); got.Signature != want {
				t.Errorf("the signature is %s, want %s", got.Signature, want)
			}
			time.Sleep(time.Second)
		}
		if n := len(s.to("/cgi-bin/ticket/getticket")); n != 1 {
			t.Errorf("the ticket was fetched %d times", n)
		}
		time.Sleep(2 * time.Hour)
		if _, err := oa.SignJSAPI(t.Context(), page); err != nil {
			t.Fatal(err)
		}
		if n := len(s.to("/cgi-bin/ticket/getticket")); n != 2 {
			t.Errorf("after two hours the ticket was fetched %d times, want 2", n)
		}
	})
}

// wx.config wants these names.
func TestJSAPISignatureJSON(t *testing.T) {
	got, err := json.Marshal(JSAPISignature{AppID: "a", Timestamp: 1, NonceStr: "n", Signature: "s"})
	if want := `{"appId":"a","timestamp":1,"nonceStr":"n","signature":"s"}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestTicketsAreKeptByType(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		oa := ticketServer().client()
		for range 2 {
			js, err := oa.GetTicket(t.Context(), &GetTicketRequest{Type: TicketJSAPI})
			if err != nil {
				t.Fatal(err)
			}
			card, err := oa.GetTicket(t.Context(), &GetTicketRequest{Type: TicketCard})
			if err != nil {
				t.Fatal(err)
			}
			if js.Ticket != "FAKE_TICKET_1" || card.Ticket != "FAKE_CARD_TICKET" {
				t.Errorf("tickets %+v, %+v", js, card)
			}
		}
		time.Sleep(time.Hour)
		js, err := oa.GetTicket(t.Context(), &GetTicketRequest{Type: TicketJSAPI})
		if err != nil || js.ExpiresIn != 3600 {
			t.Errorf("after an hour the ticket is %+v, %v", js, err)
		}
	})
}

// P024: a refused token is replaced, and a refusal is never kept as a ticket.
func TestTicketAfterARefusedToken(t *testing.T) {
	s := ticketServer()
	fine := s.reply
	s.reply = func(r request) response {
		if r.path == "/cgi-bin/ticket/getticket" && r.n == 0 {
			return jsonBody(`{"errcode":40001,"errmsg":"invalid credential, access_token is invalid or not latest rid: 65000000-0badcafe-00000001"}`)
		}
		return fine(r)
	}
	ticket, err := s.client().GetTicket(t.Context(), &GetTicketRequest{Type: TicketJSAPI})
	if err != nil || ticket.Ticket != "FAKE_TICKET_1" {
		t.Errorf("the ticket is %+v, %v", ticket, err)
	}
	if s.tokens != 2 {
		t.Errorf("%d tokens were fetched, want 2", s.tokens)
	}
}

func TestSignValues(t *testing.T) {
	// SHA-1 of "1418301401CARD1NONCE1OPENID1TICKET1".
	const want = "5cfa7d75545a26143a6b22a37d2929c4aef10aca"
	if got := signValues("TICKET1", "1418301401", "CARD1", "", "OPENID1", "NONCE1"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestSignCards(t *testing.T) {
	oa := ticketServer().client()
	add, err := oa.SignCard(t.Context(), "CARD1", "", "o1")
	if err != nil {
		t.Fatal(err)
	}
	if want := signValues("FAKE_CARD_TICKET", add.Timestamp, "CARD1", "o1", add.NonceStr); add.Signature != want || add.OpenID != "o1" {
		t.Errorf("signed %+v, want %s", add, want)
	}
	choice, err := oa.SignCardChoice(t.Context(), "", "GROUPON", "")
	if err != nil {
		t.Fatal(err)
	}
	at, _ := json.Marshal(choice.Timestamp)
	if want := signValues("FAKE_CARD_TICKET", testApp.ID, string(at), choice.NonceStr, "GROUPON"); choice.CardSign != want || choice.SignType != "SHA1" {
		t.Errorf("signed %+v, want %s", choice, want)
	}
}

func TestQRCodes(t *testing.T) {
	for _, tt := range []struct {
		name string
		code *CreateQRCodeRequest
		want string
	}{
		{"temporary number", TempQRCode(123, 7*24*time.Hour), `{"action_name":"QR_SCENE","expire_seconds":604800,"action_info":{"scene":{"scene_id":123}}}`},
		{"temporary text", TempStrQRCode("shop&1", time.Minute), `{"action_name":"QR_STR_SCENE","expire_seconds":60,"action_info":{"scene":{"scene_str":"shop&1"}}}`},
		{"permanent number", PermanentQRCode(100000), `{"action_name":"QR_LIMIT_SCENE","action_info":{"scene":{"scene_id":100000}}}`},
		{"permanent text", PermanentStrQRCode("s"), `{"action_name":"QR_LIMIT_STR_SCENE","action_info":{"scene":{"scene_str":"s"}}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &server{}
			if _, err := s.client().CreateQRCode(t.Context(), tt.code); err != nil {
				t.Fatal(err)
			}
			if got := s.to("/cgi-bin/qrcode/create")[0].body; got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestShowQRCode(t *testing.T) {
	s := &server{reply: func(r request) response {
		return response{contentType: "image/jpg", body: "\xff\xd8\xff\xe0\x00\x10JFIF"}
	}}
	picture, err := s.client().ShowQRCode(t.Context(), &ShowQRCodeRequest{Ticket: "a+/b=="})
	if err != nil || picture.ContentType != "image/jpeg" || len(picture.Data) != 10 {
		t.Fatalf("got %+v, %v", picture, err)
	}
	r := s.requests[0]
	if r.host != "mp.weixin.qq.com" || r.path != "/cgi-bin/showqrcode" || r.query.Get("ticket") != "a+/b==" || r.query.Has("access_token") {
		t.Errorf("asked %+v", r)
	}
}
