package miniprogram

import (
	"context"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/ratelimit"
)

// EnvVersion is which version of the mini program a code or link opens.
type EnvVersion string

// The versions.
const (
	EnvRelease EnvVersion = "release" // the default
	EnvTrial   EnvVersion = "trial"
	EnvDevelop EnvVersion = "develop"
)

// Color is a colour; each part is 0 to 255.
type Color struct {
	R int `json:"r"`
	G int `json:"g"`
	B int `json:"b"`
}

// QRCodeRequest asks for a mini program code of a page.
type QRCodeRequest struct {
	Path       string     `json:"path"`                 // the page with its query, at most 1024 characters
	Width      int        `json:"width,omitempty"`      // pixels, 280 to 1280; 0: 430
	AutoColor  bool       `json:"auto_color,omitempty"` // the lines get a colour that fits
	LineColor  *Color     `json:"line_color,omitempty"` // only without AutoColor; nil: black
	IsHyaline  bool       `json:"is_hyaline,omitempty"` // no background
	EnvVersion EnvVersion `json:"env_version,omitempty"`
}

var getQRCode = wechat.Endpoint[QRCodeRequest, wechat.Blob]{
	Name: "GetQRCode", Pattern: "POST /wxa/getwxacode",
	Effect: wechat.EffectCreate,
}

// GetQRCode draws a mini program code for a page with its query. An account has 100,000 of them for its life, together
// with those of CreateQRCode (45029: used up); GetUnlimitedQRCode has no such bound. The code lasts for ever. Errors:
// 40159 the path is too long, 85096 the query has the reserved name scancode_time.
//
// Official page: https://developers.weixin.qq.com/miniprogram/dev/server/API/qrcode-link/qr-code/api_getqrcode
func (c *Client) GetQRCode(ctx context.Context, r *QRCodeRequest) (*wechat.Blob, error) {
	return getQRCode.Do(ctx, c.caller, r)
}

// UnlimitedQRCodeRequest asks for a mini program code that carries a value.
type UnlimitedQRCodeRequest struct {
	// Scene is what the page gets: at most 32 of the letters, digits and !#$&'()*+,/:;=?@-._~ and no %.
	Scene string `json:"scene"`
	Page  string `json:"page,omitempty"` // neither a leading slash nor a query; "": the first page
	// CheckPath false makes codes for pages that are not published, for at most 60,000 pages; nil is true.
	CheckPath  *bool      `json:"check_path,omitempty"`
	EnvVersion EnvVersion `json:"env_version,omitempty"`
	Width      int        `json:"width,omitempty"`      // pixels, 280 to 1280; 0: 430
	AutoColor  bool       `json:"auto_color,omitempty"` // the lines get a colour that fits
	LineColor  *Color     `json:"line_color,omitempty"` // only without AutoColor; nil: black
	IsHyaline  bool       `json:"is_hyaline,omitempty"` // no background
}

var getUnlimitedQRCode = wechat.Endpoint[UnlimitedQRCodeRequest, wechat.Blob]{
	Name: "GetUnlimitedQRCode", Pattern: "POST /wxa/getwxacodeunlimit",
	Effect: wechat.EffectRead,
	Limits: []ratelimit.Limit{ratelimit.PerMinute(5_000)},
}

// GetUnlimitedQRCode draws a mini program code that carries Scene, any number of them, at most 5,000 a minute. The code
// lasts for ever; the page reads Scene from its options, percent-encoded. Errors: 41030 the page is not in the released
// version, 40129 Scene has a character that is not allowed, 40169 it is empty or too long.
//
// Official page: https://developers.weixin.qq.com/miniprogram/dev/server/API/qrcode-link/qr-code/api_getunlimitedqrcode
func (c *Client) GetUnlimitedQRCode(ctx context.Context, r *UnlimitedQRCodeRequest) (*wechat.Blob, error) {
	return getUnlimitedQRCode.Do(ctx, c.caller, r)
}

// SquareQRCodeRequest asks for a square QR code of a page.
type SquareQRCodeRequest struct {
	Path  string `json:"path"`            // the page with its query, at most 128 characters
	Width int    `json:"width,omitempty"` // pixels, 280 to 1280; 0: 430
}

var createQRCode = wechat.Endpoint[SquareQRCodeRequest, wechat.Blob]{
	Name: "CreateQRCode", Pattern: "POST /cgi-bin/wxaapp/createwxaqrcode",
	Effect: wechat.EffectCreate,
}

// CreateQRCode draws an ordinary square QR code for a page with its query. An account has 100,000 of them for its life,
// together with those of GetQRCode (45029: used up).
//
// Official page: https://developers.weixin.qq.com/miniprogram/dev/server/API/qrcode-link/qr-code/api_createqrcode
func (c *Client) CreateQRCode(ctx context.Context, r *SquareQRCodeRequest) (*wechat.Blob, error) {
	return createQRCode.Do(ctx, c.caller, r)
}
