package wechat

import (
	"testing"
	"time"

	"github.com/seed175cf469/wechat/ratelimit"
)

// Whatever a server says, the verdict is one of those that the client knows what to do with.
func FuzzClassify(f *testing.F) {
	f.Add("officialaccount", "POST /cgi-bin/message/template/send", 200, 45009, "reach max api daily quota limit rid: 1-2-3")
	f.Add("work", "POST /cgi-bin/message/send", 200, 45033, "api concurrent out of limit, hint: [1], from ip: 203.0.113.7")
	f.Add("miniprogram", "POST /wxa/getwxacodeunlimit", 200, 45009, "")
	f.Add("", "", 429, 0, "")
	f.Fuzz(func(t *testing.T, product, pattern string, status, code int, message string) {
		spec := Spec{Product: product, Pattern: pattern}
		v := classify(spec, status, Code(code), message)
		if v.Scope != "" && v.Kind != ErrRateLimited && v.Kind != ErrQuotaExhausted {
			t.Errorf("%v has scope %q", v.Kind, v.Scope)
		}
		if v.Window < 0 || v.Window > time.Hour {
			t.Errorf("window %v", v.Window)
		}
		if v.Kind == ErrQuotaExhausted && v.Scope != "" && v.Scope != ratelimit.ScopeEndpoint {
			t.Errorf("a day's quota of %q", v.Scope)
		}
		if code == 0 && v.Kind == 0 {
			t.Error("a failure without a kind")
		}
		if row, ok := errcode(product, Code(code)); ok && row.english == "" {
			t.Errorf("%q %d: a row without a text", product, code)
		}
	})
}

// The table of limits.md in short: product, code and text to kind and window.
func TestClassify(t *testing.T) {
	template, unlimited := "POST /cgi-bin/message/template/send", "POST /wxa/getwxacodeunlimit"
	for _, tc := range []struct {
		product, pattern string
		code             Code
		message          string
		want             Verdict
	}{
		{"officialaccount", template, 44990, "reach max api second frequence limit", Verdict{ErrRateLimited, ratelimit.ScopeEndpoint, time.Second}},
		{"miniprogram", template, 44991, "reach max api minute frequence", Verdict{ErrRateLimited, ratelimit.ScopeEndpoint, time.Minute}},
		{"officialaccount", template, 45011, "api minute-quota reach limit mustslower retry next minute", Verdict{ErrRateLimited, ratelimit.ScopeEndpoint, time.Minute}},
		{"officialaccount", template, 44993, "reach max api day frequence limit", Verdict{ErrQuotaExhausted, ratelimit.ScopeEndpoint, 0}},
		{"officialaccount", template, 45009, "reach max api daily quota limit rid: x", Verdict{ErrQuotaExhausted, ratelimit.ScopeEndpoint, 0}},
		{"officialaccount", template, 45009, "api freq out of limit", Verdict{ErrQuotaExhausted, ratelimit.ScopeEndpoint, 0}},
		{"miniprogram", unlimited, 45009, "", Verdict{ErrRateLimited, ratelimit.ScopeEndpoint, time.Minute}},
		{"miniprogram", unlimited, 45009, "reach max api daily quota limit", Verdict{ErrQuotaExhausted, ratelimit.ScopeEndpoint, 0}},
		{"work", template, 45009, "api freq out of limit, hint: [1]", Verdict{ErrRateLimited, ratelimit.ScopeEndpoint, time.Minute}},
		{"work", template, 45033, "api concurrent out of limit", Verdict{ErrRateLimited, ratelimit.ScopeConcurrency, 0}},
		{"officialaccount", template, 45033, "", Verdict{Kind: ErrUnreachable}},
		{"officialaccount", template, 45010, "", Verdict{Kind: ErrInvalidRequest}},
		{"officialaccount", template, 48006, "", Verdict{Kind: ErrQuotaExhausted}},
		{"miniprogram", template, 43108, "", Verdict{Kind: ErrRateLimited, Scope: ratelimit.ScopeRecipient}},
		{"officialaccount", template, 42007, "", Verdict{Kind: ErrUnreachable}},
		{"officialaccount", template, 4999999, "", Verdict{}},
	} {
		if got := classify(Spec{Product: tc.product, Pattern: tc.pattern}, 200, tc.code, tc.message); got != tc.want {
			t.Errorf("%s %d %q: %+v, want %+v", tc.product, tc.code, tc.message, got, tc.want)
		}
	}
}
