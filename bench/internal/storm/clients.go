package storm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/failsafe-go/failsafe-go/failsafehttp"
	"github.com/go-resty/resty/v2"
	"github.com/hashicorp/go-retryablehttp"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/officialaccount"
	"github.com/seed175cf469/wechat/ratelimit"
)

// retries is how often the clients repeat a call: the number that is this SDK's default.
const retries = 5

const path = "/cgi-bin/message/template/send?access_token=TOKEN"

// Client is a way to send template messages.
type Client struct {
	Name string
	make func(s Scenario, url string) send
}

type send func(ctx context.Context, m *officialaccount.TemplateMessage) error

// The clients of this SDK.
const (
	Learned    = "this SDK, nothing configured"
	Configured = "this SDK, limit configured"
)

// Clients are all clients, the others first.
func Clients() []Client {
	return []Client{
		{"net/http, no retry", byHand},
		{"resty, its own waits", restyOwnWaits},
		{"resty, Retry-After by hand", restyRetryAfter},
		{"go-retryablehttp", retryable},
		{"failsafe-go", failsafe},
		{Learned, learned},
		{Configured, configured},
	}
}

func byHand(_ Scenario, url string) send {
	return withClient(&http.Client{Transport: transport()}, url)
}

func failsafe(_ Scenario, url string) send {
	policy := failsafehttp.NewRetryPolicyBuilder().WithMaxRetries(retries).Build() //nolint:bodyclose // there is no reply yet
	return withClient(&http.Client{Transport: failsafehttp.NewRoundTripper(transport(), policy)}, url)
}

// transport keeps the connections of a storm, as this SDK's own does. It does not bound them, as failsafe-go leaves the
// replies open that it repeats, and with them their connections.
func transport() *http.Transport { return &http.Transport{MaxIdleConnsPerHost: 256} }

func withClient(c *http.Client, url string) send {
	return func(ctx context.Context, m *officialaccount.TemplateMessage) error {
		body, err := json.Marshal(m)
		if err != nil {
			return err
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+path, bytes.NewReader(body))
		if err != nil {
			return err
		}
		req.Header.Set("Content-Type", "application/json")
		resp, err := c.Do(req)
		if err != nil {
			return err
		}
		return finish(resp)
	}
}

func retryable(_ Scenario, url string) send {
	c := retryablehttp.NewClient()
	c.HTTPClient.Transport = transport()
	c.RetryMax = retries
	c.Logger = nil
	return func(ctx context.Context, m *officialaccount.TemplateMessage) error {
		body, err := json.Marshal(m)
		if err != nil {
			return err
		}
		req, err := retryablehttp.NewRequestWithContext(ctx, http.MethodPost, url+path, body)
		if err != nil {
			return err
		}
		req.Header.Set("Content-Type", "application/json")
		resp, err := c.Do(req)
		if err != nil {
			return err
		}
		return finish(resp)
	}
}

func finish(resp *http.Response) error {
	_, err := io.Copy(io.Discard, resp.Body)
	return status(resp.StatusCode, errors.Join(err, resp.Body.Close()))
}

func status(code int, err error) error {
	if err == nil && code != http.StatusOK {
		err = fmt.Errorf("HTTP %d", code)
	}
	return err
}

func restyOwnWaits(_ Scenario, url string) send { return withResty(newResty(), url) }

func restyRetryAfter(_ Scenario, url string) send {
	c := newResty().SetRetryMaxWaitTime(time.Minute)
	c.SetRetryAfter(func(_ *resty.Client, resp *resty.Response) (time.Duration, error) {
		seconds, err := strconv.Atoi(resp.Header().Get("Retry-After"))
		return time.Duration(seconds) * time.Second, err
	})
	return withResty(c, url)
}

func newResty() *resty.Client {
	c := resty.New().SetTransport(transport()).SetRetryCount(retries)
	return c.AddRetryCondition(func(resp *resty.Response, err error) bool {
		return err != nil || resp.StatusCode() == http.StatusTooManyRequests
	})
}

func withResty(c *resty.Client, url string) send {
	return func(ctx context.Context, m *officialaccount.TemplateMessage) error {
		resp, err := c.R().SetContext(ctx).SetBody(m).Post(url + path)
		if err != nil {
			return err
		}
		return status(resp.StatusCode(), nil)
	}
}

func learned(_ Scenario, url string) send { return withSDK(url, ratelimit.Limits{}) }

func configured(s Scenario, url string) send {
	return withSDK(url, ratelimit.Limits{
		Endpoints: map[string][]ratelimit.Limit{"SendTemplateMessage": {ratelimit.PerSecond(s.Quota)}},
	})
}

func withSDK(url string, limits ratelimit.Limits) send {
	app := wechat.App{ID: "wx0123456789abcdef", TokenSource: wechat.StaticToken("TOKEN"), Limits: limits}
	oa := officialaccount.New(wechat.New(wechat.WithBaseURL("officialaccount", url)), app)
	return func(ctx context.Context, m *officialaccount.TemplateMessage) error {
		_, err := oa.SendTemplateMessage(ctx, m)
		return err
	}
}
