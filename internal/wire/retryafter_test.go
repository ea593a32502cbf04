package wire

import (
	"math/big"
	"net/http"
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2024, time.November, 6, 12, 0, 0, 0, time.UTC)

func TestRetryAfter(t *testing.T) {
	const longest = 9223372036 * time.Second
	tests := []struct {
		value string
		want  time.Duration
		ok    bool
	}{
		{"0", 0, true},
		{"120", 2 * time.Minute, true},
		{" 3\t", 3 * time.Second, true},
		{"0007", 7 * time.Second, true},
		{"9223372036", longest, true},
		{"9223372037", longest, true},
		{"18446744073709551616", longest, true},
		{strings.Repeat("9", 100), longest, true},
		{"Wed, 06 Nov 2024 12:01:30 GMT", 90 * time.Second, true},
		{"Wed, 06 Nov 2024 11:59:00 GMT", 0, true},
		{"Wednesday, 06-Nov-24 12:01:30 GMT", 90 * time.Second, true},
		{"Wed Nov  6 12:01:30 2024", 90 * time.Second, true},
		{"Fri, 31 Dec 9999 23:59:59 GMT", 1<<63 - 1, true},
		{"", 0, false},
		{"  ", 0, false},
		{"-1", 0, false},
		{"+1", 0, false},
		{"1.5", 0, false},
		{"1e3", 0, false},
		{"1 2", 0, false},
		{"1s", 0, false},
		{"\u00a01", 0, false},
		{"١", 0, false},
		{"soon", 0, false},
		{"2024-11-06T12:01:30Z", 0, false},
	}
	for _, tt := range tests {
		if got, ok := RetryAfter(tt.value, noon); got != tt.want || ok != tt.ok {
			t.Errorf("RetryAfter(%q) = %v, %t; want %v, %t", tt.value, got, ok, tt.want, tt.ok)
		}
	}
}

func FuzzRetryAfter(f *testing.F) {
	for _, s := range []string{"1", " 2 ", "-1", "1.5", "99999999999999999999", "Wed, 06 Nov 2024 12:01:30 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, value string) {
		got, ok := RetryAfter(value, noon)
		trimmed := strings.Trim(value, " \t")
		seconds, isNumber := new(big.Int).SetString(trimmed, 10)
		isNumber = isNumber && strings.Trim(trimmed, "0123456789") == ""
		date, err := http.ParseTime(trimmed)
		switch {
		case got < 0, !ok && got != 0, ok != (isNumber || err == nil):
			t.Errorf("RetryAfter(%q) = %v, %t", value, got, ok)
		case isNumber && seconds.IsInt64() && seconds.Int64() < 1e9 && got != time.Duration(seconds.Int64())*time.Second:
			t.Errorf("RetryAfter(%q) = %v", value, got)
		case err == nil && got != max(0, date.Sub(noon)):
			t.Errorf("RetryAfter(%q) = %v for a date", value, got)
		}
	})
}

func BenchmarkRetryAfter(b *testing.B) {
	for _, value := range []string{"120", "Wed, 06 Nov 2024 12:01:30 GMT"} {
		b.Run(value, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, ok := RetryAfter(value, noon); !ok {
					b.Fatal(value)
				}
			}
		})
	}
}
