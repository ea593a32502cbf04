package callback

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

const sysEvent = `<xml><ToUserName>ww</ToUserName><FromUserName>sys</FromUserName><CreateTime>1403610513</CreateTime><MsgType>event</MsgType><Event>change_contact</Event><ChangeType>update_user</ChangeType><UserID>USER</UserID></xml>`

// TestRepeats is P110: the same push three times, each encrypted and signed anew, is handled once and answered alike.
func TestRepeats(t *testing.T) {
	message := string(XML(&Text{Header: Header{MsgID: 20000000000000001}, Content: "hello"}))
	for _, v := range []struct{ name, body, other string }{
		{"message by MsgId", message, strings.Replace(message, "20000000000000001", "20000000000000002", 1)},
		{"event of the system", strings.Replace(sysEvent, "USER", "a", 1), strings.Replace(sysEvent, "USER", "b", 1)},
		{"P112 event with MsgID", `<xml><FromUserName>o</FromUserName><CreateTime>1</CreateTime><MsgType>event</MsgType><Event>TEMPLATESENDJOBFINISH</Event><MsgID>1</MsgID></xml>`,
			`<xml><FromUserName>o</FromUserName><CreateTime>1</CreateTime><MsgType>event</MsgType><Event>TEMPLATESENDJOBFINISH</Event><MsgID>2</MsgID></xml>`},
		{"P112 MsgId of 0", `<xml><FromUserName>o</FromUserName><MsgType>text</MsgType><MsgId>0</MsgId><Content>a</Content></xml>`,
			`<xml><FromUserName>o</FromUserName><MsgType>text</MsgType><MsgId>0</MsgId><Content>b</Content></xml>`},
		{"message without MsgId", `<xml><FromUserName>o</FromUserName><CreateTime>1</CreateTime><MsgType>text</MsgType></xml>`,
			`<xml><FromUserName>o</FromUserName><CreateTime>2</CreateTime><MsgType>text</MsgType></xml>`},
	} {
		t.Run(v.name, func(t *testing.T) {
			b := inbox{reply: TextReply{"answer"}}
			c := secure(Work)
			h := newHandler(t, c, b.receive)
			for range 3 {
				w := serve(h, sealed(t, c, v.body))
				if got := unsealed(t, c, w.Body.String()); !strings.Contains(got, "answer") {
					t.Errorf("answer %q", got)
				}
			}
			if b.count() != 1 {
				t.Errorf("handled %d times", b.count())
			}
			serve(h, sealed(t, c, v.other))
			if b.count() != 2 {
				t.Error("another push was taken for a repeat")
			}
		})
	}
}

// TestSharedSeen is P113: a repeat that lands on another instance.
func TestSharedSeen(t *testing.T) {
	var b inbox
	c := secure(Work)
	c.Seen = NewMemorySeen()
	one, two := newHandler(t, c, b.receive), newHandler(t, c, b.receive)
	body := string(XML(&Text{Content: "hello"}))
	var wg sync.WaitGroup
	for i := range 20 {
		r := sealed(t, c, body)
		wg.Go(func() { serve([]*Handler{one, two}[i%2], r) })
	}
	wg.Wait()
	if b.count() != 1 {
		t.Errorf("handled %d times", b.count())
	}
	elsewhere := c
	elsewhere.ID = "wx-other"
	serve(newHandler(t, elsewhere, b.receive), sealed(t, elsewhere, body))
	if b.count() != 2 {
		t.Error("another account's push was taken for a repeat")
	}
}

type brokenSeen struct{}

var errStore = errors.New("store down")

func (brokenSeen) Add(context.Context, string, []byte, time.Duration) ([]byte, bool, error) {
	return nil, false, errStore
}
func (brokenSeen) Set(context.Context, string, []byte, time.Duration) error { return errStore }
func (brokenSeen) Remove(context.Context, string) error                     { return errStore }

func TestStoreFailure(t *testing.T) {
	for _, refuse := range []bool{false, true} {
		for _, plain := range []bool{false, true} {
			var b inbox
			var said troubles
			c := secure(OfficialAccount)
			if plain {
				c.Key = ""
			}
			c.Seen, c.RefuseUnseen, c.Report = brokenSeen{}, refuse, said.report
			h := newHandler(t, c, b.receive)
			r := clearly(c, pushXML)
			if !plain {
				r = sealed(t, c, pushXML)
			}
			w := serve(h, r)
			wantCode, wantCount := 200, 1
			if refuse {
				wantCode, wantCount = 503, 0
			}
			if w.Code != wantCode || b.count() != wantCount || !strings.Contains(said.text(), "store down") {
				t.Errorf("refuse %v, plain %v: status %d, handled %d times, %s", refuse, plain, w.Code, b.count(), said.text())
			}
		}
	}
}

