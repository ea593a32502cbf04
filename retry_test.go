package wechat_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed175cf469/wechat"
)

const html504 = "<html><head><title>504 Gateway Time-out</title></head><body><center><h1>504 Gateway Time-out</h1></center></body></html>\r\n"

// The table of what may be repeated: each failure against each effect, always failing. want is the number of requests.
func TestRetryTable(t *testing.T) {
	unknown, exhausted := wechat.ErrOutcomeUnknown, wechat.ErrRetryExhausted
	for _, tc := range []struct {
		name          string
		answer        any
		reads, writes int   // requests of a read or set; of a send or create
		readErr       error // what the error matches
		writeErr      error
	}{
		{"nothing sent", errRefused, 3, 3, exhausted, exhausted},
		{"reset", errReset, 3, 1, exhausted, unknown},
		{"silence", answer{delay: time.Hour}, 3, 1, exhausted, unknown},
		{"cut body", answer{body: `{"errco`, cut: true}, 6, 1, exhausted, unknown},
		{"cut JSON", answer{body: `{"errcode":0,"msgi`}, 6, 1, wechat.ErrBadReply, unknown},
		{"empty", answer{}, 6, 1, wechat.ErrBadReply, unknown},
		{"HTML with 200", answer{body: html504, header: map[string]string{"Content-Type": "text/html"}}, 6, 1, wechat.ErrBadReply, unknown},
		{"504", answer{status: 504, body: html504, header: map[string]string{"Content-Type": "text/html"}}, 6, 1, wechat.ErrBusy, unknown},
		{"502", answer{status: 502}, 6, 1, exhausted, unknown},
		{"503 without a time", answer{status: 503}, 6, 1, exhausted, unknown},
		{"503 with a time", answer{status: 503, header: map[string]string{"Retry-After": "1"}}, 6, 6, wechat.ErrRateLimited, wechat.ErrRateLimited},
		{"413 with a time", answer{status: 413, header: map[string]string{"Retry-After": "1"}}, 6, 6, wechat.ErrRateLimited, wechat.ErrRateLimited},
		{"413", answer{status: 413}, 1, 1, nil, nil},
		{"429", answer{status: 429}, 6, 6, wechat.ErrRateLimited, wechat.ErrRateLimited},
		{"busy", errcode(-1, "system error rid: 65000000-0badcafe-00000001"), 4, 1, wechat.ErrBusy, unknown},
		{"minute quota", errcode(45011, "api minute-quota reach limit mustslower retry next minute"), 6, 6, wechat.ErrRateLimited, exhausted},
		{"day quota", errcode(45009, "reach max api daily quota limit"), 1, 1, wechat.ErrQuotaExhausted, wechat.ErrQuotaExhausted},
		{"redirect", answer{status: 302, header: map[string]string{"Location": "https://evil.example.invalid/x"}}, 1, 1, wechat.ErrBadReply, wechat.ErrBadReply},
		{"404", answer{status: 404}, 1, 1, wechat.ErrBadReply, wechat.ErrBadReply},
		{"412", answer{status: 412}, 1, 1, wechat.ErrBadReply, wechat.ErrBadReply},
		{"bad openid", errcode(40003, "invalid openid"), 1, 1, wechat.ErrInvalidRequest, wechat.ErrInvalidRequest},
		{"unknown code", errcode(4999999, "?"), 1, 1, wechat.Code(4999999), wechat.Code(4999999)},
		{"not following", errcode(43004, "require subscribe"), 1, 1, wechat.ErrUnreachable, wechat.ErrUnreachable},
		{"template changed too often", errcode(43100, "change template too frequently"), 1, 1, wechat.Code(43100), wechat.Code(43100)},
	} {
		for _, e := range []struct {
			effect string
			do     func(context.Context, wechat.Caller) error
			want   int
			err    error
		}{
			{"read", readOnce, tc.reads, tc.readErr},
			{"set", func(ctx context.Context, c wechat.Caller) error { return set.Exec(ctx, c, &found{}) }, tc.reads, tc.readErr},
			{"send", func(ctx context.Context, c wechat.Caller) error { _, err := send.Do(ctx, c, hello("o1")); return err }, tc.writes, tc.writeErr},
			{"create", func(ctx context.Context, c wechat.Caller) error { _, err := create.Do(ctx, c, &found{}); return err }, tc.writes, tc.writeErr},
		} {
			t.Run(tc.name+"/"+e.effect, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					n := 0
					p := &platform{handle: func(r *request) any {
						if r.path == "/cgi-bin/stable_token" {
							return nil
						}
						n++
						return tc.answer
					}}
					c := p.caller(wechat.WithRetry(wechat.RetryPolicy{MaxRetryAfter: time.Hour}))
					err := e.do(t.Context(), c)
					if err == nil {
						t.Fatal("no error")
					}
					if n != e.want {
						t.Errorf("%d requests, want %d (%v)", n, e.want, err)
					}
					if e.err != nil && !errors.Is(err, e.err) {
						t.Errorf("err = %v, want %v", err, e.err)
					}
					if e.want > 1 && !errors.Is(err, wechat.ErrRetryExhausted) {
						t.Errorf("repeated, and not ErrRetryExhausted: %v", err)
					}
					if unknown := errors.Is(err, wechat.ErrOutcomeUnknown); unknown != errors.Is(e.err, wechat.ErrOutcomeUnknown) {
						t.Errorf("outcome unknown = %v: %v", unknown, err)
					}
				})
			})
		}
	}
}

