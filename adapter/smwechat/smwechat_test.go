package smwechat_test

import (
	"bytes"
	"context"
	"crypto/cipher"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/emmansun/gmsm/sm2"
	"github.com/emmansun/gmsm/sm4"
	"github.com/emmansun/gmsm/smx509"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/adapter/smwechat"
	"github.com/seed175cf469/wechat/apisign"
)

const (
	appID      = "wx00112233445566ff"
	keyNumber  = "fa05fe1e5bcc79b81ad5ad4b58acf787" // of the symmetric key
	signNumber = "97845f6ed842ea860df6fdf65941ff56" // of the app's private key
	serial     = "79ba700ea147819f640941bceb38b1d1" // of the platform certificate
)

func unhex(t testing.TB, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func pemOf(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}

// must is the value of a func that does not fail in these tests.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// The vector of RFC 8998, appendix A.1.
func TestSM4GCMVector(t *testing.T) {
	key := wechat.Secret(base64.StdEncoding.EncodeToString(unhex(t, "0123456789abcdeffedcba9876543210")))
	c, err := smwechat.NewSM4GCM(keyNumber, key)
	if err != nil {
		t.Fatal(err)
	}
	iv, aad := unhex(t, "00001234567800000000abcd"), unhex(t, "feedfacedeadbeeffeedfacedeadbeefabaddad2")
	plain := unhex(t, "aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbccccccccccccccccddddddddddddddddeeeeeeeeeeeeeeeeffffffffffffffffeeeeeeeeeeeeeeeeaaaaaaaaaaaaaaaa")
	want := "17f399f08c67d5ee19d0dc9969c4bb7d5fd46fd3756489069157b282bb200735d82710ca5c22f0ccfa7cbf93d496ac15a56834cbcf98c397b4024a2691233b8d" +
		"83de3541e4c2b58177e065a9bf7b62ec"
	sealed := c.Seal(iv, plain, aad)
	if got := hex.EncodeToString(sealed); got != want {
		t.Errorf("sealed %s, want %s", got, want)
	}
	opened, err := c.Open(iv, sealed, aad)
	if err != nil || !bytes.Equal(opened, plain) {
		t.Errorf("opened %x, %v", opened, err)
	}
	sealed[len(sealed)-1] ^= 1
	if _, err := c.Open(iv, sealed, aad); err == nil {
		t.Error("a changed tag is taken")
	}
	if c.Number() != keyNumber {
		t.Errorf("number %q", c.Number())
	}
}

// The signature of GB/T 32918.5, appendix A, whose user id is 1234567812345678.
func TestSM2Vector(t *testing.T) {
	public := &ecdsa.PublicKey{
		Curve: sm2.P256(),
		X:     new(big.Int).SetBytes(unhex(t, "09f9df311e5421a150dd7d161e4bc5c672179fad1833fc076bb08ff356f35020")),
		Y:     new(big.Int).SetBytes(unhex(t, "ccea490ce26775a52dc6ea718cc1aa600aed05fbf35e084a6632f6072da9ad13")),
	}
	signature := must(asn1.Marshal(struct{ R, S *big.Int }{
		new(big.Int).SetBytes(unhex(t, "f5a03b0648d2c4630eeac513e1bb81a15944da3827d5b74143ac7eaceee720b3")),
		new(big.Int).SetBytes(unhex(t, "b1b6aa29df212fd8763182bc0d421ca1bb9038fd1f7f42d4840b69c485bbc1aa")),
	}))
	der := must(smx509.MarshalPKIXPublicKey(public))
	v, err := smwechat.NewSM2Verifier("1234567812345678", der)
	if err != nil {
		t.Fatal(err)
	}
	if err := v.Verify([]byte("message digest"), signature); err != nil {
		t.Error(err)
	}
	if v.Verify([]byte("another digest"), signature) == nil {
		t.Error("a signature of another text verifies")
	}
	other := must(smwechat.NewSM2Verifier("8765432187654321", der))
	if other.Verify([]byte("message digest"), signature) == nil {
		t.Error("a signature with another user id verifies")
	}
}

// certificate is a certificate of key by itself.
func certificate(key *sm2.PrivateKey) []byte {
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "platform"}, NotAfter: time.Now().Add(time.Hour)}
	return must(smx509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key))
}