// TestFailureIsRepeated: an error gives the push back to the platform, and its repeat reaches the receiver.
func TestFailureIsRepeated(t *testing.T) {
	for name, receive := range map[string]func(n int32) (Reply, error){
		"error": func(n int32) (Reply, error) {
			if n == 1 {
				return nil, errors.New("database down")
			}
			return nil, nil
		},
		"panic": func(n int32) (Reply, error) {
			if n == 1 {
				panic("nil map")
			}
			return nil, nil
		},
	} {
		var n atomic.Int32
		var said troubles
		c := secure(Work)
		c.Report = said.report
		h := newHandler(t, c, func(context.Context, Message) (Reply, error) { return receive(n.Add(1)) })
		for i, want := range []int{500, 200, 200} {
			if w := serve(h, sealed(t, c, pushXML)); w.Code != want {
				t.Errorf("%s, try %d: status %d", name, i+1, w.Code)
			}
		}
		if n.Load() != 2 || said.text() == "" {
			t.Errorf("%s: handled %d times, reported %q", name, n.Load(), said.text())
		}
		var p *PanicError
		if name == "panic" && (!errors.As(said.errs[0], &p) || p.Value != "nil map" || len(p.Stack) == 0) {
			t.Errorf("reported %v", said.errs[0])
		}
	}
}

// TestFiveSeconds: the receiver's context ends in time, and the platform is answered in time whatever it does.
func TestFiveSeconds(t *testing.T) {
	for _, v := range []struct {
		name    string
		receive Receiver
		code    int
		body    string
		said    string
	}{
		{"heeds its context, gives up", func(ctx context.Context, _ Message) (Reply, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}, 500, "Internal Server Error", "deadline"},
		{"heeds its context, has an answer", func(ctx context.Context, _ Message) (Reply, error) {
			<-ctx.Done()
			return TextReply{"in time"}, nil
		}, 200, "in time", ""},
		{"goes on", func(context.Context, Message) (Reply, error) {
			time.Sleep(time.Minute)
			return TextReply{"late"}, nil
		}, 200, "success", ErrLate.Error()},
		{"goes on and fails", func(context.Context, Message) (Reply, error) {
			time.Sleep(time.Minute)
			return nil, errors.New("late failure")
		}, 200, "success", "late failure"},
		{"goes on, nothing to say", func(context.Context, Message) (Reply, error) {
			time.Sleep(time.Minute)
			return nil, nil
		}, 200, "success", ""},
	} {
		t.Run(v.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var n atomic.Int32
				var said troubles
				c := secure(Work)
				c.Report = said.report
				h := newHandler(t, c, func(ctx context.Context, m Message) (Reply, error) {
					n.Add(1)
					return v.receive(ctx, m)
				})
				start := time.Now()
				w := serve(h, sealed(t, c, pushXML))
				if took := time.Since(start); took >= 5*time.Second || took < 4500*time.Millisecond {
					t.Errorf("answered after %v", took)
				}
				body := w.Body.String()
				if strings.HasPrefix(body, "<") {
					body = unsealed(t, c, body)
				}
				if w.Code != v.code || !strings.Contains(body, v.body) {
					t.Errorf("status %d, body %q", w.Code, body)
				}
				if v.code == 200 { // a repeat gets the same and is not handled
					serve(h, sealed(t, c, pushXML))
					if n.Load() != 1 {
						t.Errorf("handled %d times", n.Load())
					}
				}
				if err := h.Shutdown(context.Background()); err != nil {
					t.Error(err)
				}
				if v.said == "" && said.text() != "" || !strings.Contains(said.text(), v.said) {
					t.Errorf("reported %q", said.text())
				}
			})
		})
	}
}

