package rediswechat

import (
	"context"
	"crypto/rand"
	_ "embed"
	"errors"
	"math"
	"strconv"
	"sync"
	"time"

	"github.com/seed175cf469/wechat/ratelimit"
)

// batch is how many turns a process asks for at once, so that it is not the way to Redis that sets its pace.
const batch = 64

// pacer gives turns at the pace that all processes have learned together, and tells Redis what became of them. Those who
// wait in this process stand in a lane; the first of them asks Redis. What it is given are turns of the process: when one
// is due, it is taken by whoever is first then.
type pacer struct {
	conn  *conn
	name  string           // of this process
	alone *ratelimit.Local // has counted what succeeded before anything was known

	mu    sync.Mutex
	lanes map[string]*lane // by key, while somebody waits
	owed  map[*view][]owed
	came  uint64
}

type lane struct {
	line
	asking bool
	turns  []turn    // given to this process and not taken yet, by time
	again  time.Time // when it makes sense to ask
	known  time.Time // nobody gets a turn before
}

// turn is one call that may be made. The zero turn is one that was made before anything was known.
type turn struct {
	id    string
	due   time.Time
	asked time.Time
}

// owed is an outcome that Redis has to hear of yet.
type owed struct {
	at      place
	id      string
	outcome ratelimit.Outcome
}

var (
	//go:embed pace.lua
	paceSource string
	paceScript = writing(paceSource)
)

// errAlone says that Redis does not answer.
var errAlone = errors.New("rediswechat: the pace of all processes is not known")

func newPacer(n *conn, alone *ratelimit.Local) *pacer {
	return &pacer{conn: n, name: rand.Text(), alone: alone, lanes: map[string]*lane{}, owed: map[*view][]owed{}}
}

// run runs the script, notes the pace, and returns what else the script has answered. Its error is errDown where Redis was
// not asked.
func (p *pacer) run(at place, args ...any) ([]int64, error) {
	keys := []string{p.conn.name("pace", at.key), p.conn.name("flying", at.key), at.view.at}
	args = append([]any{at.field}, args...)
	if !at.view.isPaced(at.field) || !at.view.opens(at.field).IsZero() { // what was counted before may not be known yet
		if tallies := p.alone.Tallies(at.key); tallies != nil {
			args = append(args, p.name)
			for _, tally := range tallies {
				args = append(args, tally.N, micros(tally.In))
			}
		}
	}
	// Without ctx: what Redis has given must not get lost.
	reply, err := p.conn.run(context.Background(), p.conn.budget, paceScript, keys, args...)
	if err != nil {
		return nil, err
	}
	list, _ := reply.([]any)
	answer := make([]int64, len(list))
	for i, x := range list {
		answer[i], _ = x.(int64)
	}
	if len(answer) < 4 {
		return nil, errAlone
	}
	at.view.learn(at.field, microseconds(answer[0]), microseconds(answer[1]))
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

// leave takes w out, and gives back turns that nobody is left to take.
func (p *pacer) leave(at place, l *lane, w *waiter) {
	p.mu.Lock()
	l.leave(w)
	var left []turn
	if l.head == nil {
		left = l.turns
		delete(p.lanes, at.key)
	}
	p.mu.Unlock()
	for _, t := range left {
		p.done(at, t, ratelimit.Outcome{Unused: true})
	}
}

// look takes the turn that is due, or says for how long to wait until the next look.
func (p *pacer) look(ctx context.Context, at place, l *lane, w *waiter) (turn, time.Duration, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return turn{}, 0, err
	}
	first, _ := l.first()
	if first == w && !l.asking && len(l.turns) == 0 && !time.Now().Before(l.again) {
		err := p.ask(at, l)
		if first, _ = l.first(); first != w {
			first.wake() // it found somebody asking
		}
		if err != nil {
			return turn{}, 0, err
		}
	}
	now := time.Now()
	wait := time.Hour // until somebody wakes it
	switch {
	case first != w || l.asking:
	case len(l.turns) == 0:
		wait = max(l.again.Sub(now), shortRetry)
	case l.turns[0].due.After(now):
		wait = l.turns[0].due.Sub(now)
	default:
		t := l.turns[0]
		l.turns = l.turns[1:]
		l.served(w)
		return t, 0, nil
	}
	if earliest := l.earliest(w, now, at.view.pace(at.field)); earliest > 0 {
		if end, ok := ctx.Deadline(); ok && end.Before(now.Add(earliest)) {
			return turn{}, 0, at.tooLate(earliest, ratelimit.Priority(w.priority)+ratelimit.Background)
		}
	}
	return turn{}, wait, nil
}

