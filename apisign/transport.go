package apisign

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"time"

	"github.com/seed175cf469/wechat"
)

// maxReply bounds the encrypted replies, in bytes: 10 MiB of JSON, as base64.
const maxReply = 14 << 20

// Option configures a Transport.
type Option func(*transport)

// Only signs the calls of the endpoints with these names, such as "GetPhoneNumber", and no others. A named call that
// cannot be signed, because it is a GET, an upload or a call without token, fails with ErrRequest in place of going
// out unprotected.
func Only(names ...string) Option {
	return func(t *transport) {
		if t.only == nil {
			t.only = map[string]bool{}
		}
		for _, name := range names {
			t.only[name] = true
		}
	}
}

// OnDeprecated is called for each reply that could be verified only with a platform certificate that is about to be
// replaced: the console has a newer one by then, which belongs into Keys.Platform. It must be quick and safe for
// concurrent use.
func OnDeprecated(f func(ctx context.Context, appID, serial string)) Option {
	return func(t *transport) { t.deprecated = f }
}

// Transport returns what wechat.WithTransport takes: it signs and encrypts the calls of the apps that keys has keys
// of, and verifies and decrypts the replies. Put it last, so that other transports see what the program sees.
//
// By default it signs every POST of JSON that carries the app's token. Other calls go out as they are, as do those of
// apps without keys.
func Transport(keys Keyring, opts ...Option) func(next http.RoundTripper) http.RoundTripper {
	return func(next http.RoundTripper) http.RoundTripper {
		t := &transport{next: next, keys: keys, now: time.Now, random: rand.Reader}
		for _, opt := range opts {
			opt(t)
		}
		return t
	}
}

type transport struct {
	next       http.RoundTripper
	keys       Keyring
	only       map[string]bool // nil: all that can be signed
	deprecated func(ctx context.Context, appID, serial string)
	now        func() time.Time
	random     io.Reader
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	call, ok := wechat.CallFrom(r.Context())
	if !ok {
		return t.next.RoundTrip(r)
	}
	can := !call.Spec.NoToken && signable(r)
	wanted := can
	if t.only != nil {
		wanted = t.only[call.Spec.Name]
	}
	if !wanted {
		return t.next.RoundTrip(r)
	}
	keys, err := t.keys.KeysFor(r.Context(), call.App.ID)
	if errors.Is(err, ErrNoKeys) {
		return t.next.RoundTrip(r)
	}
	if r.Body != nil {
		defer func() { _ = r.Body.Close() }() // it has been read, or is of no use any more
	}
	if err == nil {
		err = keys.check(call.App.ID)
	}
	if err != nil {
		return nil, unsent(r, fmt.Errorf("apisign: keys of %s: %w", call.App.ID, err))
	}
	if !can {
		return nil, unsent(r, fmt.Errorf("apisign: %w: the platform defines that for POSTs of JSON with a token only", ErrRequest))
	}
	x := &exchange{keys: keys, urlPath: r.URL.Scheme + "://" + r.URL.Host + r.URL.EscapedPath()}
	out, err := t.seal(x, r)
	if err != nil {
		return nil, unsent(r, fmt.Errorf("apisign: %w: %w", ErrRequest, err))
	}
	resp, err := t.next.RoundTrip(out)
	if err != nil {
		return nil, err
	}
	body, err := readAll(resp.Body)
	if err != nil {
		return nil, err
	}
	plain, err := t.open(r.Context(), x, resp.StatusCode, resp.Header, body)
	if err != nil {
		return nil, err
	}
	resp.Request = r
	resp.Body, resp.ContentLength, resp.TransferEncoding = io.NopCloser(bytes.NewReader(plain)), int64(len(plain)), nil
	resp.Header.Set("Content-Length", strconv.Itoa(len(plain)))
	return resp, nil
}

// unsent lets the client see that nothing was sent: a connection was wanted, and none was got.
func unsent(r *http.Request, err error) error {
	if trace := httptrace.ContextClientTrace(r.Context()); trace != nil && trace.GetConn != nil {
		trace.GetConn(r.URL.Host)
	}
	return err
}

func readAll(reply io.ReadCloser) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(reply, maxReply+1))
	if err := errors.Join(err, reply.Close()); err != nil {
		return nil, err
	}
	if len(body) > maxReply {
		return nil, fmt.Errorf("apisign: the reply is larger than %d bytes", maxReply)
	}
	return body, nil
}
