package miniprogram

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/internal/stub"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const appID = "wx0123456789abcdef"

// clientOf is a client of s that has a token already.
func clientOf(s *stub.Server) *Client {
	return New(s.Client(), wechat.App{ID: appID, Secret: "FAKE_SECRET", TokenSource: wechat.StaticToken("FAKE_TOKEN")})
}

// WeChat labels the reply text/plain.
func TestCode2Session(t *testing.T) {
	s := &stub.Server{Answer: func(stub.Request) stub.Reply {
		return stub.Reply{ContentType: "text/plain", Body: `{"session_key":"tiihtNczf5v6AKRyjwEUhQ==","openid":"oFAKE"}`}
	}}
	got, err := clientOf(s).Code2Session(context.Background(), &Code2SessionRequest{JSCode: "CODE"})
	if err != nil {
		t.Fatal(err)
	}
	if want := (Session{SessionKey: "tiihtNczf5v6AKRyjwEUhQ==", OpenID: "oFAKE"}); *got != want {
		t.Errorf("Session = %+v, want %+v", *got, want)
	}
	r := s.Requests()[0]
	want := "appid=" + appID + "&grant_type=authorization_code&js_code=CODE&secret=FAKE_SECRET"
	if r.Method != "GET" || r.Path != "/sns/jscode2session" || r.Query.Encode() != want {
		t.Errorf("request %s %s?%s, want GET /sns/jscode2session?%s", r.Method, r.Path, r.Query.Encode(), want)
	}
}

// A code works once: what may have used it up is not repeated, and the error says so without showing the code.
func TestCode2SessionIsNotRepeated(t *testing.T) {
	tests := []struct {
		name    string
		reply   stub.Reply
		unknown bool
	}{
		{"lost", stub.Reply{Err: io.ErrUnexpectedEOF}, true},
		{"cut", stub.Reply{Body: `{"session_key":"ti`}, true},
		{"bad gateway", stub.Reply{Status: 502, ContentType: "text/html", Body: "<html>"}, true},
		{"used", stub.Reply{Body: `{"errcode":40163,"errmsg":"code been used, rid: 6f"}`}, false},
		{"wrong secret", stub.Reply{Body: `{"errcode":40125,"errmsg":"invalid appsecret"}`}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := &stub.Server{Answer: func(stub.Request) stub.Reply { return tt.reply }}
			_, err := clientOf(s).Code2Session(context.Background(), &Code2SessionRequest{JSCode: "ONETIMECODE"})
			if err == nil {
				t.Fatal("no error")
			}
			if n := len(s.Requests()); n != 1 {
				t.Errorf("%d requests, want 1", n)
			}
			if got := errors.Is(err, wechat.ErrOutcomeUnknown); got != tt.unknown {
				t.Errorf("ErrOutcomeUnknown is %v, want %v: %v", got, tt.unknown, err)
			}
			for _, secret := range []string{"ONETIMECODE", "FAKE_SECRET"} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("the error shows %s: %v", secret, err)
				}
			}
		})
	}
}

func TestSessionSignature(t *testing.T) {
	// printf '' | openssl dgst -sha256 -hmac 'tiihtNczf5v6AKRyjwEUhQ=='
	const want = "7154f9f8b4b76b92f541cbf0e37d48840fa06e5e42da92a6f80168a1516a4735"
	s := stub.JSON(`{"errcode":0,"errmsg":"ok"}`)
	if err := clientOf(s).CheckSessionKey(context.Background(), SignSession("oFAKE", "tiihtNczf5v6AKRyjwEUhQ==")); err != nil {
		t.Fatal(err)
	}
	q := s.Requests()[0].Query
	if q.Get("signature") != want || q.Get("sig_method") != "hmac_sha256" || q.Get("openid") != "oFAKE" {
		t.Errorf("query %v, want the signature %s", q, want)
	}
}

// countryCode has been a number and is a text now.
func TestGetPhoneNumber(t *testing.T) {
	for name, code := range map[string]string{"text": `"86"`, "number": `86`} {
		t.Run(name, func(t *testing.T) {
			s := stub.JSON(`{"errcode":0,"errmsg":"ok","phone_info":{"phoneNumber":"13800000000","purePhoneNumber":"13800000000",` +
				`"countryCode":` + code + `,"watermark":{"timestamp":1637744274,"appid":"` + appID + `"}}}`)
			got, err := clientOf(s).GetPhoneNumber(context.Background(), &PhoneNumberRequest{Code: "CODE"})
			if err != nil {
				t.Fatal(err)
			}
			want := PhoneInfo{PhoneNumber: "13800000000", PurePhoneNumber: "13800000000", CountryCode: "86",
				Watermark: Watermark{Timestamp: 1637744274, AppID: appID}}
			if got.PhoneInfo != want {
				t.Errorf("PhoneInfo = %+v, want %+v", got.PhoneInfo, want)
			}
			if body := s.Requests()[0].Body; body != `{"code":"CODE"}` {
				t.Errorf("body %s", body)
			}
		})
	}
}

func isCode(err error, code wechat.Code) bool { return errors.Is(err, code) }
