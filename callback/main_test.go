package callback

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/internal/wxcrypt"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	testToken = "FAKETOKEN0001"
	testKey   = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG"
	testID    = "wx00112233445566ff"
	otherKey  = "kWxPEV2UEDyxWpmPdKC3F4dgPDmOvfKX1HGnEUDS1aR"
)

// secure is the configuration of an account in secure mode.
func secure(p Product) Config {
	return Config{Product: p, ID: testID, Token: testToken, Key: testKey}
}

// inbox is a receiver that keeps what it gets.
type inbox struct {
	mu    sync.Mutex
	got   []Message
	reply Reply
	err   error
}

func (b *inbox) receive(_ context.Context, m Message) (Reply, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.got = append(b.got, m)
	return b.reply, b.err
}

func (b *inbox) count() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.got)
}

// troubles keeps what a handler reports.
type troubles struct {
	mu   sync.Mutex
	errs []error
}

func (t *troubles) report(_ context.Context, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.errs = append(t.errs, err)
}

func (t *troubles) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var b strings.Builder
	for _, err := range t.errs {
		b.WriteString(err.Error() + "\n")
	}
	return b.String()
}

func newHandler(t testing.TB, c Config, receive Receiver) *Handler {
	t.Helper()
	h, err := New(c, receive)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return h
}

// signed is the query of a request that was signed, over parts too.
func signed(token wechat.Secret, at time.Time, name string, parts ...string) url.Values {
	stamp, nonce := strconv.FormatInt(at.Unix(), 10), strconv.FormatInt(at.UnixNano()%1e9, 10)
	parts = append(parts, token.Reveal(), stamp, nonce)
	return url.Values{"timestamp": {stamp}, "nonce": {nonce}, name: {wxcrypt.Sign(parts...)}}
}

func encrypt(t testing.TB, key, clear, receiver string) string {
	t.Helper()
	k, err := wxcrypt.ParseKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return k.Encrypt([]byte(clear), receiver)
}

// sealed is a request with an encrypted push.
func sealed(t testing.TB, c Config, clear string) *http.Request {
	t.Helper()
	text := encrypt(t, c.Key.Reveal(), clear, c.ID)
	q := signed(c.Token, time.Now(), "msg_signature", text)
	return httptest.NewRequest(http.MethodPost, "/?"+q.Encode(), strings.NewReader("<xml><Encrypt><![CDATA["+text+"]]></Encrypt></xml>"))
}

// clearly is a request with a push in the clear.
func clearly(c Config, body string) *http.Request {
	return httptest.NewRequest(http.MethodPost, "/?"+signed(c.Token, time.Now(), "signature").Encode(), strings.NewReader(body))
}

func serve(h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// unsealed decrypts an answer in XML, after it has checked the signature.
func unsealed(t testing.TB, c Config, body string) string {
	t.Helper()
	root, _, err := parse([]byte(body))
	if err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	text := root.get("Encrypt")
	if !wxcrypt.Verify(root.get("MsgSignature"), c.Token.Reveal(), root.get("TimeStamp"), root.get("Nonce"), text) {
		t.Fatalf("the answer is wrongly signed: %s", body)
	}
	k, err := wxcrypt.ParseKey(c.Key.Reveal())
	if err != nil {
		t.Fatal(err)
	}
	clear, receiver, err := k.Decrypt(text)
	if err != nil || receiver != c.ID {
		t.Fatalf("receiver %q, error %v", receiver, err)
	}
	return string(clear)
}
