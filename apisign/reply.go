package apisign

import (
	"context"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/seed175cf469/wechat/internal/wire"
)

// maxAge is how far the time of a reply may be from ours, in either direction.
const maxAge = 300 * time.Second

// open gives what the platform answered, in plain. What it does not return an error for is either the platform's own
// word, or says of itself that the call has failed.
func (t *transport) open(ctx context.Context, x *exchange, status int, h http.Header, body []byte) ([]byte, error) {
	refuse := func(reason, cause error) ([]byte, error) {
		if cause != nil {
			reason = fmt.Errorf("%w: %w", reason, cause)
		}
		return nil, &ReplyError{AppID: x.keys.AppID, Serial: h.Get(headerSerial), Err: reason}
	}
	if h.Get(headerSignature) == "" && h.Get(headerSignatureDeprecated) == "" {
		// Gateways do not sign what they refuse.
		if (status < 200 || status > 299 || isFailure(body)) && !saysDone(body) {
			return body, nil
		}
		return refuse(ErrUnsigned, nil)
	}
	appID, timestamp := h.Get(headerAppID), h.Get(headerTimestamp)
	if !equal(appID, x.keys.AppID) {
		return refuse(ErrReplay, fmt.Errorf("it is for the app %q", appID))
	}
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil {
		return refuse(ErrReplay, errors.New("its time is not a number"))
	}
	if age := time.Unix(t.now().Unix(), 0).Sub(time.Unix(seconds, 0)); age.Abs() > maxAge {
		return refuse(ErrReplay, fmt.Errorf("its time is %v from ours", age.Abs()))
	}
	serial, deprecated, signature := h.Get(headerSerial), false, h.Get(headerSignature)
	certificate := x.keys.Platform[serial]
	if certificate == nil {
		serial, deprecated, signature = h.Get(headerSerialDeprecated), true, h.Get(headerSignatureDeprecated)
		if certificate = x.keys.Platform[serial]; certificate == nil {
			return refuse(ErrSerial, nil)
		}
	}
	raw, err := base64.StdEncoding.DecodeString(signature)
	if err != nil {
		return refuse(ErrSignature, errors.New("it is not base64"))
	}
	if err := certificate.Verify(x.signed(timestamp, body), raw); err != nil {
		return refuse(ErrSignature, err)
	}
	if deprecated && t.deprecated != nil {
		t.deprecated(ctx, x.keys.AppID, serial)
	}
	if isFailure(body) {
		return body, nil
	}
	plain, err := x.decrypt(timestamp, body)
	if err != nil {
		return refuse(ErrDecrypt, err)
	}
	var inside struct {
		AppID     string `json:"_appid"`
		Timestamp int64  `json:"_timestamp"`
	}
	if err := wire.Unmarshal(plain, &inside); err != nil {
		return refuse(ErrDecrypt, err)
	}
	if !equal(inside.AppID, x.keys.AppID) || inside.Timestamp != seconds {
		return refuse(ErrReplay, errors.New("app or time inside differ from those outside"))
	}
	return original(plain)
}

func equal(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// sealed is the envelope.
type sealed struct {
	IV      []byte `json:"iv"`
	Data    []byte `json:"data"`
	AuthTag []byte `json:"authtag"`
}

// saysDone reports whether body has an errcode that the client takes for success, as an earlier attempt had arrived.
// Nobody may say that without a signature.
func saysDone(body []byte) bool {
	code, _, _, err := wire.Failure(body)
	return err == nil && (code == 45065 || code == 40241)
}

// isFailure reports whether body says by itself that the call failed: the platform may answer so without envelope.
func isFailure(body []byte) bool {
	code, _, _, err := wire.Failure(body)
	if err != nil || code == 0 {
		return false
	}
	fields, err := members(body)
	return err != nil || !slices.ContainsFunc(fields, func(m member) bool { return m.name == "data" || m.name == "authtag" })
}

func (x *exchange) decrypt(timestamp string, body []byte) ([]byte, error) {
	var s sealed
	// The cause could show a part of the reply.
	if err := json.Unmarshal(body, &s); err != nil {
		return nil, errors.New("its body is not JSON with iv, data and authtag")
	}
	if len(s.IV) != ivSize || len(s.AuthTag) != tagSize {
		return nil, fmt.Errorf("iv of %d and authtag of %d bytes in place of %d and %d", len(s.IV), len(s.AuthTag), ivSize, tagSize)
	}
	return x.keys.Cipher.Open(s.IV, append(s.Data, s.AuthTag...), x.additional(timestamp))
}

// original takes out what the platform added. What is not strict JSON is left to the client, which reads more than that.
func original(plain []byte) ([]byte, error) {
	fields, err := members(plain)
	if err != nil {
		return plain, nil //nolint:nilerr // see above
	}
	return object(slices.DeleteFunc(fields, func(m member) bool {
		return m.name == fieldNonce || m.name == fieldAppID || m.name == fieldTimestamp
	}))
}
