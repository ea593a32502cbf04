package miniprogram

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/ratelimit"
)

// Code2SessionRequest signs a user in.
type Code2SessionRequest struct {
	JSCode string `query:"js_code"` // from wx.login; works once, within five minutes
}

// Session is a user who has signed in.
type Session struct {
	SessionKey string `json:"session_key"` // secret: it must not reach the client side
	UnionID    string `json:"unionid"`     // empty unless the mini program is bound to an open-platform account
	OpenID     string `json:"openid"`
}

var code2Session = wechat.Endpoint[Code2SessionRequest, Session]{
	Name: "Code2Session", Pattern: "GET /sns/jscode2session",
	Effect:  wechat.EffectCreate, // it uses up the code
	NoToken: true,
	Const: map[string]string{
		"grant_type": "authorization_code", "appid": wechat.ConstAppID, "secret": wechat.ConstSecret,
	},
}

// Code2Session exchanges the code of wx.login for the user's openid and session key.
//
// A code works once. When the reply is lost (wechat.ErrOutcomeUnknown) the code is spent, and the client side has to
// call wx.login again. Errors: 40029 the code is wrong, used or older than five minutes; 40226 the user is blocked as a
// risk; 45011 this user signs in more than 100 times a minute, which does not concern other users.
//
// Official page: https://developers.weixin.qq.com/miniprogram/dev/server/API/user-login/api_code2session
func (c *Client) Code2Session(ctx context.Context, r *Code2SessionRequest) (*Session, error) {
	return code2Session.Do(ctx, c.caller, r)
}

// sigMethod is the one way to sign with a session key.
const sigMethod = "hmac_sha256"

// SessionRequest is about a user's session key, without showing it. SignSession makes one.
type SessionRequest struct {
	OpenID    string `query:"openid"`
	Signature string `query:"signature"` // hex HMAC-SHA256 of the empty text under the session key
}

// SignSession makes the request about the session key of openID.
func SignSession(openID, sessionKey string) *SessionRequest {
	return &SessionRequest{OpenID: openID, Signature: signSession(sessionKey, nil)}
}

// signSession signs body under a session key, which is used as the text that it is, not decoded.
func signSession(sessionKey string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(sessionKey))
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

var checkSessionKey = wechat.Endpoint[SessionRequest, wechat.None]{
	Name: "CheckSessionKey", Pattern: "GET /wxa/checksession",
	Effect: wechat.EffectRead,
	Const:  map[string]string{"sig_method": sigMethod},
}

// CheckSessionKey reports by its error whether a stored session key still holds: none says that it does, 87009 that it
// does not. A user has one session key at a time, and each wx.login may replace it.
//
//	err := c.CheckSessionKey(ctx, miniprogram.SignSession(openID, sessionKey))
//
// Official page: https://developers.weixin.qq.com/miniprogram/dev/server/API/user-login/api_checksessionkey
func (c *Client) CheckSessionKey(ctx context.Context, r *SessionRequest) error {
	return checkSessionKey.Exec(ctx, c.caller, r)
}

// ResetSession is a user's new session key.
type ResetSession struct {
	OpenID     string `json:"openid"`
	SessionKey string `json:"session_key"` // secret: it must not reach the client side
}

var resetUserSessionKey = wechat.Endpoint[SessionRequest, ResetSession]{
	Name: "ResetUserSessionKey", Pattern: "GET /wxa/resetusersessionkey",
	Effect: wechat.EffectCreate,
	Limits: []ratelimit.Limit{ratelimit.PerMinute(60_000)},
	Const:  map[string]string{"sig_method": sigMethod},
}

// ResetUserSessionKey replaces a user's session key, which SignSession has signed with, by a new one. The new key ends
// when the old one would have. When the reply is lost the old key may be dead: the user has to sign in again.
//
// At most 60,000 calls a minute, and few for one user. Errors: 87007 the key has ended, 87009 wrong signature.
//
// Official page: https://developers.weixin.qq.com/miniprogram/dev/server/API/user-login/api_resetusersessionkey
func (c *Client) ResetUserSessionKey(ctx context.Context, r *SessionRequest) (*ResetSession, error) {
	return resetUserSessionKey.Do(ctx, c.caller, r)
}

// PhoneNumberRequest asks for the phone number of a user who has agreed to give it.
type PhoneNumberRequest struct {
	Code   string `json:"code"`             // from the getPhoneNumber button, not from wx.login; works once, within five minutes
	OpenID string `json:"openid,omitempty"` // the code must be this user's
}

// PhoneNumber is the reply of GetPhoneNumber.
type PhoneNumber struct {
	PhoneInfo PhoneInfo `json:"phone_info"`
}

var getPhoneNumber = wechat.Endpoint[PhoneNumberRequest, PhoneNumber]{
	Name: "GetPhoneNumber", Pattern: "POST /wxa/business/getuserphonenumber",
	Effect: wechat.EffectCreate, // it uses up the code
}

// GetPhoneNumber exchanges the code of a getPhoneNumber button for the user's phone number. Errors: 40029 the code is
// wrong, used or older than five minutes; 40013 it is another mini program's.
//
// Official page: https://developers.weixin.qq.com/miniprogram/dev/server/API/user-info/phone-number/api_getphonenumber
func (c *Client) GetPhoneNumber(ctx context.Context, r *PhoneNumberRequest) (*PhoneNumber, error) {
	return getPhoneNumber.Do(ctx, c.caller, r)
}
