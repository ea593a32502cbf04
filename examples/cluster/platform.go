package main

import (
	"fmt"
	"time"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/mock"
	"github.com/seed175cf469/wechat/officialaccount"
)

const (
	sending = "SendTemplateMessage"
	fetch   = "GetStableAccessToken"

	leftEvery = 100 // each so many of the people does not follow any more
	lostEvery = 199 // each so many of the replies is lost after the work was done

	tooFast wechat.Code = 44990 // what the platform says beyond its quota for a second

	workerHeader = "X-Worker" // tells the platform which process a request comes from
)

// account is what all workers send for.
func account() wechat.App { return wechat.App{ID: "wx0123456789abcdef", Secret: "mock secret"} }

// openID is the person who gets message i.
func openID(i int) string { return fmt.Sprintf("o%027d", i) }

// left tells whether that person does not follow the account any more.
func left(i int) bool { return i%leftEvery == 0 }

// platform is the built-in WeChat on a loopback port.
type platform struct {
	*mock.Server
	url string
}

func startPlatform(s settings) (*platform, error) {
	p := &platform{Server: mock.NewServer(officialaccount.Endpoints()...)}
	p.App(account())
	for i := range s.sends {
		if left(i) {
			p.Unfollow(openID(i))
		}
	}
	p.Limit(sending, mock.PerSecond(s.quota))
	p.Fault(sending, mock.Fault{Every: 1, Delay: 10 * time.Millisecond})
	p.Fault(sending, mock.Fault{Every: lostEvery, Reset: true, Done: true})
	url, err := p.Listen("127.0.0.1:0")
	p.url = url
	return p, err
}

// fetches is how often a token was asked for.
func (p *platform) fetches() int { return len(p.Calls(fetch)) }

// view is what the platform has seen of the messages.
type view struct {
	requests, throttled int
	delivered           int // people who got their message
	twice               int // messages that somebody got again
	lost                int // people who follow, got nothing, and are not among the unknown either
	unknownDelivered    int // people among the unknown who got theirs
	tokens              int
	perSecond           []int          // requests, until there was nothing left to send
	byWorker            map[string]int // messages delivered, by worker
}

// view looks at all that has happened. unknown are the people of whose messages nobody knows what became; end is when all
// was sent but what the killed worker had left.
func (p *platform) view(sends int, unknown map[string]bool, end time.Time) view {
	v := view{twice: len(p.Duplicates()), tokens: p.TokensIssued(account().ID), byWorker: map[string]int{}}
	calls := p.Calls(sending)
	v.requests = len(calls)
	for _, c := range calls {
		if c.Code == tooFast {
			v.throttled++
		}
		if c.Time.After(end) {
			continue
		}
		second := int(c.Time.Unix() - calls[0].Time.Unix())
		for len(v.perSecond) <= second {
			v.perSecond = append(v.perSecond, 0)
		}
		v.perSecond[second]++
	}
	got := map[string]bool{}
	for _, m := range p.Delivered("") {
		got[m.Recipient] = true
		v.byWorker[m.Call.Header.Get(workerHeader)]++
	}
	v.delivered = len(got)
	for i := range sends {
		switch person := openID(i); {
		case got[person] && unknown[person]:
			v.unknownDelivered++
		case !got[person] && !unknown[person] && !left(i):
			v.lost++
		}
	}
	return v
}
