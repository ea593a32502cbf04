package callback

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/seed175cf469/wechat/internal/wxcrypt"
)

// Receiver handles a push and returns what to answer, or nil. ctx ends shortly before the platform hangs up; what
// takes longer is handed to Go. An error is answered with a failure, upon which the platform pushes again, up to
// three times in all.
//
// Several pushes are handled at once, and their order is not that of the events.
type Receiver func(ctx context.Context, m Message) (Reply, error)

// Middleware wraps a Receiver.
type Middleware func(next Receiver) Receiver

// Handler receives the pushes of one account over HTTP, at any path. It is safe for concurrent use.
type Handler struct {
	config      Config
	credentials []credential
	receive     Receiver
	work        work
	inHand      sync.Map // keys of the pushes that this process handles
}

// New returns a Handler that hands pushes to receive, for example to a Router's Receive.
func New(c Config, receive Receiver) (*Handler, error) {
	credentials, err := c.complete()
	if err != nil {
		return nil, err
	}
	if receive == nil {
		return nil, errors.New("callback: there is no receiver")
	}
	return &Handler{config: c, credentials: credentials, receive: receive, work: newWork()}, nil
}

// RefusedError is why a request was turned away. It shows nothing of its content.
type RefusedError struct {
	Status int // the HTTP status that it was answered with
	Reason string
	Err    error // what is below; nil: nothing
}

func (e *RefusedError) Error() string {
	if e.Err != nil {
		return "callback: refused: " + e.Reason + ": " + e.Err.Error()
	}
	return "callback: refused: " + e.Reason
}

// Unwrap gives what is below.
func (e *RefusedError) Unwrap() error { return e.Err }

func refused(status int, reason string, err error) *RefusedError {
	return &RefusedError{Status: status, Reason: reason, Err: err}
}

// success is the answer that has nothing to say.
const success = "success"

// ServeHTTP answers URL checks and pushes. What is not from the platform gets a status and nothing else.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body []byte
	var err error
	switch r.Method {
	case http.MethodGet:
		body, err = h.check(r.URL.Query())
	case http.MethodPost:
		body, err = h.push(w, r)
	default:
		w.Header().Set("Allow", "GET, POST")
		err = refused(http.StatusMethodNotAllowed, "the method is neither GET nor POST", nil)
	}
	header := w.Header()
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Content-Type", contentType(r.Method, body))
	if err != nil {
		h.config.Report(r.Context(), err)
		status := http.StatusInternalServerError
		var refusal *RefusedError
		if errors.As(err, &refusal) {
			status = refusal.Status
		}
		body = []byte(http.StatusText(status))
		w.WriteHeader(status)
	}
	//nolint:gosec // G705: an echostr is signed by the platform, and is text that no browser sniffs
	_, _ = w.Write(body) // a platform that hung up pushes again
}

func contentType(method string, body []byte) string {
	if method == http.MethodPost && len(body) > 0 {
		switch body[0] {
		case '<':
			return "application/xml; charset=utf-8"
		case '{':
			return "application/json; charset=utf-8"
		}
	}
	return "text/plain; charset=utf-8"
}

// envelope is what a request says of itself in its query.
type envelope struct {
	signature    string // of time and nonce
	msgSignature string // of the cipher text too
	timestamp    string
	nonce        string
}

func openEnvelope(q url.Values) envelope {
	return envelope{q.Get("signature"), q.Get("msg_signature"), q.Get("timestamp"), q.Get("nonce")}
}

// verified finds the credentials whose token signed what is in the envelope, and checks its time.
func (h *Handler) verified(e envelope, signature string, parts ...string) (fit []credential, err error) {
	if signature == "" || e.timestamp == "" || e.nonce == "" {
		return nil, refused(http.StatusBadRequest, "the signature, timestamp or nonce is missing", nil)
	}
	parts = append(parts, e.timestamp, e.nonce)
	for _, c := range h.credentials {
		if wxcrypt.Verify(signature, append(parts, c.token)...) {
			fit = append(fit, c)
		}
	}
	if fit == nil {
		return nil, refused(http.StatusForbidden, "the signature is wrong: another Token, or a forgery", nil)
	}
	seconds, err := strconv.ParseInt(e.timestamp, 10, 64)
	if err != nil {
		return nil, refused(http.StatusBadRequest, "the timestamp is no number", nil)
	}
	if skew := time.Since(time.Unix(seconds, 0)); h.config.Window > 0 && skew.Abs() > h.config.Window {
		return nil, refused(http.StatusForbidden, fmt.Sprintf(
			"the push is %v off this server's clock, and %v are allowed: the clock is wrong, or this is an old push sent again",
			skew.Round(time.Second), h.config.Window), nil)
	}
	return fit, nil
}

// opened is what was decrypted, and how an answer is to be encrypted.
type opened struct {
	clear    []byte
	receiver string
	credential
}

