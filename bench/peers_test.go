package bench_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"time"

	"github.com/go-resty/resty/v2"
	"github.com/patrickmn/go-cache"
	silenceper "github.com/silenceper/wechat/v2"
	"github.com/silenceper/wechat/v2/officialaccount/config"
	"github.com/silenceper/wechat/v2/officialaccount/message"
	"github.com/silenceper/wechat/v2/util"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/internal/wire"
	"github.com/seed175cf469/wechat/officialaccount"
)

const (
	baseURL = "https://api.weixin.qq.com"
	send    = "/cgi-bin/message/template/send"
	tok     = "68_rOt8WuMXKzEIhY3P0bLNw1sU4vQ7dGfJcTaHyRk2ZxVo5nSeCi9BmDpFqAl6gWj"
)

// roundTripper is a func as a transport.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// memory is a transport that answers every call as the platform does, without a network.
func memory() http.RoundTripper {
	header := http.Header{"Content-Type": {"application/json; encoding=utf-8"}}
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		if trace := httptrace.ContextClientTrace(r.Context()); trace != nil && trace.GetConn != nil {
			trace.GetConn(r.URL.Host)
			trace.GotConn(httptrace.GotConnInfo{})
		}
		if r.Body != nil {
			if _, err := io.Copy(io.Discard, r.Body); err != nil {
				return nil, err
			}
		}
		body := strings.NewReader(answer(r.URL.Path))
		return &http.Response{StatusCode: http.StatusOK, Header: header, Body: io.NopCloser(body), Request: r}, nil
	})
}

func answer(path string) string {
	if path == send {
		return `{"errcode":0,"errmsg":"ok","msgid":200228332}`
	}
	return `{"access_token":"` + tok + `","expires_in":7200}`
}

// sender sends a message; each of a benchmark's goroutines has messages of its own.
type sender func(ctx context.Context, m *officialaccount.TemplateMessage) error

// reply is what by hand is read from an answer.
type reply struct {
	Code    int    `json:"errcode"`
	Message string `json:"errmsg"`
	MsgID   int64  `json:"msgid"`
}

func (r *reply) err() error {
	if r.Code != 0 {
		return fmt.Errorf("errcode %d: %s", r.Code, r.Message)
	}
	return nil
}

// dedupe is the value for client_msg_id, which this SDK fills in by itself.
const dedupe = "0123456789abcdef0123456789abcdef"

// sdk is this SDK with everything on.
func sdk(opts ...wechat.Option) sender {
	app := wechat.App{ID: "wx0123456789abcdef", Secret: "secret"}
	oa := officialaccount.New(wechat.New(opts...), app)
	return func(ctx context.Context, m *officialaccount.TemplateMessage) error {
		_, err := oa.SendTemplateMessage(ctx, m)
		return err
	}
}

// byHand is net/http and encoding/json.
func byHand(c *http.Client, base string) sender {
	return func(ctx context.Context, m *officialaccount.TemplateMessage) error {
		m.ClientMsgID = dedupe
		body, err := json.Marshal(m)
		if err != nil {
			return err
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+send+"?access_token="+tok, bytes.NewReader(body))
		if err != nil {
			return err
		}
		req.Header.Set("Content-Type", "application/json")
		resp, err := c.Do(req)
		if err != nil {
			return err
		}
		defer func() { _ = resp.Body.Close() }()
		body, err = io.ReadAll(resp.Body)
		if err != nil {
			return err
		}
		var r reply
		if err := json.Unmarshal(body, &r); err != nil {
			return err
		}
		return r.err()
	}
}

// restyDocumented is resty as its documentation shows it.
func restyDocumented(t http.RoundTripper) sender {
	c := resty.New().SetTransport(t).SetBaseURL(baseURL)
	return func(ctx context.Context, m *officialaccount.TemplateMessage) error {
		m.ClientMsgID = dedupe
		var r reply
		if _, err := c.R().SetContext(ctx).SetQueryParam("access_token", tok).SetBody(m).SetResult(&r).Post(send); err != nil {
			return err
		}
		return r.err()
	}
}

type contextKey struct{}

// restyHooks is the least that a client on resty needs that decides itself what is repeated: hooks, which are empty
// here, a trace that tells whether a request went out, a context value by which the hooks find their call, and this
// SDK's encoding and decoding.
func restyHooks(t http.RoundTripper) sender {
	c := resty.New().SetTransport(t).SetRetryCount(5)
	c.OnBeforeRequest(func(*resty.Client, *resty.Request) error { return nil })
	c.SetPreRequestHook(func(*resty.Client, *http.Request) error { return nil })
	c.AddRetryCondition(func(*resty.Response, error) bool { return false })
	c.SetRetryAfter(func(*resty.Client, *resty.Response) (time.Duration, error) { return 0, nil })
	return func(ctx context.Context, m *officialaccount.TemplateMessage) error {
		m.ClientMsgID = dedupe
		body, err := wire.Marshal(m)
		if err != nil {
			return err
		}
		var asked, got bool
		ctx = httptrace.WithClientTrace(context.WithValue(ctx, contextKey{}, m), &httptrace.ClientTrace{
			GetConn: func(string) { asked = true },
			GotConn: func(httptrace.GotConnInfo) { got = asked },
		})
		resp, err := c.R().SetContext(ctx).SetHeader("Content-Type", "application/json").SetBody(body).
			Post(baseURL + send + "?access_token=" + url.QueryEscape(tok))
		if err != nil {
			return err
		}
		if !got {
			return io.ErrUnexpectedEOF
		}
		if code, message, _, err := wire.Failure(resp.Body()); err != nil || code != 0 {
			return fmt.Errorf("errcode %d: %s: %w", code, message, err)
		}
		var receipt officialaccount.TemplateReceipt
		return wire.Unmarshal(resp.Body(), &receipt)
	}
}

// bySilenceper is silenceper/wechat, whose HTTP client is a global variable.
func bySilenceper(t http.RoundTripper) sender {
	util.DefaultHTTPClient = &http.Client{Transport: t}
	templates := silenceper.NewWechat().GetOfficialAccount(&config.Config{
		AppID: "wx0123456789abcdef", AppSecret: "secret", Cache: safeCache{cache.New(time.Hour, 0)},
	}).GetTemplate()
	return func(_ context.Context, m *officialaccount.TemplateMessage) error {
		data := make(map[string]*message.TemplateDataItem, len(m.Data))
		for name, value := range m.Data {
			data[name] = &message.TemplateDataItem{Value: value.Value}
		}
		_, err := templates.Send(&message.TemplateMessage{
			ToUser: m.ToUser, TemplateID: m.TemplateID, URL: m.URL, Data: data, ClientMsgID: dedupe,
		})
		return err
	}
}

// safeCache is a cache for silenceper/wechat, whose own one in memory reads a map without its lock.
type safeCache struct{ *cache.Cache }

func (c safeCache) Get(key string) any {
	value, _ := c.Cache.Get(key)
	return value
}

func (c safeCache) Set(key string, value any, life time.Duration) error {
	c.Cache.Set(key, value, life)
	return nil
}

func (c safeCache) IsExist(key string) bool { return c.Get(key) != nil }

func (c safeCache) Delete(key string) error {
	c.Cache.Delete(key)
	return nil
}
