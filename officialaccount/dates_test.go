package officialaccount

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestYesterday is case P043: half past midnight of 2 March in China, while UTC still has 1 March.
func TestYesterday(t *testing.T) {
	for _, tt := range []struct {
		now     string
		want    Date
		compact string
	}{
		{"2024-03-01T15:59:59Z", "2024-02-29", "20240229"},
		{"2024-03-01T16:00:00Z", "2024-03-01", "20240301"},
		{"2024-03-01T16:30:00Z", "2024-03-01", "20240301"},
		{"2024-03-01T23:59:59Z", "2024-03-01", "20240301"},
		{"2024-03-02T00:00:00Z", "2024-03-01", "20240301"},
		{"2024-12-31T16:00:00Z", "2024-12-31", "20241231"},
	} {
		t.Run(tt.now, func(t *testing.T) {
			clockAt(t, tt.now, func(t *testing.T) {
				if got := Yesterday(); got != tt.want {
					t.Errorf("yesterday is %s, want %s", got, tt.want)
				}
				if got, want := Yesterday().Compact(), tt.compact; got != want {
					t.Errorf("yesterday is %s, want %s", got, want)
				}
			})
		})
	}
}

func TestLastDays(t *testing.T) {
	clockAt(t, "2024-03-01T16:30:00Z", func(t *testing.T) {
		if got, want := *LastDays(7), (DateRange{"2024-02-24", "2024-03-01"}); got != want {
			t.Errorf("the last seven days are %v, want %v", got, want)
		}
		if got, want := *LastDays(1), *OneDay(Yesterday()); got != want {
			t.Errorf("the last day is %v, want %v", got, want)
		}
	})
}

// TestDateOf has one moment in time zones on both sides of the date line.
func TestDateOf(t *testing.T) {
	moment := time.Date(2024, 3, 1, 16, 30, 0, 0, time.UTC)
	for _, zone := range []*time.Location{time.UTC, china, time.FixedZone("west", -11*60*60), time.FixedZone("east", 13*60*60)} {
		if got := DateOf(moment.In(zone)); got != "2024-03-02" {
			t.Errorf("%v is %s in China, want 2024-03-02", moment.In(zone), got)
		}
	}
}

func TestDateTime(t *testing.T) {
	got, err := Date("2024-03-01").Time()
	if want := time.Date(2024, 2, 29, 16, 0, 0, 0, time.UTC); err != nil || !got.Equal(want) {
		t.Errorf("begins at %v, %v, want %v", got, err, want)
	}
	for _, d := range []Date{"", "20240301", "2024-02-30"} {
		if at, err := d.Time(); err == nil {
			t.Errorf("%q begins at %v, want an error", d, at)
		}
	}
}

// clockAt calls f in a bubble whose clock stands at now.
func clockAt(t *testing.T, now string, f func(*testing.T)) {
	t.Helper()
	moment, err := time.Parse(time.RFC3339, now)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(moment))
		f(t)
	})
}
