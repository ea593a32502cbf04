package mock

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/internal/wxcrypt"
)

// How the platform pushes.
const (
	pushTimeout  = 5 * time.Second
	checkTimeout = time.Second // WeCom; others allow 5
	pushTries    = 3
)

// Pusher pushes messages and events to a server as the platform does: signed, encrypted where there is a Key, and again
// where no answer comes. It is for tests of a program's own handler.
//
//	p := &mock.Pusher{Handler: handler, ID: "wx...", Token: "...", Key: "..."}
//	answer, err := p.Push(ctx, callback.XML(&callback.Text{Content: "hello"}))
//
// Its fields must not be changed while it is used.
type Pusher struct {
	Handler http.Handler // receives pushes in memory
	URL     string       // or over HTTP, with Client
	Client  *http.Client // nil: http.DefaultClient

	ID    string // for whom pushes are encrypted: the AppID, corp id or suite id
	Token wechat.Secret
	Key   wechat.Secret // EncodingAESKey; empty: plain mode
	// Compatible adds the clear fields to what is encrypted, as the compatible mode does.
	Compatible bool
	// Work signs as WeCom does, which also encrypts URL checks. Bot does so too, and writes small letters.
	Work, Bot bool
	// Time is when pushes are said to be made; zero: now.
	Time time.Time
}

// PushAnswer is what a server answered a push.
type PushAnswer struct {
	Status int
	Body   []byte // in the clear
	Tries  int    // how often it was pushed
}

// Push pushes a message, which is XML or JSON as the server is to see it, and again after 5 seconds, or at once after a
// failure, up to three times in all: until the status is 200 and the body is well signed and encrypted. The error is that
// of the last try.
func (p *Pusher) Push(ctx context.Context, message []byte) (PushAnswer, error) {
	var running sync.WaitGroup
	defer running.Wait() // a server in memory that was slow
	var answer PushAnswer
	var err error
	for try := 1; try <= pushTries; try++ {
		if err := ctx.Err(); err != nil {
			return answer, err
		}
		answer, err = p.push(ctx, message, &running)
		answer.Tries = try
		if err == nil {
			return answer, nil
		}
	}
	return answer, fmt.Errorf("mock: pushed %d times: %w", pushTries, err)
}

func (p *Pusher) push(ctx context.Context, message []byte, running *sync.WaitGroup) (PushAnswer, error) {
	query, stamp := p.query()
	body := message
	contentType := "text/xml"
	isJSON := bytes.HasPrefix(bytes.TrimSpace(message), []byte("{"))
	if isJSON {
		contentType = "application/json"
	}
	if p.Key != "" {
		key, err := wxcrypt.ParseKey(p.Key.Reveal())
		if err != nil {
			return PushAnswer{}, fmt.Errorf("mock: %w", err)
		}
		text := key.Encrypt(message, p.ID)
		query.Set("msg_signature", wxcrypt.Sign(append(stamp, text)...))
		if !p.Work && !p.Bot {
			query.Set("encrypt_type", "aes")
		}
		body = p.wrap(message, text, isJSON)
	}
	status, reply, err := p.do(ctx, http.MethodPost, query, body, contentType, pushTimeout, running)
	answer := PushAnswer{Status: status, Body: reply}
	if err != nil {
		return answer, err
	}
	if status != http.StatusOK {
		return answer, fmt.Errorf("the server answered status %d", status)
	}
	if p.Key != "" && len(reply) > 0 && string(reply) != "success" {
		answer.Body, err = p.unwrap(reply)
	}
	return answer, err
}

// Check makes the check of a URL that the console makes, and returns an error unless the server passes it.
func (p *Pusher) Check(ctx context.Context) error {
	var running sync.WaitGroup
	defer running.Wait()
	query, stamp := p.query()
	want := strconv.FormatUint(rand.Uint64(), 10)
	echo := want
	limit := pushTimeout
	if p.Work || p.Bot {
		key, err := wxcrypt.ParseKey(p.Key.Reveal())
		if err != nil {
			return fmt.Errorf("mock: %w", err)
		}
		limit = checkTimeout
		echo = key.Encrypt([]byte(want), p.ID)
		query.Set("msg_signature", wxcrypt.Sign(append(stamp, echo)...))
	}
	query.Set("echostr", echo)
	status, body, err := p.do(ctx, http.MethodGet, query, nil, "", limit, &running)
	switch {
	case err != nil:
		return fmt.Errorf("mock: %w", err)
	case status != http.StatusOK:
		return fmt.Errorf("mock: the server answered status %d", status)
	case string(body) != want:
		return errors.New("mock: the server did not answer the echostr, and nothing else")
	}
	return nil
}