// P058: the final error has the last answer in it, and the number of attempts.
func TestRetryExhausted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &platform{handle: func(r *request) any {
			if r.path == "/read" {
				return errcode(-1, "system error rid: 65000000-0badcafe-00000001")
			}
			return nil
		}}
		began := time.Now()
		err := readOnce(t.Context(), p.caller())
		var x *wechat.RetryExhaustedError
		var e *wechat.Error
		if !errors.As(err, &x) || !errors.As(err, &e) {
			t.Fatalf("err = %v", err)
		}
		if x.Attempts != 4 || x.Endpoint != "Read" || x.Elapsed != time.Since(began) || x.Waited > x.Elapsed || x.Waited == 0 {
			t.Errorf("%+v after %v", x, time.Since(began))
		}
		if e.Code != -1 || e.RequestID != "65000000-0badcafe-00000001" || e.Kind != wechat.ErrBusy {
			t.Errorf("%+v", e)
		}
	})
}

// P044, P047: an unknown outcome is repeated only while a dedupe key stands, with the same bytes.
func TestRetryWithDedupeKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &platform{handle: func(r *request) any {
			if r.path == "/send/once" && r.n < 3 {
				return errReset
			}
			return nil
		}}
		m := hello("o1")
		if _, err := sendOnce.Do(t.Context(), p.caller(), m); err != nil {
			t.Fatal(err)
		}
		got := p.calls("/send/once")
		if len(got) != 3 || !bytes.Equal(got[0].body, got[2].body) || !bytes.Contains(got[0].body, []byte(`"client_msg_id":"`)) {
			t.Fatalf("%d requests, the last %s", len(got), got[len(got)-1].body)
		}
		if m.ID != "" {
			t.Error("the caller's message was changed")
		}
		if _, err := sendOnce.Do(t.Context(), p.caller(), m); err != nil {
			t.Fatal(err)
		}
		if again := p.calls("/send/once"); bytes.Equal(again[3].body, got[0].body) {
			t.Error("two calls have the same id")
		}
	})
}

// A dedupe key stands for four fifths of the server's memory only.
func TestRetryDedupeKeyExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &platform{handle: func(r *request) any {
			if r.path == "/send/once" {
				return answer{status: 502, header: map[string]string{"Retry-After": "200"}}
			}
			return nil
		}}
		c := p.caller(wechat.WithRetry(wechat.RetryPolicy{MaxAttempts: 100, MaxRetryAfter: time.Hour}))
		_, err := sendOnce.Do(t.Context(), c, hello("o1"))
		if n := len(p.calls("/send/once")); n != 4 { // at 0, 200, 400, and 600 is beyond 480
			if n != 3 {
				t.Errorf("%d requests, want 3", n)
			}
		}
		if !errors.Is(err, wechat.ErrOutcomeUnknown) {
			t.Errorf("err = %v", err)
		}
	})
}

