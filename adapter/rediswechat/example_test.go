package rediswechat_test

import (
	"github.com/redis/go-redis/v9"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/adapter/rediswechat"
)

func ExampleOptions() {
	rdb := redis.NewUniversalClient(&redis.UniversalOptions{
		Addrs:                 []string{"localhost:6379"}, // several: a cluster
		ContextTimeoutEnabled: true,
	})
	defer func() { _ = rdb.Close() }()
	client := wechat.New(rediswechat.Options(rdb, rediswechat.WithInstances(3))...)
	_ = client
}

// wxJava is where WxJava keeps the tokens of official accounts: its WxMpRedisConfigImpl with the prefix "wx". The value is the
// token itself, and the key ends when WxJava wants to refresh it. It asks for the classic token unless it is told to use the
// stable one; App.Classic must say the same.
func wxJava(k rediswechat.TokenKey) (string, rediswechat.Format) {
	if k.Product != "officialaccount" || k.Kind != "token" && k.Kind != "classic" {
		return "", rediswechat.Plain
	}
	return "wx:access_token:" + k.App, rediswechat.Plain
}

// easyWeChat is where EasyWeChat 6 keeps the tokens of official accounts in a cache whose namespace is "easywechat", as PHP
// serializes them. The app's secret is part of its key, so that the function has to know it.
func easyWeChat(secret string) func(rediswechat.TokenKey) (string, rediswechat.Format) {
	return func(k rediswechat.TokenKey) (string, rediswechat.Format) {
		stable, ok := map[string]string{"token": "1", "classic": "0"}[k.Kind]
		if !ok || k.Product != "officialaccount" {
			return "", rediswechat.PHP
		}
		return "easywechat:official_account.access_token." + k.App + "." + secret + "." + stable, rediswechat.PHP
	}
}

func ExampleWithTokenKey() {
	rdb := redis.NewClient(&redis.Options{Addr: "localhost:6379"})
	defer func() { _ = rdb.Close() }()
	client := wechat.New(rediswechat.Options(rdb, rediswechat.WithTokenKey(wxJava))...)
	_ = client
}
