package apisign_test

import (
	"bytes"
	"crypto"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/apisign"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The RSA keys of the tests, made once as that takes a while: the app's and two of the platform.
var (
	appKey      = sync.OnceValue(newKey)
	platformKey = sync.OnceValue(newKey)
	formerKey   = sync.OnceValue(newKey)
)

func newKey() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
}

func pemOf(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}

func appSigner(t testing.TB) apisign.Signer {
	t.Helper()
	s, err := apisign.NewRSASigner(pemOf("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(appKey())))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func verifierOf(t testing.TB, key *rsa.PrivateKey) apisign.Verifier {
	t.Helper()
	v, err := apisign.NewRSAVerifier(pemOf("RSA PUBLIC KEY", x509.MarshalPKCS1PublicKey(&key.PublicKey)))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

const (
	appID        = "wx00112233445566ff"
	keyNumber    = "0123456789abcdef0123456789abcdef"
	serial       = "11111111111111111111111111111111"
	formerSerial = "22222222222222222222222222222222"
)

// symmetricKey is the key with the number n.
func symmetricKey(n string) []byte {
	digest := sha256.Sum256([]byte(n))
	return digest[:]
}

func cipherOf(t testing.TB, number string) apisign.Cipher {
	t.Helper()
	c, err := apisign.NewAES256GCM(number, wechat.Secret(base64.StdEncoding.EncodeToString(symmetricKey(number))))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func testKeys(t testing.TB) apisign.Keys {
	return apisign.Keys{
		AppID: appID, Cipher: cipherOf(t, keyNumber), Signer: appSigner(t),
		Platform: map[string]apisign.Verifier{serial: verifierOf(t, platformKey())},
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// bind makes c the caller of an app with a token.
func bind(c wechat.Caller, id string) wechat.Caller {
	return wechat.Bind(c, &wechat.Product{Name: "miniprogram", BaseURL: "https://api.weixin.qq.com"},
		wechat.App{ID: id, TokenSource: wechat.StaticToken("TOKEN")})
}

// complainer is the part of a testing.TB that an example can have too.
type complainer interface {
	Helper()
	Errorf(format string, args ...any)
}

// readBody reads a request as a server does: as many bytes as it announces.
func readBody(t complainer, r *http.Request) []byte {
	t.Helper()
	if r.Body == nil {
		return nil
	}
	body, err := io.ReadAll(r.Body)
	if err := errors.Join(err, r.Body.Close()); err != nil {
		t.Errorf("%v", err)
	}
	if r.ContentLength != int64(len(body)) {
		t.Errorf("%s: Content-Length %d of %d bytes", r.URL.Path, r.ContentLength, len(body))
	}
	return body
}

// reply makes a response to a request that was received.
func reply(r *http.Request, status int, h http.Header, body []byte) *http.Response {
	if trace := httptrace.ContextClientTrace(r.Context()); trace != nil && trace.GotConn != nil {
		trace.GetConn(r.URL.Host)
		trace.GotConn(httptrace.GotConnInfo{})
	}
	if h == nil {
		h = http.Header{}
	}
	return &http.Response{StatusCode: status, ProtoMajor: 1, ProtoMinor: 1, Header: h,
		Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)), Request: r}
}

// platform is the other side: it verifies and decrypts requests, and encrypts and signs what the plain platform
// answers. It is written from the documentation, and shares no code with the package.
type platform struct {
	t      complainer
	answer func(fields map[string]json.RawMessage) string // JSON; what the call itself does

	mu     sync.Mutex
	keys   []string         // numbers of the symmetric keys that the app has, the current one last
	signer []*rsa.PublicKey // the app's, the current one last
	seen   []seen

	changes
}

// changes are what a test makes different about the replies.
type changes struct {
	inside  func(fields map[string]any)                            // changes what is encrypted of a reply
	outside func(h http.Header, body []byte) []byte                // changes a reply that is ready
	instead func(r *http.Request) *http.Response                   // answers in place of everything; nil: goes on
	skew    time.Duration                                          // of the platform's clock
	certify func(h http.Header, sign func(*rsa.PrivateKey) string) // sets serials and signatures
}

// seen is a request that came in.
type seen struct {
	fields map[string]json.RawMessage
	header http.Header
	url    string
	body   string
}

func newPlatform(t complainer) *platform {
	return &platform{
		t: t, keys: []string{keyNumber}, signer: []*rsa.PublicKey{&appKey().PublicKey},
		answer:  func(map[string]json.RawMessage) string { return `{"errcode":0,"errmsg":"ok","msgid":9007199254740993}` },
		changes: changes{certify: certifyOnce},
	}
}

// certifyOnce signs with the one certificate of the platform.
func certifyOnce(h http.Header, sign func(*rsa.PrivateKey) string) {
	h.Set("Wechatmp-Serial", serial)
	h.Set("Wechatmp-Signature", sign(platformKey()))
}

// client is a client whose requests go to p.
func (p *platform) client(keys apisign.Keyring, opts ...apisign.Option) wechat.Caller {
	return bind(wechat.New(wechat.WithTransport(apisign.Transport(keys, opts...),
		func(http.RoundTripper) http.RoundTripper { return p })), appID)
}

func (p *platform) requests() []seen {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.seen
}

func failure(r *http.Request, code int, message string) *http.Response {
	return reply(r, 200, nil, fmt.Appendf(nil, `{"errcode":%d,"errmsg":%q}`, code, message))
}

func gcm(number string) cipher.AEAD {
	block, err := aes.NewCipher(symmetricKey(number))
	if err != nil {
		panic(err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		panic(err)
	}
	return aead
}

func (p *platform) RoundTrip(r *http.Request) (*http.Response, error) {
	body := readBody(p.t, r)
	if r.GetBody != nil {
		again, err := r.GetBody()
		if err != nil {
			return nil, err
		}
		if b, err := io.ReadAll(again); err != nil || !bytes.Equal(b, body) {
			p.t.Errorf("GetBody gives other bytes: %v", err)
		}
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	s := seen{header: r.Header, url: r.URL.String(), body: string(body)}
	p.mu.Lock()
	defer p.mu.Unlock()
	defer func() { p.seen = append(p.seen, s) }()
	if p.instead != nil {
		if resp := p.instead(r); resp != nil {
			return resp, nil
		}
	}
	if r.Header.Get("Wechatmp-Signature") == "" {
		return reply(r, 200, nil, []byte(p.answer(nil))), nil
	}
	urlPath := r.URL.Scheme + "://" + r.URL.Host + r.URL.Path
	id, timestamp := r.Header.Get("Wechatmp-Appid"), r.Header.Get("Wechatmp-TimeStamp")
	signature, err := base64.StdEncoding.DecodeString(r.Header.Get("Wechatmp-Signature"))
	digest := sha256.Sum256([]byte(urlPath + "\n" + id + "\n" + timestamp + "\n" + string(body)))
	valid := false
	for _, key := range p.signer {
		valid = valid || rsa.VerifyPSS(key, crypto.SHA256, digest[:], signature, &rsa.PSSOptions{SaltLength: 32}) == nil
	}
	if err != nil || !valid {
		return failure(r, 40234, "invalid signature"), nil
	}
	var envelope struct{ IV, Data, AuthTag []byte }
	if err := json.Unmarshal(body, &envelope); err != nil || len(envelope.IV) != 12 || len(envelope.AuthTag) != 16 {
		return failure(r, 40235, "invalid encrypt"), nil
	}
	var number string
	var plain []byte
	for _, number = range p.keys {
		plain, err = gcm(number).Open(nil, envelope.IV, append(envelope.Data, envelope.AuthTag...),
			[]byte(urlPath+"|"+id+"|"+timestamp+"|"+number))
		if err == nil {
			break
		}
	}
	if err != nil || json.Unmarshal(plain, &s.fields) != nil {
		return failure(r, 40235, "invalid encrypt"), nil
	}
	now := time.Now().Add(p.skew).Unix()
	if string(s.fields["_timestamp"]) != timestamp || string(s.fields["_appid"]) != strconv.Quote(id) || len(s.fields["_n"]) != 24 {
		return failure(r, 40236, "invalid appid"), nil
	}
	return p.reply(r, s.fields, urlPath, id, number, now)
}

// reply encrypts and signs what the call answers.
func (p *platform) reply(r *http.Request, fields map[string]json.RawMessage, urlPath, id, number string, now int64) (*http.Response, error) {
	inside := map[string]any{"_n": "ShYZpqdVgY+yQVAxNSWhYg", "_appid": id, "_timestamp": now}
	answer := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(p.answer(fields)), &answer); err != nil {
		p.t.Errorf("%v", err)
	}
	for name, value := range answer {
		inside[name] = value
	}
	if p.inside != nil {
		p.inside(inside)
	}
	plain, err := json.Marshal(inside)
	if err != nil {
		return nil, err
	}
	iv := make([]byte, 12)
	_, _ = rand.Read(iv)
	timestamp := strconv.FormatInt(now, 10)
	sealed := gcm(number).Seal(nil, iv, plain, []byte(urlPath+"|"+id+"|"+timestamp+"|"+number))
	body, err := json.Marshal(map[string][]byte{"iv": iv, "data": sealed[:len(sealed)-16], "authtag": sealed[len(sealed)-16:]})
	if err != nil {
		return nil, err
	}
	h := header("Wechatmp-Appid", id, "Wechatmp-TimeStamp", timestamp)
	p.certify(h, func(key *rsa.PrivateKey) string {
		digest := sha256.Sum256([]byte(urlPath + "\n" + id + "\n" + timestamp + "\n" + string(body)))
		signature, err := rsa.SignPSS(rand.Reader, key, crypto.SHA256, digest[:], &rsa.PSSOptions{SaltLength: 32})
		if err != nil {
			p.t.Errorf("%v", err)
		}
		return base64.StdEncoding.EncodeToString(signature)
	})
	if p.outside != nil {
		body = p.outside(h, body)
	}
	return reply(r, 200, maps.Clone(h), body), nil
}
