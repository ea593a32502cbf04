package officialaccount

import (
	"context"
	"crypto/rand"
	"crypto/sha1"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed175cf469/wechat/internal/jssdk"
)

// JSAPISignature is what a page hands to wx.config, beside debug and jsApiList. Its JSON has wx.config's names.
type JSAPISignature struct {
	AppID     string `json:"appId"`
	Timestamp int64  `json:"timestamp"`
	NonceStr  string `json:"nonceStr"`
	Signature string `json:"signature"`
}

// SignJSAPI signs a page for the JS-SDK. url is the page's as the browser has it (location.href), query included; the
// part after "#" does not count. The ticket is kept, so that a signature costs no call.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/OA_Web_Apps/JS-SDK.html
func (c *Client) SignJSAPI(ctx context.Context, url string) (*JSAPISignature, error) {
	ticket, err := c.GetTicket(ctx, &GetTicketRequest{Type: TicketJSAPI})
	if err != nil {
		return nil, err
	}
	s := &JSAPISignature{AppID: c.appID, Timestamp: time.Now().Unix(), NonceStr: rand.Text()}
	s.Signature = jssdk.Sign(ticket.Ticket, s.NonceStr, s.Timestamp, url)
	return s, nil
}

// CardExt is what a page hands to wx.addCard, as JSON text.
type CardExt struct {
	Code      string `json:"code,omitempty"`   // of a card whose codes the account makes itself
	OpenID    string `json:"openid,omitempty"` // the only person who may add it
	Timestamp string `json:"timestamp"`
	NonceStr  string `json:"nonce_str"`
	Signature string `json:"signature"`
}

// SignCard signs a card that a page adds to a person's wallet. code and openid are empty where the card does not ask
// for them.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/OA_Web_Apps/JS-SDK.html
func (c *Client) SignCard(ctx context.Context, cardID, code, openid string) (*CardExt, error) {
	ticket, err := c.GetTicket(ctx, &GetTicketRequest{Type: TicketCard})
	if err != nil {
		return nil, err
	}
	e := &CardExt{Code: code, OpenID: openid, Timestamp: strconv.FormatInt(time.Now().Unix(), 10), NonceStr: rand.Text()}
	e.Signature = signValues(ticket.Ticket, e.Timestamp, cardID, code, openid, e.NonceStr)
	return e, nil
}

// CardChoice is what a page hands to wx.chooseCard. Its JSON has wx.chooseCard's names.
type CardChoice struct {
	ShopID    string `json:"shopId"`   // cards of one shop; empty: of all
	CardType  string `json:"cardType"` // "GROUPON", "CASH" ...; empty: of all types
	CardID    string `json:"cardId"`   // one card; empty: all
	Timestamp int64  `json:"timestamp"`
	NonceStr  string `json:"nonceStr"`
	SignType  string `json:"signType"` // "SHA1"
	CardSign  string `json:"cardSign"`
}

// SignCardChoice signs the choice among a person's cards that a page offers. Empty arguments do not narrow it.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/OA_Web_Apps/JS-SDK.html
func (c *Client) SignCardChoice(ctx context.Context, shopID, cardType, cardID string) (*CardChoice, error) {
	ticket, err := c.GetTicket(ctx, &GetTicketRequest{Type: TicketCard})
	if err != nil {
		return nil, err
	}
	choice := &CardChoice{ShopID: shopID, CardType: cardType, CardID: cardID,
		Timestamp: time.Now().Unix(), NonceStr: rand.Text(), SignType: "SHA1"}
	choice.CardSign = signValues(ticket.Ticket, c.appID, shopID, strconv.FormatInt(choice.Timestamp, 10),
		choice.NonceStr, cardID, cardType)
	return choice, nil
}

// signValues is hex SHA-1 over the values in their own order, as cards are signed.
func signValues(values ...string) string {
	slices.Sort(values)
	sum := sha1.Sum([]byte(strings.Join(values, "")))
	return hex.EncodeToString(sum[:])
}
