// Package tokencentre lets one process fetch the access tokens that others use. The others need neither the secrets of the
// apps nor an address on the accounts' allow lists, and no two of them fetch at once.
//
// The centre:
//
//	client := wechat.New()
//	http.Handle("/token", tokencentre.Handler(client, password, map[string]tokencentre.Account{
//		"shop": {Product: officialaccount.Product(), App: wechat.App{ID: "wx...", Secret: "..."}},
//	}))
//
// The others:
//
//	oa := officialaccount.New(wechat.New(), wechat.App{ID: "wx...", TokenSource: tokencentre.Source(url, password, "shop", nil)})
//
// A process that is refused with a token says so, and gets another: the one that the centre has got meanwhile, or a new one.
// It keeps what it gets in memory until that nears its end, so that a centre which is down for an hour is hardly noticed.
// Several centres may share a wechat.TokenStore.
//
// Tokens travel in the reply and the password in a header. Use HTTPS, or a network that nobody else is on.
package tokencentre

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/seed175cf469/wechat"
)

// Account is an app whose tokens a centre serves.
type Account struct {
	Product *wechat.Product // officialaccount.Product() and the like
	App     wechat.App
}

// What is asked and what is answered, as JSON over POST. Lives are in milliseconds from now, so that clocks do not matter.
type question struct {
	Name    string `json:"name"`
	Refused string `json:"refused,omitempty"`
}

type answer struct {
	Token string `json:"token,omitempty"`
	Life  int64  `json:"life,omitempty"` // 0: it never ends

	Kind    string `json:"kind,omitempty"` // of the failure
	Message string `json:"message,omitempty"`
	After   int64  `json:"after,omitempty"` // when a repeat can succeed
}

const (
	maxBody = 1 << 16
	timeout = 30 * time.Second // for one question, where a client has no time-out of its own
)

// Handler serves the tokens of accounts, which are known to those who ask by the names in the map, to whoever has the
// password. An empty password lets nobody in. Tokens are got through c, with its store, retries and observers. It is safe
// for concurrent use; accounts must not be changed any more.
func Handler(c *wechat.Client, password wechat.Secret, accounts map[string]Account) http.Handler {
	want := sha256.Sum256([]byte(password))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		got := sha256.Sum256([]byte(given))
		if subtle.ConstantTimeCompare(got[:], want[:]) != 1 || !ok || password == "" {
			reply(w, http.StatusUnauthorized, answer{Kind: wechat.ErrCredential.Error(), Message: "the password is wrong"})
			return
		}
		if r.Method != http.MethodPost {
			w.Header().Set("Allow", http.MethodPost)
			reply(w, http.StatusMethodNotAllowed, answer{Kind: wechat.ErrInvalidRequest.Error(), Message: "only POST is answered"})
			return
		}
		var q question
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&q); err != nil {
			reply(w, http.StatusBadRequest, answer{Kind: wechat.ErrInvalidRequest.Error(), Message: "the question is not JSON"})
			return
		}
		account, ok := accounts[q.Name]
		if !ok {
			reply(w, http.StatusNotFound, answer{Kind: wechat.ErrInvalidRequest.Error(), Message: "no account has this name"})
			return
		}
		t, err := c.Token(r.Context(), account.Product, account.App, wechat.Token{Value: wechat.Secret(q.Refused)})
		if err != nil {
			reply(w, http.StatusBadGateway, failure(err))
			return
		}
		a := answer{Token: t.Value.Reveal()}
		if !t.Expiry.IsZero() {
			a.Life = max(time.Until(t.Expiry).Milliseconds(), 1)
		}
		reply(w, http.StatusOK, a)
	})
}

// failure describes err, whose text has no secrets.
func failure(err error) answer {
	a := answer{Message: err.Error()}
	var e *wechat.Error
	if errors.As(err, &e) {
		if e.Kind != 0 {
			a.Kind = e.Kind.Error()
		}
		a.After = e.After.Milliseconds()
	}
	return a
}

func reply(w http.ResponseWriter, status int, a answer) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(a) // who asked has gone away
}

// Source asks the centre at url for the tokens of the account of that name. h carries the questions; nil is a client with a
// time-out of 30 s. What the centre could not get fails as it did there: errors.Is finds the kind, and wechat.RetryAfter the
// time to come back.
func Source(url string, password wechat.Secret, name string, h *http.Client) wechat.TokenSource {
	if h == nil {
		h = &http.Client{Timeout: timeout}
	}
	return wechat.TokenFunc(func(ctx context.Context, refused wechat.Token) (wechat.Token, error) {
		asked := time.Now() // the token may have lived a while when the reply is here
		a, err := ask(ctx, h, url, password, question{Name: name, Refused: refused.Value.Reveal()})
		if err != nil {
			return wechat.Token{}, err
		}
		t := wechat.Token{Value: wechat.Secret(a.Token)}
		if a.Life > 0 {
			t.Expiry = asked.Add(time.Duration(a.Life) * time.Millisecond)
		}
		return t, nil
	})
}

func ask(ctx context.Context, h *http.Client, url string, password wechat.Secret, q question) (answer, error) {
	body, err := json.Marshal(q)
	if err != nil {
		return answer{}, fmt.Errorf("tokencentre: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return answer{}, fmt.Errorf("tokencentre: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+password.Reveal())
	req.Header.Set("Content-Type", "application/json")
	resp, err := h.Do(req)
	if err != nil {
		return answer{}, fmt.Errorf("tokencentre: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	var a answer
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxBody)).Decode(&a); err != nil {
		// The text of err could show what was read.
		return answer{}, &wechat.Error{Kind: wechat.ErrBadReply, Status: resp.StatusCode, Message: "the token centre's answer is not JSON"}
	}
	switch {
	case resp.StatusCode != http.StatusOK:
		return answer{}, &wechat.Error{Kind: kindOf(a.Kind), Status: resp.StatusCode, After: time.Duration(a.After) * time.Millisecond,
			Message: "token centre: " + a.Message}
	case a.Token == "":
		return answer{}, &wechat.Error{Kind: wechat.ErrBadReply, Status: resp.StatusCode, Message: "the token centre's answer has no token"}
	}
	return a, nil
}

// kindOf is the kind with a text, or zero.
func kindOf(text string) wechat.Kind {
	for k := wechat.ErrTokenInvalid; k <= wechat.ErrBadReply; k++ {
		if k.Error() == text {
			return k
		}
	}
	return 0
}
