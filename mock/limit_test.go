package mock_test

import (
	"errors"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/mock"
)

// getUserPath is called by hand, as a client would wait.
const (
	getUserPath = "/cgi-bin/person/info?openid=o&access_token=T"
	sendPath    = "/cgi-bin/message/template/send?access_token=T"
)

// accepting is a server that takes the token T for the account and W for the company.
func accepting() *mock.Server {
	s := mock.NewServer(specs()...)
	s.AcceptToken(oaApp.ID, "T")
	s.AcceptToken(workApp.ID, "W")
	return s
}

func TestNaturalSecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := accepting()
		s.Limit("GetUser", mock.PerSecond(2))
		time.Sleep(600 * time.Millisecond) // time in a bubble begins at a full second
		get := func() int { return use(t, s, "T") }
		expect(t, "first", get(), 0)
		expect(t, "second", get(), 0)
		expect(t, "third", get(), 44990)
		time.Sleep(400*time.Millisecond - 1)
		expect(t, "at the end of the second", get(), 44990)
		time.Sleep(time.Nanosecond)
		expect(t, "in the next second", get(), 0)
		expect(t, "in the next second", get(), 0)
		expect(t, "in the next second", get(), 44990)
		s.Limit("GetUser")
		expect(t, "without limit", get(), 0)
	})
}

func TestSlidingMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := accepting()
		s.AcceptToken("wx2", "T2")
		s.Limit("GetUser", mock.PerMinute(2))
		expect(t, "first", use(t, s, "T"), 0)
		time.Sleep(59 * time.Second)
		expect(t, "second", use(t, s, "T"), 0)
		expect(t, "third", use(t, s, "T"), 45011)
		expect(t, "another app", use(t, s, "T2"), 0)
		time.Sleep(time.Second)
		expect(t, "after a minute", use(t, s, "T"), 0)
		expect(t, "and again", use(t, s, "T"), 45011)
	})
}

func TestDay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // begins at 2000-01-01 00:00 UTC, which is 08:00 in China
		s, a := platform(once)
		s.Limit("GetUser", mock.PerDay(1))
		get := func() error {
			_, err := a.GetUser(t.Context(), &userRequest{OpenID: "o"})
			return err
		}
		wantCode(t, get(), 0)
		err := get()
		if after, _ := wechat.RetryAfter(err); !errors.Is(err, wechat.ErrQuotaExhausted) || after != 16*time.Hour {
			t.Errorf("error is %v", err)
		}
		time.Sleep(time.Second)
		wantCode(t, a.ClearQuota(t.Context()), 0)
		wantCode(t, get(), 0)
		time.Sleep(16*time.Hour - time.Second - time.Nanosecond)
		expect(t, "before midnight", use(t, s, s.Calls("GetUser")[0].Token), 42001) // two hours have passed
		s.AcceptToken(oaApp.ID, "T")
		expect(t, "before midnight", use(t, s, "T"), 45009)
		time.Sleep(time.Nanosecond)
		expect(t, "after midnight", use(t, s, "T"), 0)
	})
}

func TestAppLimit(t *testing.T) {
	s := accepting()
	s.Limit("", mock.PerDay(2))
	token, _, _ := ask(t, s, "stable") // is not counted
	expect(t, "first", use(t, s, token), 0)
	_, _, body := request(t, s, "POST", sendPath, "", `{"touser":"o1","data":{}}`)
	expect(t, "second", body[:13], `{"errcode":0,`)
	expect(t, "third", use(t, s, token), 45009)
}

func TestRecipientLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := accepting()
		s.Limit("SendMessage", mock.PerMinute(1).EachRecipient())
		s.Limit("SendWorkMessage", mock.PerMinute(1).EachRecipient())
		to := func(id string) string {
			_, _, body := request(t, s, "POST", sendPath, "", `{"touser":"`+id+`","data":{}}`)
			return body[:16]
		}
		expect(t, "first", to("o1"), `{"errcode":0,"er`)
		expect(t, "another person", to("o2"), `{"errcode":0,"er`)
		expect(t, "second", to("o1"), `{"errcode":45047`)

		// WeCom drops what is too much, without an error.
		c := newCompany(wechat.New(s.Options()...), workApp)
		for range 2 {
			if err := c.SendMessage(t.Context(), &workMessage{ToUser: "zhang", Text: "x"}); err != nil {
				t.Error(err)
			}
		}
		expect(t, "delivered", len(s.Delivered("zhang")), 1)
	})
}

func TestConcurrencyLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := accepting()
		s.Limit("GetMember", mock.AtOnce(2))
		s.Fault("GetMember", mock.Fault{Delay: time.Second})
		var mu sync.Mutex
		codes := map[int]int{}
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				code := use(t, s, "W:W")
				mu.Lock()
				defer mu.Unlock()
				codes[code]++
			})
		}
		wg.Wait()
		if codes[0] != 2 || codes[45033] != 1 {
			t.Errorf("codes are %v", codes)
		}
		expect(t, "afterwards", use(t, s, "W:W"), 0)
	})
}

func TestRefusalByHTTP(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := accepting()
		s.Limit("GetUser", mock.PerMinute(1).As429())
		use(t, s, "T")
		time.Sleep(20*time.Second + time.Millisecond)
		status, header, _ := request(t, s, "GET", getUserPath, "", "")
		if status != 429 || header.Get("Retry-After") != "40" {
			t.Errorf("got %d, Retry-After %q", status, header.Get("Retry-After"))
		}
		time.Sleep(40 * time.Second)
		expect(t, "after Retry-After", use(t, s, "T"), 0)

		s.Limit("GetUser", mock.PerSecond(1).As429Date())
		use(t, s, "T")
		status, header, _ = request(t, s, "GET", getUserPath, "", "")
		at, err := http.ParseTime(header.Get("Retry-After"))
		if status != 429 || err != nil || time.Until(at) < 0 || time.Until(at) > time.Second {
			t.Errorf("got %d, Retry-After %q, %v", status, header.Get("Retry-After"), err)
		}
	})
}

func TestBlock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := accepting()
		l := mock.PerSecond(1)
		l.Block = time.Minute
		s.Limit("GetMember", l)
		expect(t, "first", use(t, s, "W:W"), 0)
		expect(t, "second", use(t, s, "W:W"), 45009)
		time.Sleep(time.Minute - 1)
		expect(t, "in the block", use(t, s, "W:W"), 45009)
		time.Sleep(time.Nanosecond)
		expect(t, "after it", use(t, s, "W:W"), 0)
	})
}

// The client keeps to what the server enforces, whichever way it refuses.
func TestClientUnderLimit(t *testing.T) {
	for _, limit := range []mock.Limit{mock.PerSecond(5), mock.PerSecond(5).As429(), mock.PerSecond(5).As429Date()} {
		synctest.Test(t, func(t *testing.T) {
			s, a := platform()
			s.Limit("SendMessage", limit)
			var wg sync.WaitGroup
			for i := range 15 {
				wg.Go(func() {
					m := hello(openID(i))
					m.Data["n"] = value{strconv.Itoa(i)}
					if _, err := a.SendMessage(t.Context(), m); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			if n := len(s.Delivered("")); n != 15 || len(s.Duplicates()) != 0 {
				t.Errorf("%d delivered, %d duplicates", n, len(s.Duplicates()))
			}
		})
	}
}
