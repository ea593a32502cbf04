package wxcrypt

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"
)

const (
	officialKey  = "jWmYm7qr5nMoAUwZRjGtBxmz3KA1tkAj3ykkR6q2B2C"
	alphabetKey  = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG"
	officialText = "RypEvHKD8QQKFhvQ6QleEB4J58tiPdvo+rtK1I9qca6aM/wvqnLSV5zEPeusUiX5L5X/0lWfrf0QADHHhGd3QczcdCUpj911L3vg3W/sYYvuJTs3TUUkSUXxaccAS0qhxchrRYt66wiSpGLYL42aM6A8dTT+6k4aSknmPj48kzJs8qLjvd4Xgpue06DOdnLxAUHzM6+kDZ+HMZfJYuR+LtwGc2hgf5gsijff0ekUNXZiqATP7PF5mZxZ3Izoun1s4zG4LUMnvw2r+KqCKIw+3IQH03v+BCA9nMELNqbSf6tiWSrXJB3LAVGUcallcrw8V2t9EL4EhzJWrQUax5wLVMNS0+rUPA3k22Ncx4XXZS9o0MBH27Bo6BpNelZpS+/uh9KsNlY6bHCmJU9p8g7m3fVKn28H3KDYA5Pl/T8Z1ptDAVe0lXdQ2YoyyH2uyPIGHBZZIs2pDBS8R07+qN+E7Q=="
	pushText     = "+qdx1OKCy+5JPCBFWw70tm0fJGb2Jmeia4FCB7kao+/Q5c/ohsOzQHi8khUOb05JCpj0JB4RvQMkUyus8TPxLKJGQqcvZqzDpVzazhZv6JsXUnnR8XGT740XgXZUXQ7vJVnAG+tE8NUd4yFyjPy7GgiaviNrlCTj+l5kdfMuFUPpRSrfMZuMcp3Fn2Pede2IuQrKEYwKSqFIZoNqJ4M8EajAsjLY2km32IIjdf8YL/P50F7mStwntrA2cPDrM1kb6mOcfBgRtWygb3VIYnSeOBrebufAlr7F9mFUPAJGj04="
)

// vectors are the samples of the official pages and of two libraries' tests.
var vectors = []struct {
	name, key, text, random, receiver, clear string
}{
	{"WeCom URL check", officialKey,
		"P9nAzCzyDtyTWESHep1vC5X9xho/qYX3Zpb4yKa9SKld1DsH3Iyt3tP3zNdtp+4RPcs8TgAE7OaBO+FZXvnaqQ==",
		"c41b64491c2468d0", "wx5823bf96d3bd56c7", "1616140317555161061"},
	{"WeCom message", officialKey, officialText, "0960688932c47ef1", "wx5823bf96d3bd56c7", ""},
	{"push with a pad of 19", strings.Repeat("A", 43), pushText, "a8eedb185eb2fecf", "wxba5fad812f8e6fb9",
		`{"ToUserName":"gh_97417a04a28d","FromUserName":"o9AgO5Kd5ggOC-bXrbNODIiE3bGY","CreateTime":1714112445,"MsgType":"event","Event":"debug_demo","debug_str":"hello world"}`},
	{"reply", strings.Repeat("A", 43), "ELGduP2YcVatjqIS+eZbp80MNLoAUWvzzyJxgGzxZO/5sAvd070Bs6qrLARC9nVHm48Y4hyRbtzve1L32tmxSQ==",
		"707722b803182950", "wxba5fad812f8e6fb9", `{"demo_resp":"good luck"}`},
	{"Chinese text", alphabetKey, "jn1L23DB+6ELqJ+6bruv21Y6MD7KeIfP82D6gU39rmkgczbWwt5+3bnyg5K55bgVtVzd832WzZGMhkP72vVOfg==",
		"aaaabbbbccccdddd", "wxb11529c136998cb6", "我是中文abcd123"},
	{"echostr", "kWxPEV2UEDyxWpmPdKC3F4dgPDmOvfKX1HGnEUDS1aR",
		"4ByGGj+sVCYcvGeQYhaKIk1o0pQRNbRjxybjTGblXrBaXlTXeOo1+bXFXDQQb1o6co6Yh9Bv41n7hOchLF6p+Q==",
		"", "wx49f0ab532d5d035a", "5927782489442352469"},
	{"P102 inner XML", alphabetKey, "Q3stYC6hdFzMh9T8HCvyDEduuXE2TjuLksZs2PP11/L0j9f5mp/gy4mI9tD2YTOg6EEIj85UEf8O/e+0FpboHAHE3QrMzzPA9XxyTLkwiha704xFD1czHzkURwtZrjfn",
		"", "wx00112233445566ff", "<xml><ToUserName>a</ToUserName></xml>"},
	{"P103 pad of 19", alphabetKey, "Q3stYC6hdFzMh9T8HCvyDEvUJYZtthhTxl+Y4LMR+082ov9lFtmxKBp2oW0ouGuRKWlbbSy22kUHii67D6LRabBn1FhGTx7d/Vxr/CtRmUD8xPeFvlGmoN7/9XEQmXrs",
		"", "wx00112233445566ff", "<xml><Content>xxxxxxxxx</Content></xml>"},
	{"P105 pad value inside", alphabetKey, "Q3stYC6hdFzMh9T8HCvyDLzm7nfWrYFpXsYHNlXarGmYvBpV6VWYHWpTSDRDF5F1T1HKxaQS5FOSyVQRnaN15g==",
		"", "wx00112233445566ff", "hello worldde"},
}

