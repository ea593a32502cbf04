package ratelimit

import "testing"

// A day that lies in the future because the wall clock was wrong does not close a window until then.
func TestDailyAfterTheClockWasSetBack(t *testing.T) {
	const now = 400 * day
	for ahead, want := range map[uint32]int{0: 5, 1: 5, 2: 0, 30_000: 0} {
		d := newDaily()
		d.refresh(now)
		d.record(1, 0, now, 5)
		d.table.find(1)[header] += ahead
		if got := d.used(1, 0); got != want {
			t.Errorf("%d days ahead: %d events count, want %d", ahead, got, want)
		}
		if got := d.earliest(claim{hash: 1}, 5, 1, now, nil) == now; got != (want == 0) {
			t.Errorf("%d days ahead: another event fits now: %v", ahead, got)
		}
		if got := d.record(1, 0, now, 1); got != want+1 {
			t.Errorf("%d days ahead: %d events after one more, want %d", ahead, got, want+1)
		}
	}
}