// P046: "already sent" on a repeat is success, with the id of the first.
func TestRetryAlreadySent(t *testing.T) {
	for code, body := range map[int]string{
		45065: `{"errcode":45065,"errmsg":"clientmsgid exist rid: 65000000-0badcafe-00000001","msgid":3000000001}`,
		40241: `{"errcode":40241,"errmsg":"same message within 60 s"}`,
	} {
		synctest.Test(t, func(t *testing.T) {
			p := &platform{handle: func(r *request) any {
				switch {
				case r.path != "/send/once":
					return nil
				case r.n == 1:
					return errReset
				}
				return body
			}}
			r, err := sendOnce.Do(t.Context(), p.caller(), hello("o1"))
			if err != nil {
				t.Fatal(err)
			}
			if code == 45065 && r.MsgID != 3000000001 {
				t.Errorf("msgid = %d", r.MsgID)
			}
		})
	}
	p := &platform{handle: func(r *request) any {
		if r.path == "/send/once" {
			return errcode(40241, "same message within 60 s")
		}
		return nil
	}}
	if _, err := sendOnce.Do(t.Context(), p.caller(), hello("o1")); !errors.Is(err, wechat.Code(40241)) {
		t.Errorf("the first attempt's 40241 is no success: %v", err)
	}
}

// P051: a repeat carries the same bytes, files included; the boundary may differ.
func TestRetrySameBytes(t *testing.T) {
	content := []byte("hello")
	for name, open := range map[string]func() (io.ReadCloser, error){
		"reader": func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil },
		"at an offset": func() (io.ReadCloser, error) {
			r := bytes.NewReader(append([]byte("skip"), content...))
			_, err := r.Seek(4, io.SeekStart)
			return io.NopCloser(r), err
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := &platform{handle: func(r *request) any {
				if r.path == "/upload" && r.n == 1 {
					return errcode(42001, "access_token expired")
				}
				return nil
			}}
			u := &upload{Type: "image", Media: wechat.File{Name: "a.jpg", Open: open}, Note: "n & <x>"}
			if _, err := put.Do(t.Context(), p.caller(), u); err != nil {
				t.Fatal(err)
			}
			got := p.calls("/upload")
			if len(got) != 2 {
				t.Fatalf("%d requests", len(got))
			}
			for _, r := range got {
				if r.ContentLength != int64(len(r.body)) || len(r.TransferEncoding) > 0 {
					t.Errorf("Content-Length %d for %d bytes", r.ContentLength, len(r.body))
				}
				_, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
				form, err := multipart.NewReader(bytes.NewReader(r.body), params["boundary"]).ReadForm(1 << 20)
				if err != nil {
					t.Fatal(err)
				}
				f, err := form.File["media"][0].Open()
				if err != nil {
					t.Fatal(err)
				}
				if b, _ := io.ReadAll(f); !bytes.Equal(b, content) {
					t.Errorf("the file part is %q", b)
				}
				if r.query.Get("type") != "image" || form.Value["note"][0] != "n & <x>" {
					t.Errorf("query %v, form %v", r.query, form.Value)
				}
			}
		})
	}
}

// P091: an empty file, and one that cannot be opened, are refused before anything is sent.
func TestUploadRefusedLocally(t *testing.T) {
	p := &platform{}
	c := p.caller()
	broken := errors.New("no such file")
	for name, f := range map[string]wechat.File{
		"empty":   {Name: "a.jpg", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("")), nil }},
		"no open": {Name: "a.jpg"},
		"broken":  {Name: "a.jpg", Open: func() (io.ReadCloser, error) { return nil, broken }},
	} {
		_, err := put.Do(t.Context(), c, &upload{Type: "image", Media: f})
		if !errors.Is(err, wechat.ErrInvalidRequest) {
			t.Errorf("%s: %v", name, err)
		}
		if name == "broken" && !errors.Is(err, broken) {
			t.Errorf("the cause is lost: %v", err)
		}
	}
	if len(p.requests) != 0 {
		t.Errorf("%d requests", len(p.requests))
	}
}

