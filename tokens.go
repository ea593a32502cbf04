package wechat

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/patrickmn/go-cache"
	"golang.org/x/sync/singleflight"

	"github.com/seed175cf469/wechat/internal/wire"
)

const (
	refreshEarly  = 120 * time.Second // before the end, but never before half of the token's life
	refreshPause  = 10 * time.Second  // after a refresh that failed while the old token lives
	maxLife       = 2 * time.Hour     // of what a store says: no token of the platform lives longer
	storeTimeout  = 3 * time.Second   // for one question to the store
	askTimeout    = 20 * time.Second  // for asking the server, with repeats
	lockTTL       = askTimeout + 2*storeTimeout
	fetchTimeout  = lockTTL + askTimeout + 10*time.Second // for all of it, a lock that a dead process left included
	refetchPause  = 30 * time.Second                      // between fetches because of a refusal, once the first few are used up
	refetchBurst  = 3
	forcePerDay   = 20 // what stable_token allows
	credentialMax = time.Minute
)

// tokens keeps tokens and tickets: one fetch at a time for each in this process and, with a store, across
// processes. No goroutine of it outlives the callers that wait for it.
type tokens struct {
	store  TokenStore // nil: this process only
	report func(ctx context.Context, e Event)

	cache  *cache.Cache // key to *keptToken, and key+":forced" to Token; without janitor
	flight singleflight.Group

	mu      sync.Mutex
	waiting map[string]*waiters
	sweepAt int // size of the cache at which it is swept
}

// waiters share one fetch; when the last has left, ctx ends.
type waiters struct {
	n      int
	ctx    context.Context
	cancel context.CancelFunc
	gone   chan struct{} // closed when a fetch died without a result (runtime.Goexit)
}

// want describes a token and how to get it.
type want struct {
	key      string
	app      *Call // for events
	shared   bool  // kept in the store as well
	forcible bool  // the server gives the same value again until it is forced
	source   any   // held as long as what it gave, so that its address is not used again
	fetch    func(ctx context.Context, refused Token, force bool) (Token, error)
}

// keptToken is what is known under a key. It is never changed, only replaced.
type keptToken struct {
	Token
	since    time.Time     // when it came; with a monotonic reading, unlike what a store holds
	served   time.Duration // how long it is served without a refresh; 0: for ever
	life     time.Duration // how long it lives; 0: for ever
	source   any
	*trouble // nil: there was none
}

// trouble is what is remembered of fetches that failed and tokens that were refused.
type trouble struct {
	dead     Secret    // refused by the server and not replaced yet; a store may still hold it
	err      error     // why the last fetch failed
	fails    int       // fetches that failed in a row
	pause    time.Time // nothing is fetched before
	refetch  int       // fetches because of a refusal since the last pause
	refetchd time.Time // the last of them
}

func (k *keptToken) usable() bool { return k != nil && k.Value != "" }

func (k *keptToken) isFresh() bool {
	return k.usable() && (k.served == 0 || time.Since(k.since) < k.served)
}

func (k *keptToken) lives() bool {
	return k.usable() && (k.life == 0 || time.Since(k.since) < k.life)
}

func newTokens(store TokenStore, report func(context.Context, Event)) *tokens {
	if store != nil {
		store = boundedStore{store}
	}
	return &tokens{store: store, report: report, cache: cache.New(cache.NoExpiration, 0), waiting: map[string]*waiters{}}
}

// boundedStore gives up on a store that does not answer.
type boundedStore struct{ store TokenStore }

func (b boundedStore) Load(ctx context.Context, key string) (Token, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	return b.store.Load(ctx, key)
}

func (b boundedStore) Replace(ctx context.Context, key string, old, fresh Token) (Token, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	return b.store.Replace(ctx, key, old, fresh)
}

func (b boundedStore) Lock(ctx context.Context, key string, ttl time.Duration) (func(), error) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	return b.store.Lock(ctx, key, ttl)
}

