package apisign_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/apisign"
)

// Whatever comes back: no panic, and nothing is taken for success but the one reply that is signed. With the verifier
// that takes anything, what comes through was encrypted with the app's key.
func FuzzReply(f *testing.F) {
	f.Add(200, sampleAppID, "1635927956", sampleSerial, sampleReplySignature, []byte(sampleReply), false)
	f.Add(200, sampleAppID, "1635927956", sampleSerial, "AAAA", []byte(sampleReply), true)
	f.Add(200, sampleAppID, "1635927956", "", "", []byte(`{"errcode":40234,"errmsg":"invalid signature"}`), false)
	f.Add(200, "", "", "", "", []byte(`{"errcode":0,"risk_rank":4}`), false)
	f.Add(502, "", "", "", "", []byte("<html>"), false)
	f.Add(200, sampleAppID, "1635927956", sampleSerial, "AAAA", []byte(`{"iv":"","data":"","authtag":""}`), true)
	f.Add(200, sampleAppID, "-1", sampleSerial, "AAAA", []byte(`{"errcode":"x","data":[]}`), true)
	keys := sampleKeys(f)
	keys.Signer = unsigned{} // the request does not matter here
	trusting := keys
	trusting.Platform = map[string]apisign.Verifier{sampleSerial: accept{}}
	f.Fuzz(func(t *testing.T, status int, appID, timestamp, serial, signature string, body []byte, trust bool) {
		ring := keys
		if trust {
			ring = trusting
		}
		transport := func(http.RoundTripper) http.RoundTripper {
			return roundTripper(func(r *http.Request) (*http.Response, error) {
				readBody(t, r)
				return reply(r, 200+(status&0x7fffffff)%400, header("Wechatmp-Appid", appID, "Wechatmp-TimeStamp", timestamp,
					"Wechatmp-Serial", serial, "Wechatmp-Signature", signature), body), nil
			})
		}
		client := wechat.New(wechat.WithRetry(wechat.RetryPolicy{MaxAttempts: 1}), wechat.WithTransport(
			apisign.Transport(ring, apisign.Hooks(at(sampleReplyTime), bytes.NewReader(sampleRandom(t)))), transport))
		var got json.RawMessage
		call := &wechat.Call{Spec: risk.Spec(), Request: &message{}, Response: &got}
		err := bind(client, sampleAppID).Do(t.Context(), call)
		if err == nil && string(got) != sampleReplyPlain {
			t.Errorf("%q was taken for success", got)
		}
		if refused := (*apisign.ReplyError)(nil); errors.As(err, &refused) && strings.Contains(err.Error(), sampleKey) {
			t.Error(err)
		}
	})
}

type unsigned struct{}

func (unsigned) Sign([]byte) ([]byte, error) { return nil, nil }

var risk = wechat.Endpoint[message, json.RawMessage]{Name: "GetUserRiskRank", Pattern: "POST /wxa/getuserriskrank", Effect: wechat.EffectRead}

// Whatever object a program sends arrives as it was, with the platform's three fields beside it.
func FuzzRequest(f *testing.F) {
	f.Add([]byte(`{"id":9007199254740993,"text":"张三 <&> \u2028"}`))
	f.Add([]byte(`{}`))
	f.Add([]byte(`{"a":{"b":[1e400,-0,"\ud83d\ude00"]},"":null}`))
	keys := testKeys(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		if !json.Valid(body) || len(body) == 0 {
			t.Skip()
		}
		p := newPlatform(t)
		endpoint := wechat.Endpoint[json.RawMessage, wechat.None]{Name: "Any", Pattern: "POST /any", Effect: wechat.EffectRead}
		var plain []byte // what the client would have sent
		seesPlain := func(next http.RoundTripper) http.RoundTripper {
			return roundTripper(func(r *http.Request) (*http.Response, error) {
				var err error
				if plain, err = io.ReadAll(r.Body); err != nil {
					t.Error(err)
				}
				r.Body = io.NopCloser(bytes.NewReader(plain))
				return next.RoundTrip(r)
			})
		}
		client := wechat.New(wechat.WithRetry(wechat.RetryPolicy{MaxAttempts: 1}), wechat.WithTransport(seesPlain,
			apisign.Transport(keys), func(http.RoundTripper) http.RoundTripper { return p }))
		raw := json.RawMessage(body)
		if err := endpoint.Exec(t.Context(), bind(client, appID), &raw); err != nil {
			if len(p.requests()) != 0 {
				t.Error(err)
			}
			return
		}
		var want map[string]json.RawMessage
		if err := json.Unmarshal(plain, &want); err != nil {
			t.Fatal(err)
		}
		got := p.requests()[0].fields
		if len(got) != len(want)+3 {
			t.Errorf("%v, want %s", got, plain)
		}
		for name, value := range want {
			if !bytes.Equal(got[name], value) {
				t.Errorf("%s: %s, want %s", name, got[name], value)
			}
		}
	})
}
