package mock

import (
	"errors"
	"io"
	"time"

	"github.com/seed175cf469/wechat"
)

// complete fills in what only the call knows in an error that names no endpoint.
func complete(err error, call *wechat.Call) error {
	switch e := err.(type) { //nolint:errorlint // an error around one of these is the test's own and stays as it is
	case *wechat.Error:
		if e.Endpoint == "" {
			named := *e
			named.Endpoint, named.App = call.Spec.Name, call.App.ID
			return &named
		}
	case *wechat.OutcomeUnknownError:
		if e.Endpoint == "" {
			named := *e
			named.Endpoint, named.Err = call.Spec.Name, complete(e.Err, call)
			return &named
		}
	case *wechat.RetryExhaustedError:
		if e.Endpoint == "" {
			named := *e
			named.Endpoint, named.Err = call.Spec.Name, complete(e.Err, call)
			return &named
		}
	}
	return err
}

// refusal is an error as a client makes it of a reply. Endpoint and app are filled in by the Mock.
func refusal(kind wechat.Kind, code wechat.Code) *wechat.Error {
	return &wechat.Error{Code: code, Kind: kind, Message: textOf("", code), Status: 200}
}

// RateLimited is the failure of a call that would have to wait longer than the client does: a repeat can succeed
// after the given time. It has no errcode, as what comes from a gateway or from the program's own limits.
func RateLimited(after time.Duration) error {
	return &wechat.Error{Kind: wechat.ErrRateLimited, Status: 429, After: after, Err: errors.New("too many requests")}
}

// QuotaExhausted is the failure of a call whose quota of the day is used up (45009): a repeat can succeed after
// midnight UTC+8.
func QuotaExhausted() error {
	e := refusal(wechat.ErrQuotaExhausted, 45009)
	now := time.Now()
	e.After = nextDay(now).Sub(now)
	return e
}

// Unreachable is the failure of a message to somebody who does not follow the account (43004).
func Unreachable() error { return refusal(wechat.ErrUnreachable, 43004) }

// OutcomeUnknown is the failure of a call that may have been carried out: the reply was lost.
func OutcomeUnknown() error {
	return &wechat.OutcomeUnknownError{Attempts: 1, Err: &wechat.Error{Err: io.ErrUnexpectedEOF}}
}

// TokenInvalid is the failure of a call whose access token was refused again after it was refreshed (40001).
func TokenInvalid() error { return refusal(wechat.ErrTokenInvalid, 40001) }

// Credential is the failure of a call for which no token could be fetched, as the secret is wrong (40125).
func Credential() error { return refusal(wechat.ErrCredential, 40125) }

// Busy is the failure of a call that the server could not serve (-1).
func Busy() error { return refusal(wechat.ErrBusy, -1) }

// InvalidRequest is the failure of a call whose arguments are refused (40035).
func InvalidRequest() error { return refusal(wechat.ErrInvalidRequest, 40035) }

// Forbidden is the failure of a call that the account has no permission for (48001).
func Forbidden() error { return refusal(wechat.ErrForbidden, 48001) }

// ContentRefused is the failure of a call whose text or picture is refused (45168).
func ContentRefused() error { return refusal(wechat.ErrContent, 45168) }

// BadReply is the failure of a read whose reply was an HTML page.
func BadReply() error {
	return &wechat.Error{Kind: wechat.ErrBadReply, Status: 200, Err: errors.New("the reply is no JSON")}
}