// fresh returns what is in memory, without a wait and without allocation, unless it is due for a refresh.
func (m *tokens) fresh(key string) (Token, bool) {
	if k := m.memory(key); k.isFresh() {
		return k.Token, true
	}
	return Token{}, false
}

func (m *tokens) memory(key string) *keptToken {
	x, _ := m.cache.Get(key)
	k, _ := x.(*keptToken)
	return k
}

// keep puts k in memory. It is put there without an expiry, as a keptToken knows its own by a clock that nobody can
// set; what is dead is dropped when the memory has doubled.
func (m *tokens) keep(key string, k *keptToken) {
	m.cache.Set(key, k, cache.NoExpiration)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.cache.ItemCount() < m.sweepAt {
		return
	}
	for key, item := range m.cache.Items() {
		if old, ok := item.Object.(*keptToken); ok && old.forgettable() {
			m.cache.Delete(key)
		}
	}
	m.cache.DeleteExpired() // counts of forced refreshes
	m.sweepAt = max(1024, 2*m.cache.ItemCount())
}

// forgettable reports whether nothing is lost with k.
func (k *keptToken) forgettable() bool {
	return !k.lives() && (k.trouble == nil || time.Since(k.pause) > credentialMax && time.Since(k.refetchd) > refetchPause)
}

// get returns a token other than refused. A living token that is due for a refresh is refreshed by one
// caller and served to the others meanwhile.
func (m *tokens) get(ctx context.Context, w want, refused Token) (Token, error) {
	k := m.memory(w.key)
	if k != nil {
		old := k.lives() && k.Value != refused.Value
		paused := k.trouble != nil && time.Now().Before(k.pause)
		switch {
		case old && (k.isFresh() || paused || m.busy(w.key)):
			return k.Token, nil
		case paused && k.err != nil && !old && (refused.Value == "" || refused.Value == k.dead):
			return Token{}, later(k.err, time.Until(k.pause))
		}
	}
	t, err := m.join(ctx, w, refused)
	if err != nil && k.lives() && k.Value != refused.Value {
		return k.Token, nil
	}
	return t, err
}

// busy reports whether somebody fetches key already.
func (m *tokens) busy(key string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.waiting[key] != nil
}

// later is err with the time to come back.
func later(err error, wait time.Duration) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	again := *e
	again.After = wait
	return &again
}

var (
	errFetchDied = errors.New("wechat: the token source ended without a result")
	errAbandoned = errors.New("wechat: nobody waits for the token any more")
)

// join takes part in the fetch of w's key, and starts it where there is none.
func (m *tokens) join(ctx context.Context, w want, refused Token) (Token, error) {
	for again := false; ; {
		t, err := m.joinOnce(ctx, w, refused)
		switch {
		case errors.Is(err, errAbandoned) && ctx.Err() == nil:
			// Those who had started it left just before this caller came.
		case err == nil && t.Value == refused.Value && m.stale(w.key, refused) && !again:
			again = true // it had begun before the refusal
		case errors.Is(err, errAbandoned):
			return Token{}, waitingFor("a token", ctx.Err())
		default:
			return t, err
		}
	}
}

// waitingFor says what a caller was waiting for when its context ended.
func waitingFor(what string, err error) error {
	return fmt.Errorf("wechat: waiting for %s: %w", what, err)
}

// stale reports whether memory still holds what was refused and no refetch has confirmed it.
func (m *tokens) stale(key string, refused Token) bool {
	k := m.memory(key)
	return k.usable() && k.Value == refused.Value && (k.trouble == nil || k.refetch == 0)
}

