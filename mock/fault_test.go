package mock_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/mock"
)

func reply(r mock.Reply) *mock.Reply { return &r }

// What a fault means for a send that must not be repeated blindly, and how often it was asked and delivered.
func TestFaults(t *testing.T) {
	tests := []struct {
		name      string
		fault     mock.Fault
		is        error // nil: success
		not       error
		calls     int
		delivered int
	}{
		{"refused connection", mock.Fault{Refuse: true}, wechat.ErrRetryExhausted, wechat.ErrOutcomeUnknown, 0, 0},
		{"refused connection once", mock.Fault{Refuse: true, Times: 1}, nil, nil, 1, 1},
		{"reset before the work", mock.Fault{Reset: true}, wechat.ErrOutcomeUnknown, nil, 1, 0},
		{"reset after the work", mock.Fault{Reset: true, Done: true}, wechat.ErrOutcomeUnknown, nil, 1, 1},
		{"cut", mock.Fault{Cut: true}, wechat.ErrOutcomeUnknown, nil, 1, 1},
		{"time-out", mock.Fault{Delay: 11 * time.Second}, wechat.ErrOutcomeUnknown, nil, 1, 1},
		{"slow", mock.Fault{Delay: 9 * time.Second}, nil, nil, 1, 1},
		{"HTML page", mock.Fault{Reply: reply(mock.Page(502))}, wechat.ErrOutcomeUnknown, nil, 1, 0},
		{"HTML page after the work", mock.Fault{Reply: reply(mock.Page(200)), Done: true}, wechat.ErrOutcomeUnknown, nil, 1, 1},
		{"busy", mock.Fault{Reply: &mock.Reply{Code: -1}}, wechat.ErrOutcomeUnknown, nil, 1, 0},
		{"429", mock.Fault{Reply: reply(mock.TooManyRequests(2 * time.Second)), Times: 1}, nil, nil, 2, 1},
		{"429 far off", mock.Fault{Reply: reply(mock.TooManyRequests(time.Hour))}, wechat.ErrRateLimited, wechat.ErrOutcomeUnknown, 1, 0},
		{"refused by its code", mock.Fault{Reply: &mock.Reply{Code: 40003}}, wechat.Code(40003), nil, 1, 0},
		{"text/plain", mock.Fault{ContentType: "text/plain"}, nil, nil, 1, 1},
		{"text/plain and slow", mock.Fault{ContentType: "text/plain", Delay: time.Second}, nil, nil, 1, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, a := platform()
				s.Fault("SendCustom", tt.fault)
				err := a.SendCustom(t.Context(), hello(openID(1)))
				if tt.is == nil && err != nil || tt.is != nil && !errors.Is(err, tt.is) || tt.not != nil && errors.Is(err, tt.not) {
					t.Errorf("error is %v, want %v", err, tt.is)
				}
				expect(t, "calls", len(s.Calls("SendCustom")), tt.calls)
				expect(t, "delivered", len(s.Delivered(openID(1))), tt.delivered)
			})
		})
	}
}

// With a dedupe key a send is repeated, and the server drops the repeat.
func TestLostReplyOfDedupedSend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, a := platform()
		s.Fault("SendMessage", mock.Fault{Reset: true, Done: true, Times: 1})
		if _, err := a.SendMessage(t.Context(), hello(openID(1))); err != nil {
			t.Error(err)
		}
		calls := s.Calls("SendMessage")
		expect(t, "calls", len(calls), 2)
		expect(t, "status of the first", calls[0].Status, 0)
		expect(t, "status of the second", calls[1].Status, 200)
		expect(t, "delivered", len(s.Delivered(openID(1))), 1)
	})
}