// P053: a cancel during the pause ends the call at once, with the last answer and the context's error.
func TestRetryCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &platform{handle: func(r *request) any {
			if r.path == "/read" {
				return answer{status: 502}
			}
			return nil
		}}
		ctx, cancel := context.WithCancelCause(t.Context())
		c := p.caller(wechat.WithRetry(wechat.RetryPolicy{BaseDelay: time.Hour, MaxDelay: time.Hour}), wechat.WithObserver(func(_ context.Context, e wechat.Event) {
			if e.Type == wechat.EventRetry {
				time.AfterFunc(100*time.Millisecond, func() { cancel(nil) })
			}
		}))
		began := time.Now()
		err := readOnce(ctx, c)
		if d := time.Since(began); d > 200*time.Millisecond {
			t.Errorf("returned after %v", d)
		}
		var e *wechat.Error
		if !errors.Is(err, context.Canceled) || !errors.As(err, &e) || e.Status != 502 {
			t.Errorf("err = %v", err)
		}
		if n := len(p.calls("/read")); n != 1 {
			t.Errorf("%d requests", n)
		}
	})
}

// A wait that the context's deadline cannot hold is not begun.
func TestRetryDeadlineLookedAtFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &platform{handle: func(r *request) any {
			if r.path == "/read" {
				return answer{status: 503, header: map[string]string{"Retry-After": "30"}}
			}
			return nil
		}}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		began := time.Now()
		err := readOnce(ctx, p.caller())
		if d := time.Since(began); d > time.Second {
			t.Errorf("returned after %v", d)
		}
		if after, ok := wechat.RetryAfter(err); !ok || after < 29*time.Second || after > 31*time.Second {
			t.Errorf("after = %v: %v", after, err)
		}
	})
}

// P054: MaxElapsed covers token, waits, attempts and pauses.
func TestRetryMaxElapsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &platform{handle: func(r *request) any { return answer{delay: time.Hour} }}
		began := time.Now()
		err := readOnce(wechat.ContextWithRetry(t.Context(), wechat.Realtime()), p.caller())
		if d := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || d != 3*time.Second {
			t.Errorf("%v after %v", err, d)
		}
	})
}

// P125, P126: an attempt is bounded without any option, files longer than the rest.
func TestAttemptTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &platform{handle: func(r *request) any {
			if r.path == "/cgi-bin/stable_token" {
				return nil
			}
			return answer{delay: time.Hour}
		}}
		c := p.caller(wechat.WithRetry(wechat.RetryPolicy{MaxAttempts: 1}))
		began := time.Now()
		if err := readOnce(t.Context(), c); err == nil || time.Since(began) != 10*time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		began = time.Now()
		u := &upload{Media: wechat.File{Name: "a.jpg", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("x")), nil }}}
		if _, err := put.Do(t.Context(), c, u); !errors.Is(err, wechat.ErrOutcomeUnknown) || time.Since(began) != time.Minute {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}

// A call that is never retried before the server's time, in both forms of Retry-After; a longer one than MaxRetryAfter ends
// the call with the time to come back.
func TestRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, format := range []string{"7", " 7 ", http.TimeFormat} {
			header := format
			if format == http.TimeFormat {
				header = time.Now().Add(8 * time.Second).UTC().Format(format)
			}
			p := &platform{handle: func(r *request) any {
				if r.path == "/read" && r.n == 1 {
					return answer{status: 502, header: map[string]string{"Retry-After": header}}
				}
				return nil
			}}
			if err := readOnce(t.Context(), p.caller()); err != nil {
				t.Fatal(err)
			}
			got := p.calls("/read")
			if d := got[1].at.Sub(got[0].at); d < 7*time.Second || d > 9*time.Second {
				t.Errorf("%q: repeated after %v", header, d)
			}
			p = &platform{handle: func(r *request) any { return answer{status: 429, header: map[string]string{"Retry-After": "61"}} }}
			err := readOnce(t.Context(), p.caller())
			if after, ok := wechat.RetryAfter(err); !ok || after < 60*time.Second {
				t.Errorf("after = %v, %v", after, err)
			}
			if len(p.requests) != 1 {
				t.Errorf("%d requests", len(p.requests))
			}
		}
	})
}

