package work

import (
	"context"
	"testing"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/internal/stub"
)

// The server hands out the same token while it lives. One that was refused for a moment is tried once more, and
// gettoken is asked once for it.
func TestSameTokenAfterRefusal(t *testing.T) {
	var fetches, calls int
	s := &stub.Server{Answer: func(r stub.Request) stub.Reply {
		if r.Path == "/cgi-bin/gettoken" {
			fetches++
			return stub.Reply{Body: `{"errcode":0,"errmsg":"ok","access_token":"SAME","expires_in":7200}`}
		}
		if calls++; calls == 1 {
			return stub.Reply{Body: `{"errcode":42001,"errmsg":"access_token expired"}`}
		}
		return stub.Reply{Body: `{"errcode":0,"errmsg":"ok","ip_list":[]}`}
	}}
	c := New(s.Client(), wechat.App{ID: corpID, Secret: "FAKE_SECRET"})
	if _, err := c.GetCallbackIPs(context.Background()); err != nil {
		t.Error(err)
	}
	if fetches != 2 || calls != 2 {
		t.Errorf("%d fetches and %d calls, want 2 and 2", fetches, calls)
	}
}
