package miniprogram

import (
	"context"
	"testing"

	"github.com/seed175cf469/wechat/internal/stub"
)

// The signature is over the bytes that go out.
func TestSetUserStorage(t *testing.T) {
	s := stub.JSON(`{"errcode":0,"errmsg":"ok"}`)
	r, err := SignUserStorage("oFAKE", sessionKey, UserKeyValue{Key: "score", Value: `<a>&"中"`})
	if err != nil {
		t.Fatal(err)
	}
	if err := clientOf(s).SetUserStorage(context.Background(), r); err != nil {
		t.Fatal(err)
	}
	got := s.Requests()[0]
	if want := `{"kv_list":[{"key":"score","value":"<a>&\"中\""}]}`; got.Body != want {
		t.Errorf("body %s, want %s", got.Body, want)
	}
	if want := signSession(sessionKey, []byte(got.Body)); got.Query.Get("signature") != want {
		t.Errorf("signature %s, want %s", got.Query.Get("signature"), want)
	}
	if got.Query.Get("appid") != appID || got.Query.Get("sig_method") != "hmac_sha256" || got.Query.Get("openid") != "oFAKE" {
		t.Errorf("query %v", got.Query)
	}
}

func TestCheckEncryptedData(t *testing.T) {
	s := stub.JSON(`{"errcode":0,"errmsg":"ok","vaild":true,"create_time":1629121902}`)
	got, err := clientOf(s).CheckEncryptedData(context.Background(), HashEncryptedData("abc"))
	if err != nil {
		t.Fatal(err)
	}
	if !got.Valid || got.CreateTime != 1629121902 {
		t.Errorf("got %+v", got)
	}
	// printf abc | sha256sum
	want := `{"encrypted_msg_hash":"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}`
	if body := s.Requests()[0].Body; body != want {
		t.Errorf("body %s, want %s", body, want)
	}
}