func (m *tokens) joinOnce(ctx context.Context, w want, refused Token) (Token, error) {
	m.mu.Lock()
	g := m.waiting[w.key]
	if g == nil {
		g = &waiters{gone: make(chan struct{})}
		g.ctx, g.cancel = context.WithCancel(context.Background())
		m.waiting[w.key] = g
	}
	g.n++
	result := m.flight.DoChan(w.key, func() (any, error) {
		returned := false
		defer func() {
			if !returned {
				m.died(w.key)
			}
		}()
		t, err := m.fetchSafely(g.ctx, w, refused)
		if err != nil && g.ctx.Err() != nil {
			err = errAbandoned
		}
		returned = true
		return t, err
	})
	m.mu.Unlock()

	defer func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		if g.n--; g.n == 0 {
			g.cancel()
			if m.waiting[w.key] == g {
				delete(m.waiting, w.key)
			}
		}
	}()
	select {
	case r := <-result:
		t, _ := r.Val.(Token)
		return t, r.Err
	case <-g.gone:
		return Token{}, errFetchDied
	case <-ctx.Done():
		return Token{}, waitingFor("a token", ctx.Err())
	}
}

// died tells those who wait for the key that its fetch ended by runtime.Goexit: DoChan would never answer them. Who
// comes later starts another.
func (m *tokens) died(key string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.flight.Forget(key)
	if g := m.waiting[key]; g != nil {
		delete(m.waiting, key)
		close(g.gone)
	}
}

// fetchSafely makes an error of a panic in a user's code, an observer included: the goroutine that it runs in is nobody's,
// so that the panic could not be caught elsewhere.
func (m *tokens) fetchSafely(ctx context.Context, w want, refused Token) (t Token, err error) {
	defer func() { caught(recover(), &err) }()
	return m.fetch(ctx, w, refused)
}

// caught makes an error of a panic.
func caught(p any, err *error) {
	if p != nil {
		*err = fmt.Errorf("wechat: panic while a token was fetched: %s", wire.Redact(fmt.Sprint(p)))
	}
}

// fetch gets a token other than refused and puts it where everybody finds it. It runs once at a time for a
// key.
func (m *tokens) fetch(ctx context.Context, w want, refused Token) (_ Token, err error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	began := time.Now()
	k := m.memory(w.key)
	if k.isFresh() && k.Value != refused.Value {
		return k.Token, nil // it came between the caller's look and now
	}
	next := keptToken{source: w.source}
	var past trouble
	if k != nil && k.trouble != nil {
		past = trouble{fails: k.fails, refetch: k.refetch, refetchd: k.refetchd}
		if refused.Value == "" {
			refused.Value = k.dead
		}
	}
	if k.usable() && k.Value == refused.Value {
		if wait := past.countRefetch(began); wait > 0 {
			return Token{}, &Error{Kind: ErrTokenInvalid, After: wait, App: w.app.App.ID,
				Message: "the server refuses the tokens that it gives"}
		}
	}
	if past != (trouble{}) {
		next.trouble = &past
	}
	t, stored, err := m.obtain(ctx, w, refused, &next)
	if err != nil {
		err = wire.RedactError(err)
		m.failed(ctx, w, k, next, refused, err)
		if !stored {
			m.report(ctx, Event{Type: EventTokenRefresh, Call: w.app, Took: time.Since(began), Err: err})
		}
		return Token{}, err
	}
	next.Token, next.since = t, time.Now()
	if next.trouble != nil {
		next.fails = 0
	}
	if !t.Expiry.IsZero() {
		next.life = max(time.Until(t.Expiry), time.Nanosecond)
		next.served = max(next.life-refreshEarly, next.life/2)
	}
	m.keep(w.key, &next)
	if !stored {
		m.report(ctx, Event{Type: EventTokenRefresh, Call: w.app, Took: time.Since(began)})
	}
	return t, nil
}

// countRefetch counts a fetch because of a refusal; a positive wait says that there have been too many.
func (k *trouble) countRefetch(now time.Time) (wait time.Duration) {
	if k.refetch > 0 && now.Sub(k.refetchd) >= refetchPause {
		k.refetch = 0
	}
	if k.refetch >= refetchBurst {
		return refetchPause - now.Sub(k.refetchd)
	}
	k.refetch++
	k.refetchd = now
	return 0
}

