package wechat

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/seed175cf469/wechat/ratelimit"
)

const day = 24 * time.Hour

// appTokenCodes say that the access_token of the call is no good. Other codes about tokens concern device tokens,
// tickets and users' own tokens, which no fetch of ours mends.
var appTokenCodes = []Code{40001, 40014, 41001, 42001, 40082, 42009, 40094, 42006}

// classify tells what a failure of one of WeChat's own products means. The same number has several meanings:
// the text decides first, then the product, then the path.
func classify(spec Spec, status int, code Code, message string) Verdict {
	if code == 0 {
		return classifyStatus(status)
	}
	row, _ := errcode(spec.Product, code)
	v := Verdict{Kind: row.kind()}
	work := spec.Product == "work"
	switch {
	case v.Kind == ErrTokenInvalid:
		if !slices.Contains(appTokenCodes, code) {
			v.Kind = ErrInvalidRequest
		} else if usesSecret(spec) {
			v.Kind = ErrCredential // there is no token to be wrong here
		}
	case code == 45033 && work:
		v.Scope = ratelimit.ScopeConcurrency
	case code == 43108: // two sends to one person at once
		v = Verdict{Kind: ErrRateLimited, Scope: ratelimit.ScopeRecipient}
	case code == 45066: // the same clientmsgid again too soon
		v = Verdict{Kind: ErrRateLimited, Scope: ratelimit.ScopeRecipient, Window: time.Minute}
	case code == 45011 && spec.Path() == "/sns/jscode2session": // one person logs in too often, which one is not told
		v = Verdict{Kind: ErrRateLimited, Scope: ratelimit.ScopeRecipient, Window: time.Minute}
	case code == 45009 || code == 45011 || code == 44990 || code == 44991 || code == 44993:
		v.Scope = ratelimit.ScopeEndpoint
		v.Window = window(spec, code, message)
		v.Kind = ErrRateLimited
		if v.Window == day {
			v.Kind, v.Window = ErrQuotaExhausted, 0
		}
	}
	return v
}

// minutePaths are limited by the minute where the same code means the day elsewhere.
var minutePaths = []string{"/wxa/getwxacodeunlimit", "/publisher/stat"}

// window is the window of a limit of calls, by the text first.
func window(spec Spec, code Code, message string) time.Duration {
	message = strings.ToLower(message)
	switch {
	case strings.Contains(message, "daily") || strings.Contains(message, "day frequen"):
		return day
	case strings.Contains(message, "minute"):
		return time.Minute
	case strings.Contains(message, "second"):
		return time.Second
	case code == 44993:
		return day
	case code == 44990:
		return time.Second
	case code == 44991 || code == 45011 || spec.Product == "work" || slices.Contains(minutePaths, spec.Path()):
		return time.Minute // WeCom does not tell which; the longer ones show when a minute was not enough
	}
	return day
}

// classifyStatus is for replies without an errcode, from gateways.
func classifyStatus(status int) Verdict {
	switch {
	case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable, status == http.StatusRequestEntityTooLarge:
		return Verdict{Kind: ErrRateLimited, Scope: ratelimit.ScopeEndpoint}
	case status >= 500:
		return Verdict{Kind: ErrBusy}
	}
	return Verdict{Kind: ErrBadReply}
}

// usesSecret reports whether calls of spec carry the app's secret in place of a token.
func usesSecret(spec Spec) bool {
	for _, value := range spec.Const {
		if value == ConstSecret {
			return spec.NoToken
		}
	}
	return false
}
