package work

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/internal/jssdk"
)

// Ticket is a key for the signatures of pages.
type Ticket struct {
	Ticket    string `json:"ticket"`
	ExpiresIn int    `json:"expires_in"` // seconds from now
}

// keepTicket and restoreTicket let the client keep a ticket like a token.
func keepTicket(t *Ticket) wechat.Token {
	return wechat.NewToken(t.Ticket, int64(t.ExpiresIn), time.Now())
}

func restoreTicket(t *Ticket, kept wechat.Token) {
	t.Ticket, t.ExpiresIn = kept.Value.Reveal(), int(time.Until(kept.Expiry)/time.Second)
}

var getJSAPITicket = wechat.Endpoint[wechat.None, Ticket]{
	Name: "GetJSAPITicket", Pattern: "GET /cgi-bin/get_jsapi_ticket",
	Effect: wechat.EffectRead,
	Keep:   keepTicket, Restore: restoreTicket,
}

// GetJSAPITicket returns the company's ticket for wx.config. It is kept and shared like an access token, so that it can
// be called for each page; the server allows 100 calls an hour to an app and 400 to a company.
//
// Official page: https://developer.work.weixin.qq.com/document/path/96909
func (c *Client) GetJSAPITicket(ctx context.Context) (*Ticket, error) {
	return getJSAPITicket.Do(ctx, c.caller, nil)
}

// TicketType is what a ticket is for.
type TicketType string

// The types of tickets.
const (
	TicketAgentConfig TicketType = "agent_config"
	TicketCard        TicketType = "wx_card" // invoices
)

// TicketRequest asks for a ticket of the app.
type TicketRequest struct {
	Type TicketType `query:"type"`
}

var getAgentConfigTicket = wechat.Endpoint[TicketRequest, Ticket]{
	Name: "GetAgentConfigTicket", Pattern: "GET /cgi-bin/ticket/get",
	Effect: wechat.EffectRead,
	Keep:   keepTicket, Restore: restoreTicket,
}

// GetAgentConfigTicket returns the app's ticket for wx.agentConfig, with TicketAgentConfig. It is another one than that
// of GetJSAPITicket, and kept in the same way.
//
// Official page: https://developer.work.weixin.qq.com/document/path/96909
func (c *Client) GetAgentConfigTicket(ctx context.Context, r *TicketRequest) (*Ticket, error) {
	return getAgentConfigTicket.Do(ctx, c.caller, r)
}

// PageSignature is what a page hands to wx.config or wx.agentConfig, beside the CorpID and the AgentID.
type PageSignature struct {
	Timestamp int64  `json:"timestamp"` // Unix seconds
	NonceStr  string `json:"nonceStr"`
	Signature string `json:"signature"`
}

// SignPage signs the page at url with a ticket: of GetJSAPITicket for wx.config, of GetAgentConfigTicket for
// wx.agentConfig. url is the page's own as the browser has it, with its query; the part after "#" does not count.
func SignPage(t *Ticket, url string) PageSignature {
	s := PageSignature{Timestamp: time.Now().Unix(), NonceStr: rand.Text()}
	s.Signature = jssdk.Sign(t.Ticket, s.NonceStr, s.Timestamp, url)
	return s
}