// failed remembers a fetch that failed. While the old token lives it is not tried again at once; a credential
// that was refused is not either, as a storm of those gets the address blocked.
func (m *tokens) failed(ctx context.Context, w want, k *keptToken, next keptToken, refused Token, err error) {
	if next.trouble == nil {
		next.trouble = new(trouble)
	}
	next.dead = refused.Value
	lives := k.lives() && k.Value != refused.Value
	final := errors.Is(err, ErrCredential) || errors.Is(err, ErrForbidden) || errors.Is(err, ErrInvalidRequest)
	after, told := RetryAfter(err)
	switch {
	case told && errors.Is(err, ErrTokenInvalid): // too soon to force
		next.pause, next.err = time.Now().Add(after), err
	case final:
		next.pause = time.Now().Add(min(time.Second<<min(next.fails, 10), credentialMax))
		next.err = err
		next.fails++
	case lives && ctx.Err() == nil: // else nobody waits for it any more
		next.pause = time.Now().Add(refreshPause)
	}
	if lives {
		next.Token, next.since, next.served, next.life, next.source = k.Token, k.since, k.served, k.life, k.source
	}
	m.keep(w.key, &next)
}

// obtain asks the store, under its lock where need be, and then the server. stored tells that the token came
// from the store.
func (m *tokens) obtain(ctx context.Context, w want, refused Token, next *keptToken) (t Token, stored bool, err error) {
	defer func() { caught(recover(), &err) }() // here, so that it is reported like any failure
	var old Token
	if m.store != nil && w.shared {
		unlock, found, err := m.lock(ctx, w, refused)
		if err != nil || found.Value != "" {
			return found, true, err
		}
		defer unlock()
		var ok bool
		if old, ok = m.load(ctx, w.key, refused); ok {
			return old, true, nil
		}
	}
	if t, err = m.ask(ctx, w, refused, next); err != nil {
		return Token{}, false, err
	}
	if m.store != nil && w.shared {
		stands, err := m.store.Replace(ctx, w.key, old, t)
		switch {
		case err != nil:
			m.storeFailed(ctx, w, err)
		case plausible(stands) && stands.Value != refused.Value:
			t = capped(stands)
		}
	}
	return t, false, nil
}

// ask fetches from the server. Where that gives the refused value again it is forced, if that is possible and
// not too soon; else the value stands, and the server's next word on it is final.
func (m *tokens) ask(ctx context.Context, w want, refused Token, next *keptToken) (Token, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	t, err := checked(w.fetch(ctx, refused, false))
	if err != nil || refused.Value == "" || t.Value != refused.Value {
		return t, err
	}
	if !w.forcible {
		// The same value again: not asked before the pause is over.
		if next.trouble == nil {
			next.trouble = &trouble{refetchd: time.Now()}
		}
		next.refetch = refetchBurst
		return t, nil
	}
	if wait := m.force(ctx, w, time.Now()); wait > 0 {
		return Token{}, &Error{Kind: ErrTokenInvalid, After: wait, App: w.app.App.ID,
			Message: "the token was refused and may not be replaced yet"}
	}
	t, err = checked(w.fetch(ctx, refused, true))
	if err == nil && t.Value == refused.Value {
		return Token{}, &Error{Kind: ErrTokenInvalid, After: refetchPause, App: w.app.App.ID,
			Message: "the server did not replace the refused token"}
	}
	return t, err
}

// checked makes sure that an empty or dead token never reaches the wire.
func checked(t Token, err error) (Token, error) {
	if err == nil && t.Value == "" {
		return Token{}, &Error{Kind: ErrBadReply, Message: "the token is empty"}
	}
	if err == nil && !t.Expiry.IsZero() && time.Until(t.Expiry) <= 0 {
		return Token{}, &Error{Kind: ErrBadReply, Message: "the token is expired already"}
	}
	return t, err
}

