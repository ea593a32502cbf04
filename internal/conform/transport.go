package conform

import (
	"bytes"
	"context"
	"io"
	"net/http"

	"github.com/seed175cf469/wechat"
)

// bare is a call of the endpoint without its checks and limits. They have tests of their own, and a request with
// every field filled would fail some.
func bare(spec wechat.Spec, product *wechat.Product, req, res any) *wechat.Call {
	return &wechat.Call{
		Spec: wechat.Spec{Name: spec.Name, Pattern: spec.Pattern, Effect: spec.Effect, NoToken: spec.NoToken, Const: spec.Const},
		App:  app, Product: product, Request: req, Response: res,
	}
}

// send carries out a call with a client of its own, whose transport answers with body, and returns what arrived
// there.
func send(call *wechat.Call, body []byte) (arrived *http.Request, content []byte, err error) {
	answer := func(r *http.Request) (*http.Response, error) {
		arrived = r
		if r.Body != nil {
			if content, err = io.ReadAll(r.Body); err != nil {
				return nil, err
			}
		}
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Request: r,
			Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body))}, nil
	}
	client := wechat.New(
		wechat.WithTransport(func(http.RoundTripper) http.RoundTripper { return transport(answer) }),
		wechat.WithRetry(wechat.RetryPolicy{MaxAttempts: 1}),
	)
	err = client.Do(context.Background(), call)
	return arrived, content, err
}

type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }
