package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
)

// The last line adds up to the rows, nothing arrives twice, and what is left of an interrupted run is not called lost.
func TestRun(t *testing.T) {
	t.Setenv("WECHAT_APPID", "")
	rows, err := rowsOf("")
	if err != nil || len(rows) != 1000 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for name, limit := range map[string]time.Duration{"to the end": time.Minute, "interrupted": 2 * time.Second} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			var out bytes.Buffer
			err := run(ctx, &out, "", false)
			lines := strings.Split(strings.TrimSpace(out.String()), "\n")
			var sent, refused, invalid, unknown, duplicates, requests, throttled, tokens int
			if _, err := fmt.Sscanf(lines[len(lines)-1], "sent=%d refused=%d invalid=%d unknown=%d duplicates=%d requests=%d throttled=%d tokens=%d",
				&sent, &refused, &invalid, &unknown, &duplicates, &requests, &throttled, &tokens); err != nil {
				t.Fatalf("%v in %q", err, lines[len(lines)-1])
			}
			all := sent + refused + invalid + unknown
			whole := name == "to the end"
			if duplicates != 0 || whole != (all == len(rows)) || whole != (err == nil) || whole && (sent < 900 || tokens != 2 || throttled == 0 || requests < len(rows)-invalid) {
				t.Errorf("%v:\n%s", err, out.String())
			}
		})
	}
}

func TestRealServiceNeedsAll(t *testing.T) {
	t.Setenv("WECHAT_APPID", "wx1")
	t.Setenv("WECHAT_SECRET", "s")
	t.Setenv("WECHAT_TEMPLATE_ID", "")
	if err := run(t.Context(), new(bytes.Buffer), "", true); err == nil {
		t.Error("the made-up list would go to real people")
	}
}
