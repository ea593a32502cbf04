package work

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/internal/stub"
	"github.com/seed175cf469/wechat/ratelimit"
)

const robotKey = "693axxx6-7aoc-4bc4-97a0-0ec2sifa5aaa"

// A robot belongs to no app, and its key goes where a token would.
func TestWebhook(t *testing.T) {
	picture := []byte("\xff\xd8\xff\xe0 not much of a picture")
	tests := []struct {
		name    string
		message *WebhookMessage
		want    string
	}{
		{"text", WebhookTextMessage(robotKey, "hi <b>", "a", All), `{"msgtype":"text","text":{"content":"hi <b>","mentioned_list":["a","@all"]}}`},
		{"markdown", WebhookMarkdownMessage(robotKey, "<@a>"), `{"msgtype":"markdown","markdown":{"content":"<@a>"}}`},
		{"markdown v2", WebhookMarkdownV2Message(robotKey, "|a|"), `{"msgtype":"markdown_v2","markdown_v2":{"content":"|a|"}}`},
		{"image", WebhookImageMessage(robotKey, picture),
			`{"msgtype":"image","image":{"base64":"/9j/4CBub3QgbXVjaCBvZiBhIHBpY3R1cmU=","md5":"3e7db107b51d27a7a187ff7b06d6b94f"}}`},
		{"news", WebhookNewsMessage(robotKey, LinkArticle{Title: "t", URL: "u"}), `{"msgtype":"news","news":{"articles":[{"title":"t","url":"u"}]}}`},
		{"file", WebhookFileMessage(robotKey, "M"), `{"msgtype":"file","file":{"media_id":"M"}}`},
		{"voice", WebhookVoiceMessage(robotKey, "M"), `{"msgtype":"voice","voice":{"media_id":"M"}}`},
		{"card", WebhookCardMessage(robotKey, WebhookCard{CardType: CardTextNotice, MainTitle: CardTitle{Title: "t"}, CardAction: WebhookCardAction{Type: JumpURL, URL: "u"}}),
			`{"msgtype":"template_card","template_card":{"card_type":"text_notice","main_title":{"title":"t"},"card_action":{"type":1,"url":"u"}}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := stub.JSON(`{"errcode":0,"errmsg":"ok"}`)
			if err := New(s.Client(), wechat.App{}).SendWebhookMessage(context.Background(), tt.message); err != nil {
				t.Fatal(err)
			}
			r := s.Requests()[0]
			if r.Query.Encode() != "key="+robotKey {
				t.Errorf("query %s, want the key alone", r.Query.Encode())
			}
			if r.Body != tt.want {
				t.Errorf("body %s, want %s", r.Body, tt.want)
			}
		})
	}
}

// P032: the key of a robot is a secret: it stands in no error, at whatever depth, and in no log.
func TestWebhookKeyIsSecret(t *testing.T) {
	replies := map[string]stub.Reply{
		"refused":      {Body: `{"errcode":93000,"errmsg":"invalid webhook url, hint: [1700000000_1], key=` + robotKey + `"}`},
		"unreachable":  {Err: &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}},
		"lost":         {Err: io.ErrUnexpectedEOF},
		"no JSON":      {ContentType: "text/html", Body: "<html>?key=" + robotKey},
		"over the top": {Body: `{"errcode":45009,"errmsg":"api freq out of limit"}`},
	}
	for name, reply := range replies {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &stub.Server{Answer: func(stub.Request) stub.Reply { return reply }}
				var log bytes.Buffer
				logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
				c := New(s.Client(wechat.WithLogger(logger), wechat.WithRetry(wechat.RetryPolicy{MaxAttempts: 2})), wechat.App{})
				err := c.SendWebhookMessage(t.Context(), WebhookTextMessage(robotKey, "hi"))
				if err == nil {
					t.Fatal("no error")
				}
				for e := err; e != nil; e = errors.Unwrap(e) {
					if text := fmt.Sprintf("%v %+v %#v", e, e, e); strings.Contains(text, robotKey) {
						t.Errorf("the error shows the key: %s", text)
					}
				}
				if log.Len() == 0 || strings.Contains(log.String(), robotKey) {
					t.Errorf("the log is empty or shows the key: %s", log.String())
				}
			})
		})
	}
}

// A robot has 20 messages a minute, each robot for itself.
func TestRobotLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := stub.JSON(`{"errcode":0,"errmsg":"ok"}`)
		c := New(s.Client(), wechat.App{})
		send := func(ctx context.Context, key string) error {
			return c.SendWebhookMessage(ctx, WebhookTextMessage(key, "hi"))
		}
		for range 20 {
			if err := send(t.Context(), robotKey); err != nil {
				t.Fatal(err)
			}
		}
		err := send(t.Context(), robotKey)
		if after, ok := wechat.RetryAfter(err); !errors.Is(err, ratelimit.ErrExceeded) || !ok || after > time.Minute {
			t.Errorf("the 21st: %v, want ErrExceeded for at most a minute", err)
		}
		if strings.Contains(fmt.Sprintf("%+v", err), robotKey) {
			t.Errorf("the error shows the key: %+v", err)
		}
		if err := send(t.Context(), "another"); err != nil {
			t.Errorf("another robot: %v", err)
		}
		began := time.Now()
		if err := send(wechat.ContextWithPriority(t.Context(), ratelimit.Background), robotKey); err != nil {
			t.Errorf("with time to wait: %v", err)
		}
		if waited := time.Since(began); waited != time.Minute {
			t.Errorf("waited %v, want 1m", waited)
		}
	})
}

func TestWebhookRefuses(t *testing.T) {
	tests := []struct {
		name    string
		message *WebhookMessage
		want    string
	}{
		{"no key", WebhookTextMessage("", "hi"), "key"},
		{"text", WebhookTextMessage(robotKey, strings.Repeat("中", 683)), "text.content is 2049 bytes long, the limit is 2048"},
		{"markdown", WebhookMarkdownMessage(robotKey, strings.Repeat("x", 4097)), "markdown.content is 4097 bytes long, the limit is 4096"},
		{"markdown v2", WebhookMarkdownV2Message(robotKey, strings.Repeat("x", 4097)), "markdown_v2.content is 4097 bytes long, the limit is 4096"},
		{"image", WebhookImageMessage(robotKey, make([]byte, 2<<20+1)), "image is 2097153 bytes long, the limit is 2097152"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := stub.JSON(`{"errcode":0,"errmsg":"ok"}`)
			err := New(s.Client(), wechat.App{}).SendWebhookMessage(context.Background(), tt.message)
			if !errors.Is(err, wechat.ErrInvalidRequest) || len(s.Requests()) != 0 {
				t.Fatalf("error %v after %d requests, want ErrInvalidRequest after none", err, len(s.Requests()))
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%q does not say %q", err, tt.want)
			}
		})
	}
	for _, size := range []int{2 << 20, 2<<20 - 1, 2<<20 - 2} {
		if err := WebhookImageMessage(robotKey, make([]byte, size)).check(); err != nil {
			t.Errorf("a picture of %d bytes: %v", size, err)
		}
	}
}