// TestRepeatWhileRunning: a repeat waits for the answer of the first, which goes on.
func TestRepeatWhileRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n atomic.Int32
		c := secure(Work)
		h := newHandler(t, c, func(context.Context, Message) (Reply, error) {
			n.Add(1)
			time.Sleep(2 * time.Second)
			return TextReply{"answer"}, nil
		})
		done := make(chan *httptest.ResponseRecorder)
		first := sealed(t, c, pushXML)
		go func() { done <- serve(h, first) }()
		time.Sleep(time.Second)
		start := time.Now()
		if w := serve(h, sealed(t, c, pushXML)); !strings.Contains(unsealed(t, c, w.Body.String()), "answer") || time.Since(start) > 1200*time.Millisecond {
			t.Errorf("repeat: %q after %v", w.Body, time.Since(start))
		}
		if w := <-done; !strings.Contains(unsealed(t, c, w.Body.String()), "answer") {
			t.Error("the first got another answer")
		}
		if w := serve(h, sealed(t, c, pushXML)); !strings.Contains(unsealed(t, c, w.Body.String()), "answer") || n.Load() != 1 {
			t.Errorf("handled %d times", n.Load())
		}
	})
}

// TestClaimEnds: while another process has a push in hand the platform is asked to try again, and the next try is handled
// when that process is gone.
func TestClaimEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b inbox
		c := secure(Work)
		c.Seen = NewMemorySeen()
		m, _ := Parse(Work, []byte(pushXML))
		key := "push/" + c.ID + "/" + m.Head().identity(Work)
		if _, added, _ := c.Seen.Add(context.Background(), key, nil, defaultTimeout+grace); !added {
			t.Fatal("not added")
		}
		h := newHandler(t, c, b.receive)
		if w := serve(h, sealed(t, c, pushXML)); w.Code != http.StatusServiceUnavailable || b.count() != 0 {
			t.Errorf("%q, handled %d times", w.Body, b.count())
		}
		if serve(h, sealed(t, c, pushXML)); b.count() != 1 {
			t.Errorf("handled %d times", b.count())
		}
	})
}

// TestBrokenConnection: a platform that hangs up does not end the work halfway, and gets the answer with its next try.
func TestBrokenConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := secure(Work)
		h := newHandler(t, c, func(ctx context.Context, _ Message) (Reply, error) {
			time.Sleep(time.Second)
			return TextReply{"answer"}, ctx.Err()
		})
		ctx, cancel := context.WithCancel(context.Background())
		r := sealed(t, c, pushXML).WithContext(ctx)
		time.AfterFunc(time.Millisecond, cancel)
		serve(h, r)
		if w := serve(h, sealed(t, c, pushXML)); !strings.Contains(unsealed(t, c, w.Body.String()), "answer") {
			t.Errorf("answer %q", w.Body)
		}
	})
}

func TestGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type key struct{}
		var done atomic.Int32
		var said troubles
		var r Router
		r.Use(Background)
		r.Otherwise(func(ctx context.Context, _ Message) (Reply, error) {
			if ctx.Value(key{}) != "value" {
				t.Error("the values of the context are gone")
			}
			select {
			case <-time.After(time.Minute):
				done.Add(1)
				return TextReply{"nobody hears"}, errors.New("work failed")
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		})
		c := secure(Work)
		c.Report = said.report
		h := newHandler(t, c, r.Receive)
		request := sealed(t, c, pushXML)
		start := time.Now()
		w := serve(h, request.WithContext(context.WithValue(request.Context(), key{}, "value")))
		if w.Body.String() != "success" || time.Since(start) != 0 {
			t.Errorf("%q after %v", w.Body, time.Since(start))
		}
		if err := h.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
		if done.Load() != 1 || time.Since(start) != time.Minute || !strings.Contains(said.text(), "work failed") {
			t.Errorf("done %d after %v, reported %q", done.Load(), time.Since(start), said.text())
		}
		if w := serve(h, sealed(t, c, pushXML)); w.Code != 503 {
			t.Errorf("after Shutdown: status %d", w.Code)
		}
	})
}

func TestGoEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var said troubles
		c := secure(Work)
		c.Report, c.WorkTimeout, c.MaxWork = said.report, time.Hour, 4
		var n atomic.Int32
		h, err := New(c, func(ctx context.Context, _ Message) (Reply, error) {
			n.Add(1)
			return nil, Go(ctx, func(ctx context.Context) error {
				<-ctx.Done()
				if n.Load() == 1 {
					panic("in the work")
				}
				return ctx.Err()
			})
		})
		if err != nil {
			t.Fatal(err)
		}
		push := func() int { return serve(h, sealed(t, c, string(XML(&Text{Content: "a"})))).Code }
		start := time.Now()
		push()
		time.Sleep(time.Hour) // WorkTimeout
		synctest.Wait()
		if !strings.Contains(said.text(), "in the work") || time.Since(start) != time.Hour {
			t.Errorf("reported %q", said.text())
		}
		for i, want := range []int{200, 200, 500} { // a push counts twice while it is received
			if code := push(); code != want {
				t.Errorf("push %d: status %d", i, code)
			}
		}
		if !strings.Contains(said.text(), ErrBusy.Error()) {
			t.Errorf("reported %q", said.text())
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := h.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Shutdown: %v", err)
		}
		if err := h.Shutdown(context.Background()); err != nil { // they heard of it
			t.Errorf("second Shutdown: %v", err)
		}
	})
	if err := Go(context.Background(), nil); err == nil {
		t.Error("Go outside of a receiver: no error")
	}
}

func TestMemorySeenForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewMemorySeen().(*memorySeen)
		ctx := context.Background()
		add := func(key string) bool {
			_, added, err := s.Add(ctx, key, []byte("1"), time.Minute)
			return added && err == nil
		}
		if !add("a") || add("a") {
			t.Error("a was not added, or twice")
		}
		time.Sleep(time.Minute - 1)
		if add("a") {
			t.Error("a is forgotten too early")
		}
		time.Sleep(time.Nanosecond)
		if !add("a") {
			t.Error("a is not forgotten")
		}
		_ = s.Set(ctx, "a", []byte("2"), 2*time.Minute)
		time.Sleep(time.Minute)
		if found, added, _ := s.Add(ctx, "a", nil, time.Minute); added || string(found) != "2" {
			t.Errorf("found %q", found)
		}
		_ = s.Remove(ctx, "a")
		if !add("a") {
			t.Error("a is not removed")
		}
		for range 1000 {
			time.Sleep(time.Second)
			add(time.Now().String())
		}
		if len(s.entries) > 61 || len(s.queue) > 200 {
			t.Errorf("%d entries, %d in the queue", len(s.entries), len(s.queue))
		}
	})
}

type hangingSeen struct{}

func (hangingSeen) Add(ctx context.Context, _ string, _ []byte, _ time.Duration) ([]byte, bool, error) {
	<-ctx.Done()
	return nil, false, ctx.Err()
}

func (hangingSeen) Set(ctx context.Context, _ string, _ []byte, _ time.Duration) error {
	<-ctx.Done()
	return ctx.Err()
}

func (hangingSeen) Remove(ctx context.Context, _ string) error {
	<-ctx.Done()
	return ctx.Err()
}

// A store that does not answer leaves the receiver a context with time in it.
func TestSeenHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := secure(Work)
		c.Seen = hangingSeen{}
		h := newHandler(t, c, func(ctx context.Context, _ Message) (Reply, error) {
			if end, ok := ctx.Deadline(); !ok || time.Until(end) < 3*time.Second {
				t.Errorf("the context ends in %v", time.Until(end))
			}
			return TextReply{"answer"}, ctx.Err()
		})
		if w := serve(h, sealed(t, c, pushXML)); !strings.Contains(unsealed(t, c, w.Body.String()), "answer") {
			t.Errorf("answer %q", w.Body)
		}
	})
}

// A reply that panics when it is made, and a receiver that ends its goroutine, are failures that are told.
func TestReceiverEndsOddly(t *testing.T) {
	for name, receive := range map[string]Receiver{
		"nil pointer": func(context.Context, Message) (Reply, error) { var r *TextReply; return r, nil },
		"goexit":      func(context.Context, Message) (Reply, error) { runtime.Goexit(); return nil, nil },
	} {
		synctest.Test(t, func(t *testing.T) {
			c := secure(Work)
			var reported error
			c.Report = func(_ context.Context, err error) { reported = err }
			began := time.Now()
			w := serve(newHandler(t, c, receive), sealed(t, c, pushXML))
			if w.Code != http.StatusInternalServerError || reported == nil || time.Since(began) > time.Second {
				t.Errorf("%s: %d after %v, reported %v", name, w.Code, time.Since(began), reported)
			}
		})
	}
}
