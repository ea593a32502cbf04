package apisign

import (
	"errors"

	"github.com/seed175cf469/wechat"
)

// ErrRequest says that a call cannot be signed as it stands. Nothing was sent, and the client does not try again: it
// matches wechat.ErrInvalidRequest.
var ErrRequest error = requestError{}

type requestError struct{}

func (requestError) Error() string { return "the request cannot be signed" }

func (requestError) Is(target error) bool { return target == wechat.ErrInvalidRequest }

// Why a reply was refused. A *ReplyError matches one of them.
var (
	ErrUnsigned  = errors.New("the reply is not signed")
	ErrSerial    = errors.New("the reply is signed with a platform certificate that is not among the keys")
	ErrSignature = errors.New("the signature of the reply does not verify")
	ErrDecrypt   = errors.New("the reply cannot be decrypted")
	ErrReplay    = errors.New("the reply was made for another app or at another time")
)

// ReplyError says that a reply is not known to be the platform's, and was refused. What the call asked for may have
// been carried out all the same, so that a send ends as a wechat.OutcomeUnknownError around it.
type ReplyError struct {
	AppID  string
	Serial string // number of the platform certificate that the reply names; may be empty
	Err    error  // one of the reasons, perhaps with a cause
}

func (e *ReplyError) Error() string {
	text := "apisign: " + e.Err.Error()
	if e.Serial != "" {
		text += " (certificate " + e.Serial + ")"
	}
	return text
}

// Unwrap gives the reason.
func (e *ReplyError) Unwrap() error { return e.Err }
