package ratelimit_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/seed175cf469/wechat/ratelimit"
)

// Limits stand in files as text.
func TestLimitText(t *testing.T) {
	for text, want := range map[string]ratelimit.Limit{
		"100/s":        ratelimit.PerSecond(100),
		"4/min":        ratelimit.PerMinute(4),
		"1000/h":       ratelimit.PerHour(1000),
		"80000/day":    ratelimit.PerDay(80000),
		"30/10s":       {Rate: 30, Period: 10 * time.Second},
		"30/1m30s":     {Rate: 30, Period: 90 * time.Second},
		"20/s burst 5": {Rate: 20, Period: time.Second, Burst: 5},
		"0/0s":         {},
	} {
		var got ratelimit.Limit
		if err := got.UnmarshalText([]byte(text)); err != nil || got != want || got.String() != text {
			t.Errorf("%q: %+v, %q, %v", text, got, got.String(), err)
		}
	}
	for _, text := range []string{"", "100", "/s", "x/s", "100/", "100/fortnight", "-1/s", "4/min burst", "4/min burst x", "4/min burst 5", "100/s/s"} {
		var got ratelimit.Limit
		if err := got.UnmarshalText([]byte(text)); err == nil || got != (ratelimit.Limit{}) {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
}

func TestLimitsFromJSON(t *testing.T) {
	var got ratelimit.Limits
	err := json.Unmarshal([]byte(`{"App":["100/s"],"Endpoints":{"SendTemplateMessage":["80000/day",{"Rate":20,"Period":1000000000}]},"Reserve":0.2}`), &got)
	if err != nil || got.App[0] != ratelimit.PerSecond(100) || got.Endpoints["SendTemplateMessage"][0] != ratelimit.PerDay(80000) ||
		got.Endpoints["SendTemplateMessage"][1] != ratelimit.PerSecond(20) || got.Reserve != 0.2 {
		t.Errorf("%+v, %v", got, err)
	}
	b, err := json.Marshal(got.App)
	if err != nil || string(b) != `["100/s"]` {
		t.Errorf("%s, %v", b, err)
	}
	for _, bad := range []string{`["100"]`, `[100]`, `["100/s]`} {
		if err := json.Unmarshal([]byte(bad), &got.App); err == nil {
			t.Errorf("%s was read", bad)
		}
	}
}
