package rediswechat_test

import (
	"context"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed175cf469/wechat/adapter/rediswechat"
	"github.com/seed175cf469/wechat/callback"
	"github.com/seed175cf469/wechat/mock"
)

var _ callback.Seen = (*rediswechat.Seen)(nil)

func TestSeen(t *testing.T) {
	m, rdb := mini(t)
	s := rediswechat.NewSeen(rdb)
	ctx := t.Context()
	if _, added, err := s.Add(ctx, "push/1", nil, time.Second); !added || err != nil {
		t.Fatal(added, err)
	}
	if found, added, err := s.Add(ctx, "push/1", []byte("x"), time.Second); added || len(found) != 0 || err != nil {
		t.Errorf("%q, %v, %v", found, added, err)
	}
	if err := s.Set(ctx, "push/1", []byte("answer \x00 好"), time.Minute); err != nil {
		t.Error(err)
	}
	if found, added, err := s.Add(ctx, "push/1", nil, time.Second); added || string(found) != "answer \x00 好" || err != nil {
		t.Errorf("%q, %v, %v", found, added, err)
	}
	if err := s.Remove(ctx, "push/1"); err != nil {
		t.Error(err)
	}
	if _, added, _ := s.Add(ctx, "push/1", nil, time.Second); !added {
		t.Error("what was removed is still there")
	}
	m.FastForward(2 * time.Second)
	if _, added, _ := s.Add(ctx, "push/1", nil, time.Second); !added {
		t.Error("what has ended is still there")
	}
	m.Close()
	if _, _, err := s.Add(ctx, "push/1", nil, time.Second); err == nil {
		t.Error("no error without Redis")
	}
}

// P113: a push that comes again to another process is answered with the first one's reply and handled once.
func TestSeenInTwoProcesses(t *testing.T) {
	_, rdb := mini(t)
	var handled atomic.Int32
	pusher := func() *mock.Pusher {
		h, err := callback.New(callback.Config{Product: callback.OfficialAccount, ID: "wx1", Token: "token", Seen: rediswechat.NewSeen(rdb)},
			func(context.Context, callback.Message) (callback.Reply, error) {
				handled.Add(1)
				return callback.TextReply{Content: "好"}, nil
			})
		if err != nil {
			t.Fatal(err)
		}
		server := httptest.NewServer(h)
		t.Cleanup(server.Close)
		return &mock.Pusher{URL: server.URL, ID: "wx1", Token: "token"}
	}
	push := callback.XML(&callback.Text{Header: callback.Header{ToUserName: "gh", FromUserName: "o1", CreateTime: time.Now().Unix(), MsgID: 20000000000000001}, Content: "hi"})
	for _, p := range []*mock.Pusher{pusher(), pusher()} {
		a, err := p.Push(t.Context(), push)
		if err != nil || !strings.Contains(string(a.Body), "好") {
			t.Errorf("%q, %v", a.Body, err)
		}
	}
	if handled.Load() != 1 {
		t.Errorf("handled %d times", handled.Load())
	}
}
