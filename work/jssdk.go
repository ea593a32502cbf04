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

// GetTicketRequest asks for a ticket of the app.
type GetTicketRequest struct {
	Type TicketType `query:"type"`
}

var getAgentConfigTicket = wechat.Endpoint[GetTicketRequest, Ticket]{
	Name: "GetAgentConfigTicket", Pattern: "GET /cgi-bin/ticket/get",
	Effect: wechat.EffectRead,
	Keep:   keepTicket, Restore: restoreTicket,
}

// GetAgentConfigTicket returns the app's ticket for wx.agentConfig, with TicketAgentConfig. It is another one than that
// of GetJSAPITicket, and kept in the same way.
//
// Official page: https://developer.work.weixin.qq.com/document/path/96909
func (c *Client) GetAgentConfigTicket(ctx context.Context, r *GetTicketRequest) (*Ticket, error) {
	return getAgentConfigTicket.Do(ctx, c.caller, r)
}

// JSAPISignature is what a page hands to wx.config, beside debug and jsApiList. Its JSON has wx.config's names.
type JSAPISignature struct {
	AppID     string `json:"appId"` // the CorpID
	Timestamp int64  `json:"timestamp"`
	NonceStr  string `json:"nonceStr"`
	Signature string `json:"signature"`
}

// SignJSAPI signs a page for wx.config. url is the page's as the browser has it (location.href), query included; the
// part after "#" does not count. The ticket is kept, so that a signature costs no call.
//
// Official page: https://developer.work.weixin.qq.com/document/path/90506
func (c *Client) SignJSAPI(ctx context.Context, url string) (*JSAPISignature, error) {
	ticket, err := c.GetJSAPITicket(ctx)
	if err != nil {
		return nil, err
	}
	s := &JSAPISignature{AppID: c.corpID, Timestamp: time.Now().Unix(), NonceStr: rand.Text()}
	s.Signature = jssdk.Sign(ticket.Ticket, s.NonceStr, s.Timestamp, url)
	return s, nil
}

// AgentConfigSignature is what a page hands to wx.agentConfig, beside jsApiList. Its JSON has wx.agentConfig's names.
type AgentConfigSignature struct {
	CorpID    string `json:"corpid"`
	AgentID   int64  `json:"agentid"`
	Timestamp int64  `json:"timestamp"`
	NonceStr  string `json:"nonceStr"`
	Signature string `json:"signature"`
}

// SignAgentConfig signs a page for wx.agentConfig, which calls in the name of the app need. url is as for SignJSAPI, and
// the ticket another one, kept too.
//
// Official page: https://developer.work.weixin.qq.com/document/path/96909
func (c *Client) SignAgentConfig(ctx context.Context, url string) (*AgentConfigSignature, error) {
	ticket, err := c.GetAgentConfigTicket(ctx, &GetTicketRequest{Type: TicketAgentConfig})
	if err != nil {
		return nil, err
	}
	s := &AgentConfigSignature{CorpID: c.corpID, AgentID: c.agentID, Timestamp: time.Now().Unix(), NonceStr: rand.Text()}
	s.Signature = jssdk.Sign(ticket.Ticket, s.NonceStr, s.Timestamp, url)
	return s, nil
}
