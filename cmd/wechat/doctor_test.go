package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/mock"
)

// examine runs doctor and returns what it found, by check; of several findings of one check the last.
func examine(t *testing.T, code int, args ...string) map[string]finding {
	t.Helper()
	r := command(t, "", append([]string{"doctor", "--json"}, args...)...)
	var findings []finding
	if err := json.Unmarshal([]byte(r.out), &findings); err != nil || r.code != code {
		t.Fatalf("%+v, %v", r, err)
	}
	by := map[string]finding{}
	for _, f := range findings {
		if (f.Status == statusFail || f.Status == statusWarn) && f.Advice == "" {
			t.Errorf("%+v does not say what to do", f)
		}
		by[f.Check] = f
	}
	return by
}

func TestDoctor(t *testing.T) {
	s, url := newPlatform(t)
	f := examine(t, 0, "--base-url", url)
	for check, want := range map[string]string{"account": statusOK, "DNS": statusOK, "TCP": statusOK, "TLS": statusWarn, "clock": statusOK, "secret": statusOK, "allow list": statusOK, "quota": statusOK} {
		if f[check].Status != want {
			t.Errorf("%s: %+v", check, f[check])
		}
	}
	s.Limit("SendCustomMessage", mock.PerDay(1))
	if r := command(t, "", "call", "--base-url", url, "SendCustomMessage", "touser=a", "msgtype=text", `text={"content":"x"}`); r.code != 0 {
		t.Fatal(r)
	}
	if f = examine(t, exitFailed, "--base-url", url); f["quota"].Status != statusFail || !strings.Contains(f["quota"].Advice, "wechat quota clear SendCustomMessage") {
		t.Errorf("%+v", f["quota"])
	}
	if r := command(t, "", "doctor", "--base-url", url); !strings.Contains(r.out, "FAIL  quota       SendCustomMessage: all 1 calls of the day are used\n                  -> ") {
		t.Errorf("%+v", r)
	}
}

// TestDoctorRefused: what the platform refuses is told apart, with the address that has to be allowed.
func TestDoctorRefused(t *testing.T) {
	for _, tt := range []struct {
		name, product, endpoint string
		reply                   mock.Reply
		check, found, advice    string
	}{
		{"address", "officialaccount", "GetStableAccessToken", mock.Reply{Code: 40164, Message: "invalid ip 203.0.113.7 ipv6 ::ffff:203.0.113.7, not in whitelist rid: 65000000-0badcafe-00000001"},
			"allow list", "203.0.113.7 is not on it (40164)", "add 203.0.113.7 to it"},
		{"address, mini program", "miniprogram", "GetStableAccessToken", mock.Reply{Code: 40164, Message: "invalid ip 203.0.113.7, not in whitelist"},
			"allow list", "203.0.113.7", "开发设置"},
		{"address, WeCom", "work", "GetAPIDomainIPs", mock.Reply{Code: 60020, Message: "not allow to access from your ip, hint: [1], from ip: 203.0.113.9, more info at https://x"},
			"allow list", "203.0.113.9 is not on it (60020)", "企业可信IP"},
		{"secret", "officialaccount", "GetStableAccessToken", mock.Reply{Code: 40125}, "secret", "40125", "copy it from the console"},
		{"app id", "officialaccount", "GetStableAccessToken", mock.Reply{Code: 40013}, "secret", "40013", "app id is wrong"},
		{"another code", "officialaccount", "GetStableAccessToken", mock.Reply{Code: 50002}, "secret", "50002", " / "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, url := newPlatform(t)
			s.App(wechat.App{ID: "other", Secret: testSecret}, tt.product)
			t.Setenv("WECHAT_APPID", "other")
			s.Script(tt.endpoint, tt.reply)
			f := examine(t, exitFailed, "--base-url", url, "--product", tt.product)[tt.check]
			if f.Status != statusFail || !strings.Contains(f.Found, tt.found) || !strings.Contains(f.Advice, tt.advice) {
				t.Errorf("%+v", f)
			}
		})
	}
}

// TestDoctorNetwork: what lies between is told apart.
func TestDoctorNetwork(t *testing.T) {
	_, _ = newPlatform(t)
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	untrusted := httptest.NewTLSServer(http.NotFoundHandler())
	defer untrusted.Close()
	wrongClock := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Date", time.Now().Add(10*time.Minute).UTC().Format(http.TimeFormat))
		w.WriteHeader(http.StatusNotFound)
	}))
	defer wrongClock.Close()
	for _, tt := range []struct{ name, url, check, found string }{
		{"no URL", "api.weixin.qq.com", "DNS", "is no URL"},
		{"no such name", "http://no..such", "DNS", "cannot be found"},
		{"nobody listens", closed.URL, "TCP", "refused"},
		{"certificate", untrusted.URL, "TLS", "certificate"},
		{"clock", wrongClock.URL, "clock", "10m0s behind the platform's"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := examine(t, exitFailed, "--base-url", tt.url)
			if got := f[tt.check]; got.Status != statusFail || !strings.Contains(got.Found, tt.found) {
				t.Errorf("%+v", f)
			}
			if tt.check != "clock" && f["secret"].Status != statusSkip {
				t.Errorf("%+v", f["secret"])
			}
		})
	}
}
