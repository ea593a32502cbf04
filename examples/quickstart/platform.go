package main

import (
	"sync/atomic"
	"time"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/mock"
	"github.com/seed175cf469/wechat/officialaccount"
)

const (
	perSecond = 120 // messages that the platform takes in a natural second
	leftEvery = 40  // each so many of the people does not follow any more
)

// platform is the built-in WeChat on a loopback port.
type platform struct {
	*mock.Server
	app wechat.App
	url string
}

// startPlatform opens a platform on which everything goes wrong that can.
func startPlatform(rows []row) (*platform, error) {
	p := &platform{Server: mock.NewServer(officialaccount.Endpoints()...), app: wechat.App{ID: "wx0123456789abcdef", Secret: "mock secret"}}
	p.App(p.app)
	p.CheckOpenIDs(nil)
	for i := 0; i < len(rows); i += leftEvery {
		p.Unfollow(rows[i].openID)
	}

	const send = "SendTemplateMessage"
	second := mock.PerSecond(perSecond)
	turn := 0
	second.Refusal = func(opens time.Time) mock.Reply { // under the server's lock
		turn++
		switch turn % 3 {
		case 0:
			return mock.TooManyRequestsUntil(opens)
		case 1:
			return mock.TooManyRequests(time.Until(opens))
		}
		return mock.Reply{Code: 45009, Message: "reach max api second frequence limit"}
	}
	p.Limit(send, second, mock.PerMinute(4).EachRecipient())

	page := mock.Page(502)
	busy := mock.Reply{Code: -1}
	p.Fault(send, mock.Fault{Every: 1, Delay: 10 * time.Millisecond})
	p.Fault(send, mock.Fault{Every: 89, Reset: true, Done: true}) // the work is done and the reply is lost
	p.Fault(send, mock.Fault{Every: 97, Cut: true})
	p.Fault(send, mock.Fault{Every: 101, Reply: &page})
	p.Fault(send, mock.Fault{Every: 103, Reply: &busy})
	var calls atomic.Int64
	p.Fault(send, mock.Fault{When: func(mock.Call) bool { // strikes nothing
		if calls.Add(1) == int64(len(rows)/2) {
			p.RevokeTokens(p.app.ID)
		}
		return false
	}})

	url, err := p.Listen("127.0.0.1:0")
	p.url = url
	return p, err
}

func (p *platform) duplicates() int { return len(p.Duplicates()) }
