package rediswechat

import (
	"context"
	"crypto/rand"
	_ "embed"
	"errors"
	"sync"
	"time"

	"github.com/seed175cf469/wechat/ratelimit"
)

// pacer gives turns at the pace that all processes have learned together, and tells Redis what became of them. Those who
// wait in this process stand in a lane; the first of them asks Redis. What it is given is a turn of the process: when it
// is due, it is taken by whoever is first then.
type pacer struct {
	conn  *conn
	alone *ratelimit.Local // has counted what succeeded before anything was known

	mu    sync.Mutex
	lanes map[string]*lane // by key, while somebody waits
	came  uint64
}

type lane struct {
	line
	asking bool
	turn   *turn     // given to this process and not taken yet
	again  time.Time // when it makes sense to ask
	known  time.Time // nobody gets a turn before
}

// turn is one call that may be made. The zero turn is one that was made before anything was known.
type turn struct {
	cycle int64
	id    string
	due   time.Time
	asked time.Time
}

// place is where a key is kept.
type place struct {
	key   string
	view  *view
	field string // of the barriers in view
}

var (
	//go:embed pace.lua
	paceSource string
	paceScript = writing(paceSource)
)

// errAlone says that Redis does not answer.
var errAlone = errors.New("rediswechat: the pace of all processes is not known")

func newPacer(n *conn, alone *ratelimit.Local) *pacer {
	return &pacer{conn: n, alone: alone, lanes: map[string]*lane{}}
}

// run runs the script, notes the pace, and returns what else the script has answered.
func (p *pacer) run(at place, args ...any) ([]int64, error) {
	keys := []string{p.conn.name("pace", at.key), p.conn.name("flying", at.key), at.view.at}
	for _, tally := range p.alone.Drain(at.key) {
		args = append(args, tally.N, micros(tally.In))
	}
	// Without ctx: what Redis has given must not get lost.
	reply, err := p.conn.run(context.Background(), p.conn.budget, paceScript, keys, append([]any{at.field}, args...)...)
	if err != nil {
		return nil, errAlone
	}
	list, _ := reply.([]any)
	answer := make([]int64, len(list))
	for i, x := range list {
		answer[i], _ = x.(int64)
	}
	if len(answer) < 4 {
		return nil, errAlone
	}
	at.view.learn(at.field, ratelimit.Limit{Rate: int(answer[0]), Period: microseconds(answer[1])})
	return answer[2:], nil
}

// admit waits for a turn. Its error is errAlone, ctx's, or an *ratelimit.ExceededError where ctx ends before the turn comes.
func (p *pacer) admit(ctx context.Context, at place, priority ratelimit.Priority) (turn, error) {
	l, w := p.join(at.key, priority)
	defer p.leave(at, l, w)
	timer := time.NewTimer(0)
	timer.Stop()
	defer timer.Stop()
	for {
		t, wait, err := p.look(ctx, at, l, w)
		if err != nil || wait <= 0 {
			return t, err
		}
		timer.Reset(wait)
		select {
		case <-timer.C:
		case <-w.look:
		case <-ctx.Done():
			return turn{}, ctx.Err()
		}
	}
}

func (p *pacer) join(key string, priority ratelimit.Priority) (*lane, *waiter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.lanes[key]
	if l == nil {
		l = &lane{}
		p.lanes[key] = l
	}
	p.came++
	w := newWaiter(priority, p.came)
	l.join(&w)
	return l, &w
}

// leave takes w out, and gives back a turn that nobody is left to take.
func (p *pacer) leave(at place, l *lane, w *waiter) {
	p.mu.Lock()
	l.leave(w)
	var left *turn
	if l.head == nil {
		left, l.turn = l.turn, nil
		delete(p.lanes, at.key)
	}
	p.mu.Unlock()
	if left != nil {
		p.done(at, *left, ratelimit.Outcome{Unused: true})
	}
}

// look takes the turn that is due, or says for how long to wait until the next look.
func (p *pacer) look(ctx context.Context, at place, l *lane, w *waiter) (turn, time.Duration, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	first, _ := l.first()
	if first == w && !l.asking && l.turn == nil && !time.Now().Before(l.again) {
		if err := p.ask(at, l); err != nil {
			return turn{}, 0, err
		}
		if first, _ = l.first(); first != w {
			first.wake()
		}
	}
	now := time.Now()
	wait := time.Hour // until somebody wakes it
	switch {
	case first != w || l.asking:
	case l.turn == nil:
		wait = max(l.again.Sub(now), shortRetry)
	case l.turn.due.After(now):
		wait = l.turn.due.Sub(now)
	default:
		t := *l.turn
		l.turn, l.again = nil, now
		l.served(w)
		return t, 0, nil
	}
	pace := at.view.pace(at.field)
	if earliest := l.earliest(w, now, pace); earliest > 0 {
		if end, ok := ctx.Deadline(); ok && end.Before(now.Add(earliest)) {
			denied := ratelimit.Demand{Key: at.key, Scope: ratelimit.ScopeEndpoint, Limit: pace, N: 1, Priority: ratelimit.Priority(w.priority) + ratelimit.Background}
			return turn{}, 0, &ratelimit.ExceededError{Decision: ratelimit.Decision{RetryAfter: earliest, Denied: denied}, Err: context.DeadlineExceeded}
		}
	}
	return turn{}, wait, nil
}

// ask asks Redis for a turn. The pacer is unlocked meanwhile.
func (p *pacer) ask(at place, l *lane) error {
	l.asking = true
	p.mu.Unlock()
	id, asked := rand.Text(), time.Now()
	answer, err := p.run(at, "admit", id)
	p.mu.Lock()
	l.asking = false
	now := time.Now()
	switch {
	case err != nil || len(answer) != 3:
		return errAlone
	case answer[0] == 1:
		l.turn = &turn{cycle: answer[2], id: id, due: now.Add(microseconds(answer[1])), asked: asked}
	default:
		l.again = now.Add(min(microseconds(answer[1]), lookAgain))
		if known := now.Add(microseconds(answer[2])); known.After(l.known) {
			l.known = known
			l.wakeAll() // some may not have the time to wait so long
		}
	}
	return nil
}

// earliest is the wait that is certain for w.
func (l *lane) earliest(w *waiter, now time.Time, pace ratelimit.Limit) time.Duration {
	at := l.known
	if l.turn != nil {
		at = l.turn.due
	}
	d := max(at.Sub(now), 0)
	if pace.Rate > 0 {
		d += time.Duration(l.ahead(w)) * pace.Period / time.Duration(pace.Rate)
	}
	return d
}

// done tells Redis what became of a turn, and reports whether it has heard.
func (p *pacer) done(at place, t turn, o ratelimit.Outcome) bool {
	outcome := "fine"
	switch {
	case o.Unused:
		outcome = "unused"
	case o.Concurrency:
		outcome = "crowded"
	case o.Refused:
		outcome = "refused"
	}
	answer, err := p.run(at, "done", t.cycle, t.id, outcome, micros(max(o.RetryAfter, 0)), micros(max(o.Window, 0)))
	if err != nil || len(answer) != 2 {
		return false
	}
	now := time.Now()
	at.view.heard(at.field, now.Add(microseconds(answer[0])), now.Add(microseconds(answer[1])))
	p.mu.Lock()
	defer p.mu.Unlock()
	if l := p.lanes[at.key]; l != nil { // there may be a place in flight now
		l.again = now
		if l.head != nil {
			l.head.wake()
		}
	}
	return true
}

func microseconds(n int64) time.Duration { return time.Duration(n) * time.Microsecond }
