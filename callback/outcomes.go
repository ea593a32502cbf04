package callback

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/ratelimit"
)

// Outcome is what became of a send, as the platform tells it after the call has succeeded.
type Outcome struct {
	MsgID      int64  // as in the receipt of the send
	OpenID     string // whom it was for; for a mass message, who sent it
	TemplateID string // of a subscription message
	Status     string // in the platform's words
	// Kind is 0 for what arrived. Else it says what to do: ErrUnreachable, the person refuses it; ErrRateLimited, it
	// was dropped for its rate, so slow down; ErrBusy, the platform failed; ErrContent, it was refused.
	Kind wechat.Kind
	// Code is the errcode, or N of an err(N); 0: none was told.
	Code wechat.Code
	Time time.Time
	// Event has the rest: a *TemplateSendJobFinish, *MassSendJobFinish or *SubscribeMsgSent.
	Event Message
}

// Arrived reports whether the send reached whom it was for; a mass message, whether it went out.
func (o Outcome) Arrived() bool { return o.Kind == 0 }

// outcomeMemory is how long an outcome is kept for those who ask after it arrived.
const outcomeMemory = 10 * time.Minute

// Outcomes tells the programs that send what became of their sends, by MsgID. It hears of it as a Middleware of the
// receiver, and knows only of pushes that this process receives; Notify passes them on. The zero Outcomes is ready.
type Outcomes struct {
	// Notify is called for each outcome; nil: nobody. An error makes the platform push again.
	Notify func(ctx context.Context, o Outcome) error

	mu      sync.Mutex
	known   shelf[int64, Outcome]
	waiting map[int64]*outcomeWait
}

// outcomeWait is those who wait for one outcome.
type outcomeWait struct {
	n    int
	done chan struct{}
}

// Watch is the Middleware: it hears of the outcomes in what is pushed, and hands everything on.
func (o *Outcomes) Watch(next Receiver) Receiver {
	return func(ctx context.Context, m Message) (Reply, error) {
		for _, found := range OutcomesOf(m) {
			o.tell(found)
			if o.Notify != nil {
				if err := o.Notify(ctx, found); err != nil {
					return nil, err
				}
			}
		}
		return next(ctx, m)
	}
}

func (o *Outcomes) tell(found Outcome) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.known.set(found.MsgID, found, outcomeMemory)
	if w := o.waiting[found.MsgID]; w != nil {
		close(w.done)
		delete(o.waiting, found.MsgID)
	}
}

// Wait returns what became of the send with a MsgID, also where that was told up to ten minutes ago. ctx bounds the wait;
// the platform tells within seconds for template messages, and perhaps never.
func (o *Outcomes) Wait(ctx context.Context, msgID int64) (Outcome, error) {
	for {
		o.mu.Lock()
		if found, ok := o.known.get(msgID); ok {
			o.mu.Unlock()
			return found, nil
		}
		w := o.waiting[msgID]
		if w == nil {
			w = &outcomeWait{done: make(chan struct{})}
			if o.waiting == nil {
				o.waiting = map[int64]*outcomeWait{}
			}
			o.waiting[msgID] = w
		}
		w.n++
		o.mu.Unlock()
		select {
		case <-w.done:
			continue
		case <-ctx.Done():
		}
		o.mu.Lock()
		if w.n--; w.n == 0 && o.waiting[msgID] == w {
			delete(o.waiting, msgID)
		}
		o.mu.Unlock()
		return Outcome{}, ctx.Err()
	}
}

// SlowDown returns a Notify that closes SendTemplateMessage of app for d when the platform has dropped a template message
// for its rate, which the call itself cannot tell: all clients that share barrier (wechat.WithBarrier) wait.
func SlowDown(barrier ratelimit.Barrier, app wechat.App, d time.Duration) func(context.Context, Outcome) error {
	key := wechat.BarrierKey("officialaccount", app, "SendTemplateMessage")
	return func(ctx context.Context, o Outcome) error {
		if _, template := o.Event.(*TemplateSendJobFinish); template && o.Kind == wechat.ErrRateLimited {
			return barrier.Raise(ctx, key, time.Now().Add(d))
		}
		return nil
	}
}

// OutcomesOf lists the outcomes that a push tells; most tell none.
func OutcomesOf(m Message) []Outcome {
	h := m.Head()
	one := Outcome{OpenID: h.FromUserName, Time: h.Time(), Event: m}
	switch e := m.(type) {
	case *TemplateSendJobFinish:
		one.MsgID, one.Status, one.Kind = e.MsgID, e.Status, kindOfStatus(e.Status)
		return []Outcome{one}
	case *MassSendJobFinish:
		one.MsgID, one.Status, one.Kind = e.MsgID, e.Status, kindOfStatus(e.Status)
		if code, ok := strings.CutPrefix(e.Status, "err("); ok {
			n, _ := integer(strings.TrimSuffix(code, ")"))
			one.Code, one.Kind = wechat.Code(n), wechat.ErrContent
		}
		return []Outcome{one}
	case *SubscribeMsgSent:
		var list []Outcome
		for _, r := range e.List {
			o := one
			o.MsgID, o.TemplateID, o.Status, o.Code = r.MsgID, r.TemplateID, r.ErrorStatus, wechat.Code(r.ErrorCode)
			if o.Code != 0 {
				o.Kind = wechat.ErrUnreachable // what subscription messages fail of after they were taken
			}
			list = append(list, o)
		}
		return list
	}
	return nil
}

// kindOfStatus reads the statuses, which have spaces in different places.
func kindOfStatus(status string) wechat.Kind {
	switch s := strings.ToLower(strings.ReplaceAll(status, " ", "")); {
	case s == "success", s == "sendsuccess":
		return 0
	case strings.Contains(s, "freqlimit"):
		return wechat.ErrRateLimited
	case strings.Contains(s, "userblock"), strings.Contains(s, "userrefuse"):
		return wechat.ErrUnreachable
	default:
		return wechat.ErrBusy
	}
}
