package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed175cf469/wechat"
)

// TestAccount: where the account comes from, and that what belongs to one account never meets another's.
func TestAccount(t *testing.T) {
	s, url := newPlatform(t)
	s.App(wechat.App{ID: "wx-shop", Secret: "shop-secret"}, "miniprogram")
	s.App(wechat.App{ID: "ww-corp", Secret: "corp-secret", AgentID: 7})
	config := write(t, "config.yaml", `default: shop
profiles:
  shop: {product: miniprogram, appid: wx-shop, secret_file: shop.secret}
  corp: {appid: ww-corp, secret: corp-secret, agentid: 7}
`)
	if err := os.WriteFile(filepath.Join(filepath.Dir(config), "shop.secret"), []byte("shop-secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	other := write(t, "secret", testSecret+"\n")
	environment := map[string]string{"WECHAT_APPID": testApp, "WECHAT_SECRET": testSecret}
	for _, tt := range []struct {
		name string
		env  map[string]string
		args []string
		want string // app and product, or the error
	}{
		{"environment", environment, nil, testApp + " officialaccount"},
		{"the environment goes before the default profile", environment, []string{"--config", config}, testApp + " officialaccount"},
		{"default profile", nil, []string{"--config", config}, "wx-shop miniprogram"},
		{"profile", nil, []string{"--config", config, "--profile", "corp"}, "ww-corp work"},
		{"a profile that is named goes before the environment", environment, []string{"--config", config, "--profile", "corp"}, "ww-corp work"},
		{"profile of the environment", map[string]string{"WECHAT_PROFILE": "corp"}, []string{"--config", config}, "ww-corp work"},
		{"flags", nil, []string{"--appid", testApp, "--secret-file", other}, testApp + " officialaccount"},
		{"flags go before all", nil, []string{"--config", config, "--appid", testApp, "--secret-file", other}, testApp + " officialaccount"},
		{"app id by flag, secret by environment", map[string]string{"WECHAT_SECRET": testSecret}, []string{"--appid", testApp}, testApp + " officialaccount"},
		{"another's secret is not taken", nil, []string{"--config", config, "--appid", testApp}, "no secret for " + testApp},
		{"no such profile", nil, []string{"--config", config, "--profile", "x"}, `has no profile "x"`},
		{"agent id", map[string]string{"WECHAT_AGENTID": "x", "WECHAT_APPID": "ww1"}, nil, "WECHAT_AGENTID"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			noAccount(t)
			for name, value := range tt.env {
				t.Setenv(name, value)
			}
			r := command(t, "", append([]string{"token", "--json", "--base-url", url}, tt.args...)...)
			var got tokenInfo
			if r.code == 0 {
				if err := json.Unmarshal([]byte(r.out), &got); err != nil {
					t.Fatal(err)
				}
			}
			if r.code == 0 && got.App+" "+got.Product != tt.want || r.code != 0 && (r.code != exitUsage || !strings.Contains(r.err, tt.want)) {
				t.Errorf("exit code %d, %+v, %s; want %s", r.code, got, r.err, tt.want)
			}
		})
	}
}

// TestConfigSecret: an error about the configuration file does not quote what stands there, and a file that others can
// read is told about.
func TestConfigSecret(t *testing.T) {
	noAccount(t)
	r := command(t, "", "token", "--config", write(t, "config.yaml", "profiles: {a: {agentid: "+testSecret+"}}\n"), "--profile", "a")
	if r.code != exitUsage || !strings.Contains(r.err, "line 1") {
		t.Errorf("%+v", r)
	}
	r = command(t, "", "token", "--config", write(t, "config.yaml", "profiles: {a: {appsecret: x}}\n"), "--profile", "a")
	if r.code != exitUsage || !strings.Contains(r.err, "appsecret") {
		t.Errorf("%+v", r)
	}
	open := write(t, "config.yaml", "profiles: {a: {appid: wx1, secret: "+testSecret+"}}\n")
	if err := os.Chmod(open, 0o644); err != nil {
		t.Fatal(err)
	}
	if r = command(t, "", "token", "--config", open, "--profile", "a", "--base-url", "http://127.0.0.1:1"); !strings.Contains(r.err, "others can read it") {
		t.Errorf("%+v", r)
	}
}