// A date in Retry-After is one of the server's clock, which may be another than ours.
func TestRetryAfterByTheServersClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, off := range []time.Duration{-2 * time.Minute, 2 * time.Minute} {
			p := &platform{handle: func(r *request) any {
				if r.path == "/read" && r.n == 1 {
					now := time.Now().Add(off).UTC()
					return answer{status: 503, header: map[string]string{"Date": now.Format(http.TimeFormat),
						"Retry-After": now.Add(8 * time.Second).Format(http.TimeFormat)}}
				}
				return nil
			}}
			if err := readOnce(t.Context(), p.caller()); err != nil {
				t.Fatal(err)
			}
			got := p.calls("/read")
			if d := got[1].at.Sub(got[0].at); d < 8*time.Second || d > 11*time.Second {
				t.Errorf("a server whose clock is off by %v was called again after %v; it has said 8 s", off, d)
			}
		}
	})
}

// The back-off is uniform in [0, base*2^n], and differs by caller.
func TestRetryFullJitter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &platform{handle: func(r *request) any {
			if r.path == "/read" {
				return answer{status: 502}
			}
			return nil
		}}
		var mu sync.Mutex
		waits := map[int][]time.Duration{}
		c := p.caller(wechat.WithRetry(wechat.RetryPolicy{Budget: -1}), wechat.WithObserver(func(_ context.Context, e wechat.Event) {
			if e.Type == wechat.EventRetry {
				mu.Lock()
				waits[e.Attempt] = append(waits[e.Attempt], e.Wait)
				mu.Unlock()
			}
		}))
		atOnce(200, func() error { return readOnce(t.Context(), c) })
		for attempt := 1; attempt <= 5; attempt++ {
			limit := time.Second << (attempt - 1)
			var sum, most time.Duration
			for _, w := range waits[attempt] {
				sum += w
				most = max(most, w)
			}
			mean := sum / time.Duration(len(waits[attempt]))
			if most > limit || mean < limit*4/10 || mean > limit*6/10 {
				t.Errorf("repeat %d: mean %v, longest %v of %v", attempt, mean, most, limit)
			}
		}
	})
}

// P040: the budget keeps an outage from being multiplied; what it stops says so at once.
func TestRetryBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &platform{handle: func(r *request) any {
			if r.path == "/read" {
				return answer{status: 502}
			}
			return nil
		}}
		c := p.caller()
		errs := atOnce(200, func() error { return readOnce(t.Context(), c) })
		if len(errs) != 200 {
			t.Fatalf("%d errors", len(errs))
		}
		spent := 0
		for _, err := range errs {
			if !errors.Is(err, wechat.ErrRetryExhausted) {
				t.Errorf("err = %v", err)
			}
			if strings.Contains(err.Error(), "budget") {
				spent++
			}
		}
		if n := len(p.calls("/read")); n > 200+200*2/10+10 || spent == 0 {
			t.Errorf("%d requests for 200 calls, %d stopped by the budget", n, spent)
		}
	})
}

// tally is a RetryBudget that grants a number of repeats.
type tally struct {
	mu           sync.Mutex
	left         int
	asked, calls int
	share        float64
	app          string
	err          error
}

func (b *tally) Spend(_ context.Context, app string, share float64, calls int) (bool, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asked, b.calls, b.share, b.app = b.asked+1, b.calls+calls, share, app
	b.left--
	return b.left >= 0, b.err
}

// A budget that clients share decides, and is told of every call once; where it fails the client's own does.
func TestSharedRetryBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, tt := range []struct {
			budget   *tally
			requests int
		}{
			{&tally{left: 7}, 57},
			{&tally{left: 0}, 50},
			{&tally{left: 0, err: errors.New("down")}, 61},
		} {
			p := &platform{handle: func(r *request) any {
				if r.path == "/read" {
					return answer{status: 502}
				}
				return nil
			}}
			c := p.caller(wechat.WithRetryBudget(tt.budget))
			if errs := atOnce(50, func() error { return readOnce(t.Context(), c) }); len(errs) != 50 {
				t.Fatalf("%d errors", len(errs))
			}
			if n := len(p.calls("/read")); n != tt.requests {
				t.Errorf("%d requests; want %d", n, tt.requests)
			}
			if b := tt.budget; b.calls != 51 || b.share != 0.2 || b.app != "{officialaccount:"+app.ID+"}" { // one fetches the token
				t.Errorf("the budget was told of %d calls of %q, share %v", b.calls, b.app, b.share)
			}
		}
	})
}