func TestWhichCallsAFaultStrikes(t *testing.T) {
	busy := &mock.Reply{Code: -1}
	tests := []struct {
		name  string
		fault mock.Fault
		want  string // x for each of ten calls that is struck
	}{
		{"all", mock.Fault{Reply: busy}, "xxxxxxxxxx"},
		{"first two", mock.Fault{Reply: busy, Times: 2}, "xx........"},
		{"each third", mock.Fault{Reply: busy, Every: 3}, "..x..x..x."},
		{"after four", mock.Fault{Reply: busy, Skip: 4}, "....xxxxxx"},
		{"one after four", mock.Fault{Reply: busy, Skip: 4, Times: 1}, "....x....."},
		{"by request", mock.Fault{Reply: busy, When: func(c mock.Call) bool {
			return c.Request.(*userRequest).OpenID == "5"
		}}, ".....x...."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := accepting()
			s.Fault("GetUser", tt.fault)
			var got strings.Builder
			for i := range 10 {
				_, _, body := request(t, s, "GET", "/cgi-bin/person/info?access_token=T&openid="+string(rune('0'+i)), "", "")
				if strings.Contains(body, "-1") {
					got.WriteByte('x')
				} else {
					got.WriteByte('.')
				}
			}
			expect(t, "struck", got.String(), tt.want)
		})
	}
	t.Run("until removed", func(t *testing.T) {
		s := accepting()
		remove := s.Fault("", mock.Fault{Reply: busy})
		expect(t, "with fault", use(t, s, "T"), -1)
		remove()
		expect(t, "without", use(t, s, "T"), 0)
	})
	t.Run("several", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := accepting()
			s.Fault("", mock.Fault{Delay: time.Second})
			s.Fault("GetUser", mock.Fault{Delay: time.Second, Reply: busy})
			s.Fault("GetUser", mock.Fault{Reply: &mock.Reply{Code: 40003}})
			began := time.Now()
			expect(t, "code", use(t, s, "T"), -1)
			expect(t, "took", time.Since(began), 2*time.Second)
		})
	})
}

// P013: a token's life is counted from when it was asked for.
func TestSlowTokenEndpoint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, a := platform()
		s.TokenLife(20 * time.Second)
		s.Fault("GetStableAccessToken", mock.Fault{Delay: 8 * time.Second, Times: 1})
		for range 2 {
			if _, err := a.GetUser(t.Context(), &userRequest{OpenID: "o"}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(13 * time.Second)
		}
		expect(t, "issued", s.TokensIssued(oaApp.ID), 2)
		for _, c := range s.Calls("GetUser") {
			expect(t, "code", c.Code, 0)
		}
	})
}

func TestTransportKeepsToContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := accepting()
		for _, f := range []mock.Fault{{Delay: time.Minute}, {Delay: time.Minute, Refuse: true}} {
			remove := s.Fault("GetUser", f)
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			r, err := http.NewRequestWithContext(ctx, "GET", "https://x.example.invalid"+getUserPath, nil)
			if err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			if _, err = s.Transport().RoundTrip(r); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Second {
				t.Errorf("%v after %v", err, time.Since(began))
			}
			if _, err = s.Transport().RoundTrip(r); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("with a context that has ended: %v", err)
			}
			cancel()
			remove()
		}
		expect(t, "calls that reached the server", len(s.Calls("")), 1)
	})
}

func TestFaultsOverHTTP(t *testing.T) {
	tests := []struct {
		name  string
		fault mock.Fault
		is    error
	}{
		{"refused connection", mock.Fault{Refuse: true}, wechat.ErrOutcomeUnknown}, // closed instead
		{"reset", mock.Fault{Reset: true, Done: true}, wechat.ErrOutcomeUnknown},
		{"cut", mock.Fault{Cut: true}, wechat.ErrOutcomeUnknown},
		{"page", mock.Fault{Reply: reply(mock.Page(502))}, wechat.ErrOutcomeUnknown},
		{"text/plain", mock.Fault{ContentType: "text/plain"}, nil},
	}
	s := mock.NewServer(specs()...)
	url, err := s.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			defer s.Fault("SendCustom", tt.fault)()
			transport := &http.Transport{}
			defer transport.CloseIdleConnections()
			var requests atomic.Int32
			a := newAccount(wechat.New(wechat.WithBaseURL("officialaccount", url), wechat.WithHTTPClient(&http.Client{Transport: transport}),
				wechat.WithObserver(func(_ context.Context, e wechat.Event) {
					if e.Type == wechat.EventAttempt && e.Call.Spec.Name == "SendCustom" {
						requests.Add(1)
					}
				})), oaApp)
			if err := a.SendCustom(t.Context(), hello(openID(1))); tt.is == nil && err != nil || tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("error is %v, want %v", err, tt.is)
			}
			expect(t, "attempts", requests.Load(), 1)
		})
	}
}