// open decrypts with the first of the credentials that can.
func (h *Handler) open(fit []credential, text string) (opened, error) {
	var err error
	for _, c := range fit {
		o := opened{credential: c}
		if o.clear, o.receiver, err = c.key.Decrypt(text); err != nil {
			continue
		}
		if !h.config.Accept(o.receiver) {
			err = errReceiver
			continue
		}
		return o, nil
	}
	return opened{}, refused(http.StatusForbidden, "the push cannot be decrypted", err)
}

var errReceiver = errors.New("it is for another receiver than Config.ID and Config.Accept allow")

// check answers the check of the URL that the console makes.
func (h *Handler) check(q url.Values) ([]byte, error) {
	e, echo := openEnvelope(q), q.Get("echostr")
	if echo == "" {
		return nil, refused(http.StatusBadRequest, "a GET without echostr is no URL check", nil)
	}
	if h.config.CloudHosting {
		return nil, refused(http.StatusForbidden, "cloud hosting makes no URL check", nil)
	}
	if !h.config.Product.wecom() {
		if _, err := h.verified(e, e.signature); err != nil {
			return nil, err
		}
		return []byte(echo), nil
	}
	echo = strings.ReplaceAll(echo, " ", "+") // a relay decoded it once too often
	fit, err := h.verified(e, e.msgSignature, echo)
	if err != nil {
		return nil, err
	}
	o, err := h.open(fit, echo)
	return o.clear, err
}

// push answers a push.
func (h *Handler) push(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	e := openEnvelope(r.URL.Query())
	plain := h.config.CloudHosting || h.credentials[0].key == nil
	if plain && !h.config.CloudHosting {
		if _, err := h.verified(e, e.signature); err != nil {
			return nil, err
		}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, h.config.MaxBody))
	if err != nil {
		var large *http.MaxBytesError
		if errors.As(err, &large) {
			return nil, refused(http.StatusRequestEntityTooLarge, "the body is larger than Config.MaxBody", nil)
		}
		return nil, refused(http.StatusBadRequest, "the body could not be read", err)
	}
	if plain {
		return h.pushPlain(r, e, body)
	}
	root, outer, err := parse(body, "Encrypt")
	if err != nil {
		return nil, refused(http.StatusBadRequest, "the body cannot be read", err)
	}
	text := root.get("Encrypt")
	if text == "" {
		return nil, refused(http.StatusForbidden, "the body is not encrypted, and the account has a Key", nil)
	}
	fit, err := h.verified(e, e.msgSignature, text)
	if err != nil {
		return nil, err
	}
	o, err := h.open(fit, text)
	if err != nil {
		return nil, err
	}
	m, err := h.read(o.clear)
	if err != nil {
		return nil, err
	}
	answer, err := h.answer(r.Context(), m)
	if err != nil || answer == nil {
		return h.nothing(), err
	}
	return h.seal(answer, o, outer), nil
}

// pushPlain answers a push that is not encrypted.
func (h *Handler) pushPlain(r *http.Request, e envelope, body []byte) ([]byte, error) {
	if h.config.CloudHosting && r.Header.Get("X-Wx-Source") == "" {
		return nil, refused(http.StatusForbidden, "the push did not come through cloud hosting", nil)
	}
	m, err := h.read(body)
	if err != nil {
		return nil, err
	}
	head := m.Head()
	if h.config.CloudHosting && head.src.root.get("action") == "CheckContainerPath" {
		return []byte(success), nil
	}
	if head.MsgType == "" && head.InfoType == "" {
		if head.src.root.get("Encrypt") != "" {
			return nil, refused(http.StatusBadRequest, "the push is encrypted, and the account has no Key", nil)
		}
		return nil, refused(http.StatusBadRequest, "the push has no MsgType", nil)
	}
	if !h.config.CloudHosting && h.config.Window > 0 {
		if err := h.fresh(r.Context(), e.signature, head.identity(h.config.Product)); err != nil {
			return nil, err
		}
	}
	answer, err := h.answer(r.Context(), m)
	if err != nil || answer == nil {
		return h.nothing(), err
	}
	return answer, nil
}

func (h *Handler) read(clear []byte) (Message, error) {
	m, err := Parse(h.config.Product, clear)
	if err != nil {
		return nil, refused(http.StatusBadRequest, "the push cannot be read", err)
	}
	return m, nil
}

// nothing is the body of an answer that has nothing to say.
func (h *Handler) nothing() []byte {
	if h.config.Product == Bot {
		return nil
	}
	return []byte(success)
}

// seal encrypts an answer, in an envelope of the format in which the push came.
func (h *Handler) seal(answer []byte, o opened, f format) []byte {
	text := o.key.Encrypt(answer, o.receiver)
	now, nonce := strconv.FormatInt(time.Now().Unix(), 10), strconv.FormatUint(uint64(rand.Uint32()), 10)
	kids := []node{
		{name: "Encrypt", text: text},
		{name: "MsgSignature", text: wxcrypt.Sign(o.token, now, nonce, text)},
		{name: "TimeStamp", text: now, number: true},
		{name: "Nonce", text: nonce},
	}
	if h.config.Product == Bot {
		for i := range kids {
			kids[i].name = strings.ToLower(kids[i].name)
		}
	}
	return write(kids, f)
}
