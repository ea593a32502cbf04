package work

import (
	"context"
	"testing"

	"github.com/seed175cf469/wechat/internal/jssdk"
	"github.com/seed175cf469/wechat/internal/stub"
)

// The two tickets are kept apart, and a signature costs no call once they are there.
func TestSignatures(t *testing.T) {
	s := &stub.Server{Answer: func(r stub.Request) stub.Reply {
		ticket := "CORP"
		if r.Path == "/cgi-bin/ticket/get" && r.Query.Get("type") == "agent_config" {
			ticket = "AGENT"
		}
		return stub.Reply{Body: `{"errcode":0,"errmsg":"ok","ticket":"` + ticket + `","expires_in":7200}`}
	}}
	c := clientOf(s)
	const url = "https://example.com/?a=1#b"
	for range 2 {
		config, err := c.SignJSAPI(context.Background(), url)
		if err != nil {
			t.Fatal(err)
		}
		if want := jssdk.Sign("CORP", config.NonceStr, config.Timestamp, url); config.Signature != want || config.AppID != corpID {
			t.Errorf("SignJSAPI = %+v, want the signature %s", config, want)
		}
		agent, err := c.SignAgentConfig(context.Background(), url)
		if err != nil {
			t.Fatal(err)
		}
		if want := jssdk.Sign("AGENT", agent.NonceStr, agent.Timestamp, url); agent.Signature != want || agent.CorpID != corpID || agent.AgentID != 1000002 {
			t.Errorf("SignAgentConfig = %+v, want the signature %s", agent, want)
		}
		if config.NonceStr == agent.NonceStr {
			t.Error("two signatures have the same nonce")
		}
	}
	if n := len(s.Requests()); n != 2 {
		t.Errorf("%d requests, want one for each ticket", n)
	}
}
