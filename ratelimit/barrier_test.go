package ratelimit

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestBarrier(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := new(Local)
		ctx := t.Context()
		if until, err := l.Until(ctx, "a"); err != nil || !until.IsZero() {
			t.Errorf("Until of a new key = %v, %v", until, err)
		}
		far := time.Now().Add(time.Minute)
		_ = l.Raise(ctx, "a", far)
		_ = l.Raise(ctx, "a", time.Now().Add(time.Second)) // never shortens
		_ = l.Raise(ctx, "a", time.Now().Add(-time.Hour))
		if until, _ := l.Until(ctx, "a"); !until.Equal(far) {
			t.Errorf("Until = %v, want %v", until, far)
		}
		if until, _ := l.Until(ctx, "b"); !until.IsZero() {
			t.Errorf("Until of another key = %v", until)
		}
		time.Sleep(time.Minute - 1)
		if until, _ := l.Until(ctx, "a"); until.IsZero() {
			t.Error("open too early")
		}
		time.Sleep(time.Nanosecond)
		if until, _ := l.Until(ctx, "a"); !until.IsZero() {
			t.Errorf("Until = %v, want open", until)
		}
		if n := len(l.barriers.until); n != 0 || l.barriers.closed.Load() != 0 {
			t.Errorf("%d entries kept, %d counted", n, l.barriers.closed.Load())
		}

		_ = l.Raise(ctx, "a", time.Now().Add(time.Minute))
		_ = l.Lower(ctx, "a")
		_ = l.Lower(ctx, "a")
		if until, _ := l.Until(ctx, "a"); !until.IsZero() {
			t.Errorf("Until after Lower = %v, want open", until)
		}
	})
}

// A date that has no monotonic reading, as from a header, counts as a distance from now.
func TestBarrierMonotonic(t *testing.T) {
	l := new(Local)
	_ = l.Raise(t.Context(), "a", time.Now().Add(time.Hour).Round(0))
	until, _ := l.Until(t.Context(), "a")
	if until.Round(0) == until { //nolint:staticcheck // QF1009: Equal does not see the reading
		t.Error("the time kept has no monotonic reading")
	}
	if d := time.Until(until); d < 59*time.Minute || d > time.Hour {
		t.Errorf("closed for %v, want 1h", d)
	}
}

// What nobody asks for again is swept when new keys come in.
func TestBarrierForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := new(Local)
		for i := range 10_000 {
			_ = l.Raise(t.Context(), fmt.Sprint(i), time.Now().Add(time.Second))
			time.Sleep(10 * time.Millisecond)
		}
		if n := len(l.barriers.until); n > 300 { // 100 are closed at a time
			t.Errorf("%d entries kept", n)
		}
	})
}

func TestBarrierParallel(t *testing.T) {
	l := new(Local)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 1000 {
				key := fmt.Sprint(j % 10)
				switch (i + j) % 3 {
				case 0:
					_ = l.Raise(t.Context(), key, time.Now().Add(time.Duration(j)*time.Microsecond))
				case 1:
					_ = l.Lower(t.Context(), key)
				default:
					_, _ = l.Until(t.Context(), key)
				}
			}
		})
	}
	wg.Wait()
	if n := int64(len(l.barriers.until)); n != l.barriers.closed.Load() {
		t.Errorf("%d entries, %d counted", n, l.barriers.closed.Load())
	}
}

func TestBarrierAllocates(t *testing.T) {
	l := new(Local)
	if n := testing.AllocsPerRun(1000, func() { _, _ = l.Until(t.Context(), "a") }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkUntil(b *testing.B) {
	b.Run("nothing closed", func(b *testing.B) {
		l := new(Local)
		for b.Loop() {
			_, _ = l.Until(b.Context(), "a")
		}
	})
	b.Run("others closed", func(b *testing.B) {
		l := new(Local)
		_ = l.Raise(b.Context(), "b", time.Now().Add(time.Hour))
		for b.Loop() {
			_, _ = l.Until(b.Context(), "a")
		}
	})
}