// query has what every request has, and the parts of a signature: token, timestamp, nonce.
func (p *Pusher) query() (query url.Values, stamp []string) {
	at := p.Time
	if at.IsZero() {
		at = time.Now()
	}
	timestamp, nonce := strconv.FormatInt(at.Unix(), 10), strconv.FormatUint(uint64(rand.Uint32()), 10)
	stamp = []string{p.Token.Reveal(), timestamp, nonce}
	query = url.Values{"timestamp": {timestamp}, "nonce": {nonce}}
	if !p.Work && !p.Bot {
		query.Set("signature", wxcrypt.Sign(stamp...))
	}
	return query, stamp
}

// wrap is the body of an encrypted push.
func (p *Pusher) wrap(message []byte, text string, isJSON bool) []byte {
	message = bytes.TrimSpace(message)
	switch {
	case p.Bot:
		return []byte(`{"encrypt":"` + text + `"}`)
	case isJSON && p.Compatible:
		return append(message[:len(message)-1:len(message)-1], `,"Encrypt":"`+text+`"}`...)
	case isJSON:
		return []byte(`{"ToUserName":"` + p.ID + `","Encrypt":"` + text + `"}`)
	case p.Compatible:
		inner := bytes.TrimSuffix(message, []byte("</xml>"))
		return append(inner[:len(inner):len(inner)], "<Encrypt><![CDATA["+text+"]]></Encrypt></xml>"...)
	}
	return []byte("<xml><ToUserName><![CDATA[" + p.ID + "]]></ToUserName><Encrypt><![CDATA[" + text + "]]></Encrypt></xml>")
}

// unwrap checks and decrypts an answer.
func (p *Pusher) unwrap(reply []byte) ([]byte, error) {
	var e struct { // JSON's names are matched whatever their case, as those of bots are small
		Encrypt      string
		MsgSignature string
		TimeStamp    json.Number
		Nonce        string
	}
	var err error
	if reply[0] == '{' {
		err = json.Unmarshal(reply, &e)
	} else {
		err = xml.Unmarshal(reply, &e)
	}
	if err != nil {
		return nil, errors.New("the answer is not encrypted")
	}
	if !wxcrypt.Verify(e.MsgSignature, p.Token.Reveal(), e.TimeStamp.String(), e.Nonce, e.Encrypt) {
		return nil, errors.New("the answer is wrongly signed")
	}
	key, err := wxcrypt.ParseKey(p.Key.Reveal())
	if err != nil {
		return nil, err
	}
	clear, receiver, err := key.Decrypt(e.Encrypt)
	if err == nil && receiver != p.ID {
		err = errors.New("the answer is encrypted for another receiver")
	}
	return clear, err
}

// do makes a request, in memory or over HTTP, and hangs up after limit.
func (p *Pusher) do(ctx context.Context, method string, query url.Values, body []byte, contentType string, limit time.Duration, running *sync.WaitGroup) (status int, reply []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	target := p.URL
	if p.Handler != nil {
		target = "http://callback.invalid/"
	}
	joint := "?"
	if strings.Contains(target, "?") {
		joint = "&"
	}
	r, err := http.NewRequestWithContext(ctx, method, target+joint+query.Encode(), bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	if p.Handler == nil {
		client := p.Client
		if client == nil {
			client = http.DefaultClient
		}
		resp, err := client.Do(r)
		if err != nil {
			return 0, nil, err
		}
		reply, err = io.ReadAll(resp.Body)
		return resp.StatusCode, reply, errors.Join(err, resp.Body.Close())
	}
	w := httptest.NewRecorder()
	done := make(chan struct{})
	running.Go(func() {
		defer close(done)
		p.Handler.ServeHTTP(w, r)
	})
	select {
	case <-done:
		return w.Code, w.Body.Bytes(), nil
	case <-ctx.Done():
		return 0, nil, fmt.Errorf("the server did not answer in %v: %w", limit, ctx.Err())
	}
}
