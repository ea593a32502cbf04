package apisign_test

import (
	"bytes"
	"io"
	"net/http"
	"testing"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/apisign"
	"github.com/seed175cf469/wechat/miniprogram"
)

// One call with everything on: encrypt, sign, verify, decrypt. The platform's side costs nothing, as its reply is the
// sample's. "plain" is the same call without the transport.
func BenchmarkCall(b *testing.B) {
	keys := sampleKeys(b)
	random := sampleRandom(b)
	hooks := apisign.Hooks(at(sampleReplyTime), endless(random))
	for name, wrap := range map[string]func(http.RoundTripper) http.RoundTripper{
		"signed": apisign.Transport(keys, hooks),
		"plain":  func(next http.RoundTripper) http.RoundTripper { return next },
	} {
		b.Run(name, func(b *testing.B) {
			body := []byte(sampleReply)
			if name == "plain" {
				body = []byte(sampleReplyPlain)
			}
			client := wechat.New(wechat.WithTransport(wrap, func(http.RoundTripper) http.RoundTripper {
				return roundTripper(func(r *http.Request) (*http.Response, error) {
					_, _ = io.Copy(io.Discard, r.Body)
					return reply(r, 200, sampleReplyHeader(), body), nil
				})
			}))
			mp := miniprogram.New(client, wechat.App{ID: sampleAppID, TokenSource: wechat.StaticToken("TOKEN")})
			request := &miniprogram.UserRiskRequest{OpenID: "oEWzBfmdLqhFS2mTXCo2E4Y9gJAM", ClientIP: "127.0.0.1"}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := mp.GetUserRiskRank(b.Context(), request); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// endless reads the same bytes again and again.
func endless(data []byte) io.Reader { return &loop{data: data, r: bytes.NewReader(data)} }

type loop struct {
	data []byte
	r    *bytes.Reader
}

func (l *loop) Read(p []byte) (int, error) {
	if l.r.Len() == 0 {
		l.r.Reset(l.data)
	}
	return l.r.Read(p)
}
