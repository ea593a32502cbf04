package mock_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed175cf469/wechat/callback"
	"github.com/seed175cf469/wechat/mock"
)

const (
	pushID  = "wx00112233445566ff"
	pushKey = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG"
)

func echo(_ context.Context, m callback.Message) (callback.Reply, error) {
	switch m := m.(type) {
	case *callback.Text:
		return callback.TextReply{Content: "You said " + m.Content}, nil
	case *callback.BotText:
		return callback.BotStreamReply{ID: "1", Finish: true, Content: "You said " + m.Text.Content}, nil
	}
	return nil, errors.New("another message")
}

func pushHandler(t *testing.T, c callback.Config, receive callback.Receiver) *callback.Handler {
	t.Helper()
	h, err := callback.New(c, receive)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Shutdown(context.Background()) })
	return h
}

// TestPusher pushes in every mode that the platform has.
func TestPusher(t *testing.T) {
	xmlText, jsonText := callback.XML(&callback.Text{Content: "hello"}), callback.JSON(&callback.Text{Content: "hello"})
	bot := callback.JSON(&callback.BotText{Text: callback.BotTextContent{Content: "hello"}})
	for _, v := range []struct {
		name    string
		product callback.Product
		pusher  mock.Pusher
		message []byte
	}{
		{"plain", callback.OfficialAccount, mock.Pusher{}, xmlText},
		{"plain JSON", callback.OfficialAccount, mock.Pusher{}, jsonText},
		{"secure", callback.OfficialAccount, mock.Pusher{Key: pushKey}, xmlText},
		{"secure JSON", callback.OfficialAccount, mock.Pusher{Key: pushKey}, jsonText},
		{"compatible", callback.OfficialAccount, mock.Pusher{Key: pushKey, Compatible: true}, xmlText},
		{"compatible JSON", callback.OfficialAccount, mock.Pusher{Key: pushKey, Compatible: true}, jsonText},
		{"platform", callback.Platform, mock.Pusher{Key: pushKey}, xmlText},
		{"WeCom", callback.Work, mock.Pusher{Key: pushKey, Work: true}, xmlText},
		{"bot", callback.Bot, mock.Pusher{Key: pushKey, Bot: true}, bot},
	} {
		t.Run(v.name, func(t *testing.T) {
			h := pushHandler(t, callback.Config{Product: v.product, ID: pushID, Token: "token", Key: v.pusher.Key}, echo)
			p := v.pusher
			p.Handler, p.ID, p.Token = h, pushID, "token"
			if err := p.Check(t.Context()); err != nil {
				t.Error(err)
			}
			answer, err := p.Push(t.Context(), v.message)
			if err != nil || answer.Tries != 1 || answer.Status != 200 || !strings.Contains(string(answer.Body), "You said hello") {
				t.Errorf("%+v %s, error %v", answer, answer.Body, err)
			}
			p.Token = "another"
			if err := p.Check(t.Context()); err == nil {
				t.Error("the check passed with another token")
			}
			if answer, err := p.Push(t.Context(), v.message); err == nil || answer.Status != 403 || answer.Tries != 3 {
				t.Errorf("with another token: %+v, error %v", answer, err)
			}
		})
	}
}

func TestPusherOverHTTP(t *testing.T) {
	h := pushHandler(t, callback.Config{Product: callback.Work, ID: pushID, Token: "token", Key: pushKey}, echo)
	server := httptest.NewServer(h)
	defer server.Close()
	p := &mock.Pusher{URL: server.URL + "/?tenant=1", Client: server.Client(), ID: pushID, Token: "token", Key: pushKey, Work: true}
	if err := p.Check(t.Context()); err != nil {
		t.Error(err)
	}
	if answer, err := p.Push(t.Context(), callback.XML(&callback.Text{Content: "hello"})); err != nil || answer.Tries != 1 {
		t.Errorf("%+v, error %v", answer, err)
	}
}

// TestPusherRepeats: the platform hangs up after 5 seconds and pushes three times.
func TestPusherRepeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n atomic.Int32
		p := &mock.Pusher{Token: "token", Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if n.Add(1) < 3 {
				<-r.Context().Done()
			}
			_, _ = w.Write([]byte("success"))
		})}
		start := time.Now()
		answer, err := p.Push(t.Context(), []byte("<xml></xml>"))
		if err != nil || answer.Tries != 3 || time.Since(start) != 10*time.Second {
			t.Errorf("%+v after %v, error %v", answer, time.Since(start), err)
		}
		slow := &mock.Pusher{Token: "token", Key: pushKey, ID: pushID, Work: true, Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })}
		start = time.Now()
		if err := slow.Check(t.Context()); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Second {
			t.Errorf("a slow check: %v after %v", err, time.Since(start))
		}
		if _, err := slow.Push(t.Context(), []byte("<xml></xml>")); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 16*time.Second {
			t.Errorf("a slow push: %v after %v", err, time.Since(start))
		}
	})
}

// TestPusherRefuses: answers that the platform would not understand are errors.
func TestPusherRefuses(t *testing.T) {
	for _, body := range []string{"<xml>", "{}", "<xml><Content>clear</Content></xml>", "oops"} {
		p := &mock.Pusher{Token: "token", Key: pushKey, ID: pushID, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(body))
		})}
		if _, err := p.Push(t.Context(), []byte("<xml></xml>")); err == nil {
			t.Errorf("%q: no error", body)
		}
		if err := p.Check(t.Context()); err == nil {
			t.Errorf("%q: the check passed", body)
		}
	}
	bad := &mock.Pusher{Token: "token", Key: "short", Work: true, Handler: http.NotFoundHandler()}
	if _, err := bad.Push(t.Context(), []byte("<xml></xml>")); err == nil {
		t.Error("a short key: no error")
	}
	if err := bad.Check(t.Context()); err == nil {
		t.Error("a short key: the check passed")
	}
}