func parse(t testing.TB, s string) *Key {
	t.Helper()
	k, err := ParseKey(s)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestVectors(t *testing.T) {
	for _, v := range vectors {
		t.Run(v.name, func(t *testing.T) {
			k := parse(t, v.key)
			clear, receiver, err := k.Decrypt(v.text)
			if err != nil {
				t.Fatal(err)
			}
			if receiver != v.receiver {
				t.Errorf("receiver %q, want %q", receiver, v.receiver)
			}
			if v.clear == "" {
				if len(clear) != 284 || !strings.Contains(string(clear), "hello") {
					t.Errorf("message of %d bytes: %s", len(clear), clear)
				}
			} else if string(clear) != v.clear {
				t.Errorf("clear %q, want %q", clear, v.clear)
			}
			if v.random != "" {
				if got := k.EncryptWith([16]byte([]byte(v.random)), clear, receiver); got != v.text {
					t.Errorf("encrypted again: %s", got)
				}
			}
		})
	}
}

func TestSign(t *testing.T) {
	for _, v := range []struct {
		name, want string
		parts      []string
	}{
		{"WeCom URL check", "5c45ff5e21c57e6ad56bac8758b79b1d9ac89fd3", []string{"QDG6eK", "1409659589", "263014780", vectors[0].text}},
		{"WeCom message", "477715d11cdb4164915debcba66cb864d751f3e6", []string{"QDG6eK", "1409659813", "1372623149", officialText}},
		{"GET", "f464b24fc39322e44b38aa78f5edd27bd1441696", []string{"AAAAA", "1714036504", "1514711492"}},
		{"plain POST", "899cf89e464efb63f54ddac96b0a0a235f53aa78", []string{"AAAAA", "1714037059", "486452656"}},
		{"secure POST, signature", "6c5c811b55cc85e0e1b54100749188c20beb3f5d", []string{"AAAAA", "1714112445", "415670741"}},
		{"secure POST, msg_signature", "046e02f8204d34f8ba5fa3b1db94908f3df2e9b3", []string{"AAAAA", "1714112445", "415670741", pushText}},
		{"reply", "1b9339964ed2e271e7c7b6ff2b0ef902fc94dea1", []string{"AAAAA", "1713424427", "415670741", vectors[3].text}},
		{"echostr", "dd6b9c95b495b3f7e2901bfbc76c664930ffdb96", []string{"123456", "1411443780", "437374425", vectors[5].text}},
		{"P105", "f78bdcaa4e536ec805c261a32dd10f824f5356af", []string{"FAKETOKEN0001", "1700000000", "90001", vectors[8].text}},
	} {
		if got := Sign(v.parts...); got != v.want {
			t.Errorf("%s: %s, want %s", v.name, got, v.want)
		}
		if !Verify(v.want, v.parts...) || Verify(v.want[:39]+"0", v.parts...) || Verify("", v.parts...) || Verify(v.want+"0", v.parts...) {
			t.Errorf("%s: Verify takes a wrong signature, or refuses the right one", v.name)
		}
	}
}

// TestParseKey is P108: the last character may hold spare bits, white space does no harm, other lengths are refused.
func TestParseKey(t *testing.T) {
	for _, s := range []string{alphabetKey, alphabetKey + "=", " " + alphabetKey + "\n", strings.Repeat("A", 43)} {
		if _, err := ParseKey(s); err != nil {
			t.Errorf("%q: %v", s, err)
		}
	}
	for _, s := range []string{"", alphabetKey[1:], alphabetKey + "H", alphabetKey + "==", strings.Repeat("!", 43), alphabetKey[:20] + "\n" + alphabetKey[21:]} {
		if _, err := ParseKey(s); !errors.Is(err, ErrKey) {
			t.Errorf("%q: error %v", s, err)
		}
	}
	k := parse(t, alphabetKey)
	raw, _ := base64.StdEncoding.DecodeString(alphabetKey + "=")
	for _, shown := range []string{fmt.Sprintf("%+v", k), fmt.Sprintf("%#v", k)} {
		if strings.Contains(shown, alphabetKey) || strings.Contains(shown, fmt.Sprintf("%x", raw[:4])) {
			t.Errorf("the key prints as %s", shown)
		}
	}
}

// seal encrypts a clear block as it is.
func seal(t testing.TB, key string, clear []byte) string {
	t.Helper()
	block, iv := parse(t, key).block()
	b := bytes.Clone(clear)
	cipher.NewCBCEncrypter(block, iv).CryptBlocks(b, b)
	return base64.StdEncoding.EncodeToString(b)
}

func TestDecryptRefuses(t *testing.T) {
	block := func(size, length, pad int) []byte {
		b := make([]byte, size)
		binary.BigEndian.PutUint32(b[16:], uint32(length))
		for i := range min(pad, size) {
			b[size-1-i] = byte(pad)
		}
		return b
	}
	bad := block(64, 0, 20)
	bad[64-20] = 7
	for _, v := range []struct {
		name, text string
		want       error
	}{
		{"nothing", "", ErrLength},
		{"no base64", "****", ErrBase64},
		{"part of a block", base64.StdEncoding.EncodeToString(make([]byte, 33)), ErrLength},
		{"pad of 0", seal(t, alphabetKey, block(64, 0, 0)), ErrClear},
		{"pad of 33", seal(t, alphabetKey, block(64, 0, 33)), ErrClear},
		{"pad over the length field", seal(t, alphabetKey, block(32, 0, 13)), ErrClear},
		{"pad of different bytes", seal(t, alphabetKey, bad), ErrClear},
		{"length beyond the block", seal(t, alphabetKey, block(64, 40, 10)), ErrClear},
		{"length of 4 GB", seal(t, alphabetKey, block(64, -1, 10)), ErrClear},
		{"another key", vectors[0].text, ErrClear},
		{"one AES block", seal(t, alphabetKey, bytes.Repeat([]byte{1}, aes.BlockSize)), ErrClear},
	} {
		if m, _, err := parse(t, alphabetKey).Decrypt(v.text); !errors.Is(err, v.want) {
			t.Errorf("%s: %q, error %v, want %v", v.name, m, err, v.want)
		}
	}
	for pad := 1; pad <= padBlock; pad++ { // P103: all of them are right
		size := 2*padBlock - pad
		clear := bytes.Repeat([]byte("x"), size-headSize)
		got, receiver, err := parse(t, alphabetKey).Decrypt(parse(t, alphabetKey).Encrypt(clear, ""))
		if err != nil || !bytes.Equal(got, clear) || receiver != "" {
			t.Errorf("pad of %d: %q for %q, error %v", pad, got, receiver, err)
		}
	}
}

func FuzzDecrypt(f *testing.F) {
	k := parse(f, alphabetKey)
	for _, v := range vectors {
		b, _ := base64.StdEncoding.DecodeString(v.text)
		f.Add(b, true)
		f.Add(b, false)
	}
	f.Fuzz(func(t *testing.T, b []byte, clear bool) {
		text := base64.StdEncoding.EncodeToString(b)
		if clear && len(b)%aes.BlockSize == 0 { // b is what the cipher text decrypts to
			text = seal(t, alphabetKey, b)
		}
		message, receiver, err := k.Decrypt(text)
		if err != nil {
			return
		}
		again, to, err := k.Decrypt(k.Encrypt(message, receiver))
		if err != nil || !bytes.Equal(again, message) || to != receiver {
			t.Fatalf("%q for %q came back as %q for %q, error %v", message, receiver, again, to, err)
		}
	})
}