// force counts a forced refresh, in the store where there is one; a positive wait says that it is too soon.
// What is stored is a Token that ends with the server's day and whose value is "count life": how long it had to live when it
// was stored, so that its age shows whatever the clocks of processes say.
func (m *tokens) force(ctx context.Context, w want, now time.Time) (wait time.Duration) {
	key := w.key + ":forced"
	var old, own Token // of all processes, and of this one, which counts where the store has failed
	if x, ok := m.cache.Get(key); ok {
		own, _ = x.(Token)
	}
	if m.store != nil && w.shared {
		var err error
		if old, err = m.store.Load(ctx, key); err != nil && !errors.Is(err, ErrNoToken) {
			m.storeFailed(ctx, w, err)
		}
	}
	count, age := forced(old, now)
	ownCount, ownAge := forced(own, now)
	count, age = max(count, ownCount), min(age, ownAge)
	if age < refetchPause {
		return min(refetchPause-age, refetchPause)
	}
	end := nextDay(now)
	if count >= forcePerDay {
		return end.Sub(now)
	}
	fresh := Token{Value: Secret(fmt.Sprintf("%d %v", count+1, end.Sub(now))), Expiry: end}
	if m.store != nil && w.shared {
		if _, err := m.store.Replace(ctx, key, old, fresh); err != nil {
			m.storeFailed(ctx, w, err)
		}
	}
	m.cache.Set(key, fresh, end.Sub(now)+time.Minute)
	return 0
}

// forced reads what force has stored: how often it was done today, and how long ago the last time was.
func forced(t Token, now time.Time) (count int, age time.Duration) {
	n, life, ok := strings.Cut(t.Value.Reveal(), " ")
	if !ok || !now.Before(t.Expiry) {
		return 0, math.MaxInt64
	}
	count, _ = strconv.Atoi(n)
	whole, _ := time.ParseDuration(life)
	return count, whole - t.Expiry.Sub(now)
}

// load reads the store. ok says that the token can be used: it is none that was refused and has more than
// refreshEarly to live.
func (m *tokens) load(ctx context.Context, key string, refused Token) (t Token, ok bool) {
	t, err := m.store.Load(ctx, key)
	if err != nil {
		if !errors.Is(err, ErrNoToken) {
			m.report(ctx, Event{Type: EventTokenRefresh, Err: fmt.Errorf("wechat: token store: %w", wire.RedactError(err))})
		}
		return Token{}, false
	}
	t2 := capped(t)
	return t2, plausible(t) && t.Value != refused.Value && time.Until(t.Expiry) > refreshEarly
}

// plausible refuses what a store of another format, or with another contract, may give.
func plausible(t Token) bool {
	v := t.Value.Reveal()
	return len(v) > 0 && len(v) <= 4096 && !strings.ContainsAny(v, "\"{} \t\r\n\x00") && time.Now().Before(t.Expiry)
}

// capped ends what a store holds after a token's longest life, whatever its writer's clock said.
func capped(t Token) Token {
	if end := time.Now().Add(maxLife); t.Expiry.After(end) {
		t.Expiry = end
	}
	return t
}

// lock takes the store's lock. While another process holds it, it looks whether that one has brought a token.
// A store that fails is gone without: unlock does nothing then.
func (m *tokens) lock(ctx context.Context, w want, refused Token) (unlock func(), found Token, err error) {
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, 500*time.Millisecond) {
		if t, ok := m.load(ctx, w.key, refused); ok {
			return nil, t, nil
		}
		unlock, err := m.store.Lock(ctx, w.key, lockTTL)
		switch {
		case err == nil:
			return unlock, Token{}, nil
		case !errors.Is(err, ErrLocked):
			m.storeFailed(ctx, w, err)
			return func() {}, Token{}, nil
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, Token{}, waitingFor("another process to fetch the token", ctx.Err())
		}
	}
}

func (m *tokens) storeFailed(ctx context.Context, w want, err error) {
	m.report(ctx, Event{Type: EventTokenRefresh, Call: w.app, Err: fmt.Errorf("wechat: token store: %w", wire.RedactError(err))})
}