// ask asks Redis for turns. The pacer is unlocked meanwhile.
func (p *pacer) ask(at place, l *lane) error {
	l.asking = true
	n := min(l.waiting(), batch)
	p.mu.Unlock()
	id, asked := rand.Text(), time.Now()
	answer, err := p.run(at, "admit", n, id)
	p.mu.Lock()
	l.asking = false
	now := time.Now()
	switch {
	case err != nil:
		if !errors.Is(err, errDown) { // it may have given turns
			for i := range n {
				p.owe(at, turnID(id, i), ratelimit.Outcome{Unused: true})
			}
		}
		return errAlone
	case answer[0] == 1:
		for i, wait := range answer[1:] {
			l.turns = append(l.turns, turn{id: turnID(id, i), due: now.Add(microseconds(wait)), asked: asked})
		}
		l.again, l.known = now, now
	default:
		known := now.Add(microseconds(answer[2]))
		if known.After(l.known) {
			l.wakeAll() // some may not have the time to wait so long
		}
		l.again, l.known = now.Add(min(microseconds(answer[1]), lookAgain)), known
	}
	return nil
}

// turnID is the id of one of the turns that were asked for together.
func turnID(id string, i int) string { return id + ":" + strconv.Itoa(i+1) }

// earliest is the wait that is certain for w.
func (l *lane) earliest(w *waiter, now time.Time, pace pace) time.Duration {
	at := l.known
	if len(l.turns) > 0 {
		at = l.turns[0].due
	}
	return max(at.Sub(now), 0) + time.Duration(l.ahead(w))*pace.interval
}

// done tells Redis what became of a turn, and reports whether it has heard. If not, it is told later.
func (p *pacer) done(at place, t turn, o ratelimit.Outcome) bool {
	heard := p.tell(at, t.id, o)
	p.mu.Lock()
	defer p.mu.Unlock()
	if !heard {
		if t.id != "" {
			p.owe(at, t.id, o)
		}
		return false
	}
	if l := p.lanes[at.key]; l != nil { // there may be a place in flight now
		l.again = time.Now()
		if l.head != nil {
			l.head.wake()
		}
	}
	return true
}

func (p *pacer) tell(at place, id string, o ratelimit.Outcome) bool {
	outcome := "fine"
	switch {
	case o.Unused:
		outcome = "unused"
	case o.Concurrency:
		outcome = "crowded"
	case o.Refused:
		outcome = "refused"
	}
	answer, err := p.run(at, "done", id, outcome, micros(max(o.RetryAfter, 0)), micros(max(o.Window, 0)))
	if err != nil {
		return false
	}
	now := time.Now()
	at.view.heard(at.field, now.Add(microseconds(answer[0])), now.Add(microseconds(answer[1])))
	return true
}

// owe notes what Redis has to hear of yet. What was a refusal then is none any more when it is told: the place in flight is
// given back, and no more. The pacer is locked.
func (p *pacer) owe(at place, id string, o ratelimit.Outcome) {
	o = ratelimit.Outcome{Unused: o.Unused || o.Refused || o.Concurrency}
	p.owed[at.view] = append(p.owed[at.view], owed{at, id, o})
}

// settle tells Redis, which answers again, what it has to hear of yet.
func (p *pacer) settle(v *view) {
	p.mu.Lock()
	all := p.owed[v]
	delete(p.owed, v)
	p.mu.Unlock()
	for i, o := range all {
		if !p.tell(o.at, o.id, o.outcome) {
			p.mu.Lock()
			p.owed[v] = append(p.owed[v], all[i:]...)
			p.mu.Unlock()
			return
		}
	}
}

// microseconds are at most the longest Duration.
func microseconds(n int64) time.Duration {
	const longest = math.MaxInt64 / int64(time.Microsecond)
	return time.Duration(min(n, longest)) * time.Microsecond
}
