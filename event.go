package wechat

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"time"
)

// EventType says what an Event reports.
type EventType string

// The events.
const (
	EventAttempt      EventType = "attempt"      // one request and its reply
	EventRetry        EventType = "retry"        // the call will be repeated after Wait
	EventRecovered    EventType = "recovered"    // a call that was repeated has succeeded
	EventExhausted    EventType = "exhausted"    // a call that was repeated has failed for good
	EventUnknown      EventType = "unknown"      // a call ended and nobody knows whether it was carried out
	EventThrottled    EventType = "throttled"    // the server refused a call for its rate
	EventTokenRefresh EventType = "tokenRefresh" // a token or a ticket was fetched, or could not be (Err)
	EventBarrier      EventType = "barrier"      // an endpoint, or the app, is closed for Wait
	EventLimiterWait  EventType = "limiterWait"  // a call waited Wait for its turn, or got none (Err)
	EventPartial      EventType = "partial"      // a call succeeded and did not reach all of its recipients
)

// Event is what an observer gets. Fields that do not apply are zero.
type Event struct {
	Type      EventType
	Call      *Call // must not be changed or kept
	Attempt   int   // 1 is the first
	Status    int
	Code      Code
	Kind      Kind
	RequestID string
	Wait      time.Duration
	Took      time.Duration
	Err       error
}

// level is how much an operator should care.
func (e *Event) level() slog.Level {
	switch e.Type {
	case EventAttempt, EventLimiterWait:
		return slog.LevelDebug
	case EventRecovered:
		return slog.LevelInfo
	default:
		if e.Type == EventTokenRefresh && e.Err == nil {
			return slog.LevelInfo
		}
		return slog.LevelWarn
	}
}

// slogObserver writes events to logger: attempts at Debug, all that an operator should know at Warn. Requests,
// replies and recipients never stand in it; recipients are hashed, so that lines about one person can be found.
func slogObserver(logger *slog.Logger) func(context.Context, Event) {
	return func(ctx context.Context, e Event) {
		level := e.level()
		if !logger.Enabled(ctx, level) {
			return
		}
		attrs := make([]slog.Attr, 0, 12)
		if c := e.Call; c != nil {
			attrs = append(attrs, slog.String("endpoint", c.Spec.Name), slog.String("app", c.App.ID))
			if c.Product != nil {
				attrs = append(attrs, slog.String("product", c.Product.Name))
			}
			if len(c.Recipients) > 0 {
				sum := sha256.Sum256([]byte(c.Recipients[0]))
				attrs = append(attrs, slog.String("recipient", hex.EncodeToString(sum[:6])), slog.Int("recipients", len(c.Recipients)))
			}
		}
		if e.Attempt > 0 {
			attrs = append(attrs, slog.Int("attempt", e.Attempt))
		}
		if e.Status > 0 {
			attrs = append(attrs, slog.Int("status", e.Status))
		}
		if e.Code != 0 {
			attrs = append(attrs, slog.Int("errcode", int(e.Code)))
		}
		if e.Kind != 0 {
			attrs = append(attrs, slog.String("kind", e.Kind.Error()))
		}
		if e.RequestID != "" {
			attrs = append(attrs, slog.String("rid", e.RequestID))
		}
		if e.Wait > 0 {
			attrs = append(attrs, slog.Duration("wait", e.Wait))
		}
		if e.Took > 0 {
			attrs = append(attrs, slog.Duration("took", e.Took))
		}
		if e.Err != nil {
			attrs = append(attrs, slog.String("error", e.Err.Error()))
		}
		logger.LogAttrs(ctx, level, "wechat "+string(e.Type), attrs...)
	}
}