// What a shared budget is told of is of the last windows: an hour of calm does not pay for an outage.
func TestSharedRetryBudgetForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fail := false
		p := &platform{handle: func(r *request) any {
			if fail && r.path == "/read" {
				return answer{status: 502}
			}
			return nil
		}}
		budget := &tally{}
		c := p.caller(wechat.WithRetryBudget(budget))
		for range 3600 {
			if err := readOnce(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
		}
		fail = true
		if err := readOnce(t.Context(), c); err == nil {
			t.Fatal("no error")
		}
		if budget.calls < 10 || budget.calls > 21 {
			t.Errorf("told of %d calls; want those of 10 to 20 seconds", budget.calls)
		}
	})
}

// P049: our own errors carry no errcode.
func TestLocalErrorsHaveNoCode(t *testing.T) {
	p := &platform{}
	c := wechat.Bind(p.client(), newProduct("officialaccount"), wechat.App{})
	for _, err := range []error{
		readOnce(t.Context(), c),
		func() error { _, err := send.Do(t.Context(), p.caller(), &message{}); return err }(),
		func() error { _, err := send.Do(t.Context(), p.caller(), nil); return err }(),
	} {
		var e *wechat.Error
		if !errors.As(err, &e) || e.Code != 0 || e.Kind != wechat.ErrInvalidRequest {
			t.Errorf("err = %v", err)
		}
	}
	if len(p.requests) != 0 {
		t.Errorf("%d requests", len(p.requests))
	}
}

// A one-time code is not used twice, GET or not.
func TestOneTimeCode(t *testing.T) {
	p := &platform{handle: func(*request) any { return errReset }}
	_, err := code.Do(t.Context(), p.caller(), &login{Code: "FAKE_CODE"})
	if !errors.Is(err, wechat.ErrOutcomeUnknown) || len(p.requests) != 1 {
		t.Errorf("%d requests: %v", len(p.requests), err)
	}
	if s := fmt.Sprintf("%v %+v", err, err); strings.Contains(s, "FAKE_CODE") || strings.Contains(s, "FAKE_SECRET") {
		t.Errorf("the error shows a secret: %s", s)
	}
}

// A reply in which one field cannot be read was carried out all the same: it is not repeated, and what could be read is there.
func TestRetryNotForUndecodable(t *testing.T) {
	p := &platform{handle: func(r *request) any {
		if r.path == "/create" {
			return `{"errcode":0,"value":"v","count":{"x":1}}`
		}
		return nil
	}}
	_, err := create.Do(t.Context(), p.caller(), &found{})
	if !errors.Is(err, wechat.ErrBadReply) || errors.Is(err, wechat.ErrOutcomeUnknown) || len(p.calls("/create")) != 1 {
		t.Errorf("%d requests: %v", len(p.calls("/create")), err)
	}
}

// A repeat that is refused for what the lost first attempt may have used up leaves the outcome unknown.
func TestRetryRefusalDoesNotSettle(t *testing.T) {
	for code, settled := range map[int]bool{43101: false, 45047: false, 45009: false, 43004: true, 40037: true, 48001: true} {
		synctest.Test(t, func(t *testing.T) {
			p := &platform{handle: func(r *request) any {
				switch {
				case r.path != "/send/once":
					return nil
				case r.n == 1:
					return errReset
				}
				return errcode(code, "refused")
			}}
			_, err := sendOnce.Do(t.Context(), p.caller(), hello("o1"))
			if unknown := errors.Is(err, wechat.ErrOutcomeUnknown); unknown == settled || !errors.Is(err, wechat.Code(code)) {
				t.Errorf("%d: %v", code, err)
			}
		})
	}
}