// All forms of one key are the same key.
func TestKeyForms(t *testing.T) {
	key := must(sm2.GenerateKey(rand.Reader))
	pkcs8, sec1 := must(smx509.MarshalPKCS8PrivateKey(key)), must(smx509.MarshalSM2PrivateKey(key))
	public, cert := must(smx509.MarshalPKIXPublicKey(&key.PublicKey)), certificate(key)
	for _, private := range [][]byte{pkcs8, sec1, pemOf("PRIVATE KEY", pkcs8), pemOf("EC PRIVATE KEY", sec1)} {
		s, err := smwechat.NewSM2Signer(serial, private)
		if err != nil {
			t.Errorf("%.40q: %v", private, err)
			continue
		}
		signature := must(s.Sign([]byte("text")))
		for _, data := range [][]byte{public, cert, pemOf("PUBLIC KEY", public), pemOf("CERTIFICATE", cert)} {
			v, err := smwechat.NewSM2Verifier(serial, data)
			if err != nil {
				t.Errorf("%.40q: %v", data, err)
				continue
			}
			if err := v.Verify([]byte("text"), signature); err != nil {
				t.Errorf("%.40q: %v", data, err)
			}
		}
	}
}

func TestBadKeys(t *testing.T) {
	curve := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	key := must(sm2.GenerateKey(rand.Reader))
	good := pemOf("PRIVATE KEY", must(smx509.MarshalPKCS8PrivateKey(key)))
	public := pemOf("PUBLIC KEY", must(smx509.MarshalPKIXPublicKey(&key.PublicKey)))
	for _, c := range []struct {
		name, number string
		data         []byte
		want         string
	}{
		{"empty", serial, nil, "neither PEM nor"},
		{"broken", serial, pemOf("PRIVATE KEY", []byte("x")), "cannot be read"},
		{"broken SEC 1", serial, pemOf("EC PRIVATE KEY", []byte("x")), "cannot be read"},
		{"locked", serial, pemOf("ENCRYPTED PRIVATE KEY", []byte("x")), "password"},
		{"another curve", serial, pemOf("PRIVATE KEY", must(x509.MarshalPKCS8PrivateKey(curve))), "ecdsa.PrivateKey in place of an SM2 key"},
		{"a public key", serial, public, `"PUBLIC KEY" in place of`},
		{"no number", " ", good, "no number"},
	} {
		if s, err := smwechat.NewSM2Signer(c.number, c.data); err == nil || s != nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("signer, %s: %v, want %q", c.name, err, c.want)
		}
	}
	for _, c := range []struct {
		name, number string
		data         []byte
		want         string
	}{
		{"empty", serial, nil, "neither PEM nor"},
		{"broken", serial, pemOf("PUBLIC KEY", []byte("x")), "cannot be read"},
		{"broken certificate", serial, pemOf("CERTIFICATE", []byte("x")), "cannot be read"},
		{"another curve", serial, pemOf("PUBLIC KEY", must(x509.MarshalPKIXPublicKey(&curve.PublicKey))), "ecdsa.PublicKey in place of an SM2 key"},
		{"a private key", serial, good, `"PRIVATE KEY" in place of`},
		{"no number", "", public, "no number"},
	} {
		if v, err := smwechat.NewSM2Verifier(c.number, c.data); err == nil || v != nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("verifier, %s: %v, want %q", c.name, err, c.want)
		}
	}
	for _, c := range []struct {
		key  wechat.Secret
		want string
	}{{"", "0 bytes"}, {"!", "not base64"}, {"otUpngOjU+nVQaWJIC3D/yMLV17RKaP6t4Ot9tbnzLY=", "32 bytes"}} {
		if _, err := smwechat.NewSM4GCM(keyNumber, c.key); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

type message struct {
	ToUser string `json:"touser"`
}

type receipt struct {
	MsgID int64 `json:"msgid"`
}

var send = wechat.Endpoint[message, receipt]{Name: "Send", Pattern: "POST /test/send"}

// platform takes calls that are signed and encrypted with the national algorithms, and answers so.
type platform struct {
	t       *testing.T
	gcm     cipher.AEAD
	app     *ecdsa.PublicKey
	own     *sm2.PrivateKey
	userID  string // of the platform's signatures
	touched string // touser as it arrived
}

func (p *platform) RoundTrip(r *http.Request) (*http.Response, error) {
	if trace := httptrace.ContextClientTrace(r.Context()); trace != nil {
		trace.GetConn(r.URL.Host)
		trace.GotConn(httptrace.GotConnInfo{})
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	urlPath := "https://" + r.URL.Host + r.URL.Path
	timestamp := r.Header.Get("Wechatmp-TimeStamp")
	signature := must(base64.StdEncoding.DecodeString(r.Header.Get("Wechatmp-Signature")))
	if !sm2.VerifyASN1WithSM2(p.app, []byte(signNumber), []byte(urlPath+"\n"+appID+"\n"+timestamp+"\n"+string(body)), signature) {
		p.t.Error("the request's signature does not verify")
	}
	var e struct{ IV, Data, AuthTag []byte }
	if err := json.Unmarshal(body, &e); err != nil {
		return nil, err
	}
	plain, err := p.gcm.Open(nil, e.IV, append(e.Data, e.AuthTag...), []byte(urlPath+"|"+appID+"|"+timestamp+"|"+keyNumber))
	if err != nil {
		return nil, err
	}
	var fields struct {
		ToUser string `json:"touser"`
	}
	if err := json.Unmarshal(plain, &fields); err != nil {
		return nil, err
	}
	p.touched = fields.ToUser

	now := strconv.FormatInt(time.Now().Unix(), 10)
	iv := make([]byte, 12)
	_, _ = rand.Read(iv)
	sealed := p.gcm.Seal(nil, iv, fmt.Appendf(nil, `{"_n":"x","_appid":%q,"_timestamp":%s,"errcode":0,"msgid":7}`, appID, now),
		[]byte(urlPath+"|"+appID+"|"+now+"|"+keyNumber))
	cut := len(sealed) - 16
	body = must(json.Marshal(map[string][]byte{"iv": iv, "data": sealed[:cut], "authtag": sealed[cut:]}))
	signature = must(p.own.SignWithSM2(rand.Reader, []byte(p.userID), []byte(urlPath+"\n"+appID+"\n"+now+"\n"+string(body))))
	h := http.Header{}
	h.Set("Wechatmp-Appid", appID)
	h.Set("Wechatmp-TimeStamp", now)
	h.Set("Wechatmp-Serial", serial)
	h.Set("Wechatmp-Signature", base64.StdEncoding.EncodeToString(signature))
	return &http.Response{StatusCode: 200, Header: h, Body: io.NopCloser(bytes.NewReader(body)), Request: r}, nil
}

func TestRoundTrip(t *testing.T) {
	symmetric := unhex(t, "0123456789abcdeffedcba9876543210")
	app, own := must(sm2.GenerateKey(rand.Reader)), must(sm2.GenerateKey(rand.Reader))
	keys := apisign.Keys{
		AppID:    appID,
		Cipher:   must(smwechat.NewSM4GCM(keyNumber, wechat.Secret(base64.StdEncoding.EncodeToString(symmetric)))),
		Signer:   must(smwechat.NewSM2Signer(signNumber, pemOf("PRIVATE KEY", must(smx509.MarshalPKCS8PrivateKey(app))))),
		Platform: map[string]apisign.Verifier{serial: must(smwechat.NewSM2Verifier(serial, pemOf("CERTIFICATE", certificate(own))))},
	}
	p := &platform{t: t, gcm: must(cipher.NewGCM(must(sm4.NewCipher(symmetric)))), app: &app.PublicKey, own: own, userID: serial}
	client := wechat.New(wechat.WithTransport(apisign.Transport(keys), func(http.RoundTripper) http.RoundTripper { return p }))
	c := wechat.Bind(client, &wechat.Product{Name: "miniprogram", BaseURL: "https://api.weixin.qq.com"},
		wechat.App{ID: appID, TokenSource: wechat.StaticToken("TOKEN")})
	res, err := send.Do(context.Background(), c, &message{ToUser: "o1"})
	if err != nil {
		t.Fatal(err)
	}
	if res.MsgID != 7 || p.touched != "o1" {
		t.Errorf("msgid %d, touser %q", res.MsgID, p.touched)
	}

	p.userID = "another certificate"
	if _, err := send.Do(context.Background(), c, &message{ToUser: "o1"}); !errors.Is(err, apisign.ErrSignature) || !errors.Is(err, wechat.ErrOutcomeUnknown) {
		t.Errorf("%v, want ErrSignature", err)
	}

	for _, format := range []string{"%v", "%+v", "%#v", "%x"} {
		text := fmt.Sprintf(format, keys)
		for _, secret := range []string{app.D.String()[:12], app.D.Text(16)[:12], hex.EncodeToString(symmetric)[:12]} {
			if strings.Contains(text, secret) {
				t.Errorf("%s shows a key: %s", format, text)
			}
		}
	}
}
