package apisign_test

import (
	"bytes"
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/apisign"
	"github.com/seed175cf469/wechat/miniprogram"
)

// The sample of the official page: one call of /wxa/getuserriskrank, with all keys and results.
const (
	sampleAppID    = "wxba6223c06417af7b"
	sampleURL      = "https://api.weixin.qq.com/wxa/getuserriskrank"
	sampleNumber   = "fa05fe1e5bcc79b81ad5ad4b58acf787"
	sampleKey      = "otUpngOjU+nVQaWJIC3D/yMLV17RKaP6t4Ot9tbnzLY="
	sampleIV       = "fmW/zNxXlytUZBgj"
	sampleNonce    = "o89QaPVsRu1yppIZzvSZc4"
	sampleTime     = 1635927954
	sampleEnvelope = `{"iv":"fmW/zNxXlytUZBgj","data":"0IDVdrPtSPF/Oe2CTXCV2vVNPbVJdJlP2WaTMQnoYLh5iCrrSNfQFh25EnStDMf0hLlVNBCZQtf9NaV0m4aRA4AAYIO7oR/Ge+4yY4EmZp5EVPB42xjScgMx5X3D4VdLCfynXIUKUtZHZvk1zmLVE3RauzJgiM1BB1CPmwcENo3MTJ0z8Vfkf5tMv54kOXobDLlV5rfqKdAX7gM/rP82DgZdt9vvZX44ipdbHIjJvw83ZXAFtvftdVw2Qd8=","authtag":"5qeM/2vZv+6KtScN94IpMg=="}`
	// The page's own signature of that request; signatures differ each time, so it is verified and not compared.
	sampleSignature = "wcSSWHZunjz9VKl9q+If9deiyECXDAELfAJNZ4+5T+NhFr8zfhkwdQtlgQ7nN5xs99R57La9UjBTRBGge2KYyshWtw7HIMPAqWNsnpHvx0b2f7s6Bt7OpfOQLlIfNgepgTVmUwrqW8/7A12szj7tCe/bRFilwnaX6N0w4duHlfL7ic7IIZXouvy9dLRAa5GtEk1eD/LPWRiKh0SvJ3znPY/pSiQW9zSkXVdj9UGGM8qcKLzPGJ7gSmt3ZOPkFapk9wqFmhJwQj//xN5+hUlr2UiNPMNSHve5Y2ADLsNHqk5t7RfAZ8nW9/8lzhVt4t+toy1FeehxCGIC8qgmjIl1hg=="

	sampleReplyTime      = 1635927956
	sampleReply          = `{"iv":"r2WDQt56rEAmMuoR","data":"HExs66Ik3el+iM4IpeQ7SMEN934FRLFYOd3EmeaIrpP4EPTHckoco6O+PaoRZRa3lqaPRZT7r52f7LUok6gLxc6cdR8C4vpIIfh4xfLC4L7FNy9GbuMK1hcoi8b7gkWJcwZMkuCFNEDmqn3T49oWzAQOrY4LZnnnykv6oUJotdAsnKvmoJkLK7hRh7M2B1d2UnTnRuoIyarXc5Iojwoghx4BOvnV","authtag":"z2BFD8QctKXTuBlhICGOjQ=="}`
	sampleReplyDigest    = "f797cafd9e323df336fb427569fbe67e20d5bc96dd68a3f54d66b54e6e08bb27"
	sampleReplySignature = "Ht0VfQkkEweJ4hU266C14Aj64H9AXfkwNi5zxUZETCvR2svU1ZYdosDhFX/voLj1TyszqKsVxAlENGt7PPZZ8RQX7jnA4SKhiPUhW4LTbyTenisHJ+ohSfDjYnXavjQsBHspFS+BlPHuSSJ2xyQzw1+HuC6nid09ZL4FnGSYo4OI5MJrSb9xLzIVZMIDuUQchGKi/KaB1KzxECLEZcfjqbAgmxC7qOmuBLyO1WkHYDM95NJrHJWba5xv4wrwPru9yYTJSNRnlM+zrW5w9pOubC4Jtj3szTAEuOz9AcqUmgaAvMLNAIa8hfODLRe3n/cu4SgYlN/ZkNRU4QXVNbPGMg=="
	sampleReplyPlain     = `{"errcode":0,"errmsg":"getuserriskrank succ","risk_rank":0,"unoin_id":2258658297}`
	sampleSerial         = "79ba700ea147819f640941bceb38b1d1"
	// The key of the app's signatures, and the platform's certificate.
	samplePublicKey = `-----BEGIN PUBLIC KEY-----
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA3FoQOmOl5/CF5hF7ta4E
zCy2LaU3Eu2k9DBwQ73J82I53Sx9LAgM1DH3IsYohRRx/BESfbdDI2powvr6QYKV
IC+4Yavwg7gzhZRxWWmT1HruEADCZAgkUCu+9Il/9FPuitPSoIpBd07NqdkkRe82
NBOfrKTdhge/5zd457fl7J81Q5VTIxO8vvq7FSw7k6Jtv+eOjR6SZOWbbUO7f9r4
UuUkXmvdGv21qiqtaO1EMw4tUCELzY73M7NpCH3RorlommYX3P6q0VrkDHrCE0/Q
MhmHsF+46E+IRcJ3wtEj3p/mO1VoCpEhawC1U728ZUTwWNEii8hPEhcNAZTKaQMa
TQIDAQAB
-----END PUBLIC KEY-----
`
	sampleCertificate = `-----BEGIN CERTIFICATE-----
MIID0jCCArqgAwIBAgIUeE+Yy7vM/o+eHHsfM+1bGJJEZTQwDQYJKoZIhvcNAQEL
BQAwXjELMAkGA1UEBhMCQ04xEzARBgNVBAoTClRlbnBheS5jb20xHTAbBgNVBAsT
FFRlbnBheS5jb20gQ0EgQ2VudGVyMRswGQYDVQQDExJUZW5wYXkuY29tIFJvb3Qg
Q0EwHhcNMjIwOTA1MDgzOTIyWhcNMjcwOTA0MDgzOTIyWjBkMRswGQYDVQQDDBJ3
eGQ5MzBlYTVkNWEyNThmNGYxFTATBgNVBAoMDFRlbmNlbnQgSW5jLjEOMAwGA1UE
CwwFV3hnTXAxCzAJBgNVBAYMAkNOMREwDwYDVQQHDAhTaGVuWmhlbjCCASIwDQYJ
KoZIhvcNAQEBBQADggEPADCCAQoCggEBAM5D9qlkCmk1kr3FpF0e9pc3kGsvz5RA
0/YRny9xPKIyV2UVMDZvRQ+mDHsiQQFE6etg457KFYSxTDKtItbdl6hJQVGeAvg0
mqPYE9SkHRGTfL/AnXRbKBG2GC2OcaPSAprsLOersjay2me+9pF8VHybV8aox78A
NsU75G/OO3V1iEE0s5Pmglqk8DEiw9gB/dGJzsNfXwzvyJyiUP9ZujYexyjsS+/Z
GdSOUkqL/th+16yHj8alcdyga6YGfWEDyWkt/i/B28cwx4nzwk8xgrurifPaLuMk
0+9wJQLCfAn/f7zyHrC8PcD1XvvRt9VBNMBASXs3710ODyyVf2lkMgkCAwEAAaOB
gTB/MAkGA1UdEwQCMAAwCwYDVR0PBAQDAgTwMGUGA1UdHwReMFwwWqBYoFaGVGh0
dHA6Ly9ldmNhLml0cnVzLmNvbS5jbi9wdWJsaWMvaXRydXNjcmw/Q0E9MUJENDIy
MEU1MERCQzA0QjA2QUQzOTc1NDk4NDZDMDFDM0U4RUJEMjANBgkqhkiG9w0BAQsF
AAOCAQEAL2MK9tYu+ljLVBlSbfEeaKyF07TN+G31Ya5NBzeS1ZCx4joUEIyACWmG
fUkKNKiKV+EMzxeEhKRso1Qif3E7Ipl+PQBoQw6OSR/jFHciYurnGR9CLkL03Zo1
qw1Xetv9OipsvlpA0SOWc207e/XpGdm8C7FMXM6bzvVp8I/STTjC1vqjIZu9WavI
RgGM4jyAPz2XogUq0BNijef8BXbbav9fAsXjHSwn5BQv4iLms3fiLm/eoyQ6dZ2R
oTudrlcyr1bG4vwETLmHF+3yfVp9dpvJ+lyfiviwDwyfa8t2WlJm27DuF4vWoxir
mjgj9tDutIFqxLIovLyg3uiAYtSQ/Q==
-----END CERTIFICATE-----
`
)

func decode(t testing.TB, text string) []byte {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// sampleRandom is what makes the sample's iv and _n.
func sampleRandom(t testing.TB) []byte {
	random := decode(t, sampleIV)
	for _, c := range []byte(sampleNonce) {
		const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
		random = append(random, byte(strings.IndexByte(alphabet, c)))
	}
	return random
}

func sampleKeys(t testing.TB) apisign.Keys {
	t.Helper()
	cipher, err := apisign.NewAES256GCM(sampleNumber, sampleKey)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := apisign.NewRSAVerifier([]byte(sampleCertificate))
	if err != nil {
		t.Fatal(err)
	}
	return apisign.Keys{
		AppID: sampleAppID, Cipher: cipher, Signer: appSigner(t),
		Platform: map[string]apisign.Verifier{sampleSerial: certificate},
	}
}

func at(seconds int64) func() time.Time { return func() time.Time { return time.Unix(seconds, 0) } }

// sampleReplyHeader is the header of the sample's reply.
func sampleReplyHeader() http.Header {
	return header(
		"Wechatmp-Appid", sampleAppID, "Wechatmp-TimeStamp", "1635927956",
		"Wechatmp-Serial", sampleSerial, "Wechatmp-Signature", sampleReplySignature,
		"Wechatmp-Serial-Deprecated", "2171af9cdf1d7404423852e7e183d852", "Wechatmp-Signature-Deprecated", "ZP1OODikAOePc",
	)
}

func header(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		h.Set(pairs[i], pairs[i+1])
	}
	return h
}

// The sample's request, made of its fields, iv, _n and time, is what the page shows, byte by byte.
func TestSampleRequest(t *testing.T) {
	type request struct {
		AppID    string `json:"appid"`
		OpenID   string `json:"openid"`
		Scene    int    `json:"scene"`
		ClientIP string `json:"client_ip"`
	}
	endpoint := wechat.Endpoint[request, wechat.None]{Name: "GetUserRiskRank", Pattern: "POST /wxa/getuserriskrank", Effect: wechat.EffectRead}
	var sent *http.Request
	var body []byte
	client := wechat.New(wechat.WithTransport(
		apisign.Transport(sampleKeys(t), apisign.Hooks(at(sampleTime), bytes.NewReader(sampleRandom(t)))),
		func(http.RoundTripper) http.RoundTripper {
			return roundTripper(func(r *http.Request) (*http.Response, error) {
				sent, body = r, readBody(t, r)
				return reply(r, 200, sampleReplyHeader(), []byte(sampleReply)), nil
			})
		},
	))
	err := endpoint.Exec(t.Context(), bind(client, sampleAppID), &request{sampleAppID, "oEWzBfmdLqhFS2mTXCo2E4Y9gJAM", 0, "127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	if string(body) != sampleEnvelope {
		t.Errorf("body\n%s\nwant\n%s", body, sampleEnvelope)
	}
	if sent.ContentLength != 324 {
		t.Errorf("Content-Length %d, want 324", sent.ContentLength)
	}
	if got := sent.URL.String(); got != sampleURL+"?access_token=TOKEN" {
		t.Errorf("URL %s", got)
	}
	if got := sent.Header.Get("Wechatmp-Appid"); got != sampleAppID {
		t.Errorf("Wechatmp-Appid %q", got)
	}
	if got := sent.Header.Get("Wechatmp-TimeStamp"); got != "1635927954" {
		t.Errorf("Wechatmp-TimeStamp %q", got)
	}
	text := sampleURL + "\n" + sampleAppID + "\n1635927954\n" + sampleEnvelope
	verify(t, &appKey().PublicKey, text, decode(t, sent.Header.Get("Wechatmp-Signature")))
}

// The page's own signature of the request fits the same text, with a salt of 32 bytes.
func TestSampleRequestSignature(t *testing.T) {
	block, _ := pem.Decode([]byte(samplePublicKey))
	key, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	text := sampleURL + "\n" + sampleAppID + "\n1635927954\n" + sampleEnvelope
	verify(t, key.(*rsa.PublicKey), text, decode(t, sampleSignature))
}

// verify checks a signature as the platform does: PSS, SHA-256, a salt of 32 bytes.
func verify(t testing.TB, key *rsa.PublicKey, text string, signature []byte) {
	t.Helper()
	digest := sha256.Sum256([]byte(text))
	if err := rsa.VerifyPSS(key, crypto.SHA256, digest[:], signature, &rsa.PSSOptions{SaltLength: 32}); err != nil {
		t.Error(err)
	}
}

// The sample's reply verifies with the page's certificate, and decrypts.
func TestSampleReply(t *testing.T) {
	if len(sampleReply) != 292 {
		t.Errorf("the reply has %d bytes, want 292", len(sampleReply))
	}
	text := sampleURL + "\n" + sampleAppID + "\n1635927956\n" + sampleReply
	if digest := sha256.Sum256([]byte(text)); hex.EncodeToString(digest[:]) != sampleReplyDigest {
		t.Errorf("digest %x", digest)
	}
	var plain []byte
	client := wechat.New(wechat.WithTransport(
		func(next http.RoundTripper) http.RoundTripper {
			return roundTripper(func(r *http.Request) (*http.Response, error) {
				resp, err := next.RoundTrip(r)
				if err != nil {
					return nil, err
				}
				plain, err = io.ReadAll(resp.Body)
				if resp.ContentLength != int64(len(plain)) {
					t.Errorf("Content-Length %d of %d bytes", resp.ContentLength, len(plain))
				}
				resp.Body = io.NopCloser(bytes.NewReader(plain))
				return resp, err
			})
		},
		apisign.Transport(sampleKeys(t), apisign.Hooks(at(sampleReplyTime), bytes.NewReader(sampleRandom(t)))),
		func(http.RoundTripper) http.RoundTripper {
			return roundTripper(func(r *http.Request) (*http.Response, error) {
				readBody(t, r)
				return reply(r, 200, sampleReplyHeader(), []byte(sampleReply)), nil
			})
		},
	))
	mp := miniprogram.New(client, wechat.App{ID: sampleAppID, TokenSource: wechat.StaticToken("TOKEN")})
	risk, err := mp.GetUserRiskRank(t.Context(), &miniprogram.UserRiskRequest{OpenID: "oEWzBfmdLqhFS2mTXCo2E4Y9gJAM", ClientIP: "127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	if want := (miniprogram.UserRisk{QueryID: 2258658297}); *risk != want {
		t.Errorf("%+v, want %+v", *risk, want)
	}
	if string(plain) != sampleReplyPlain {
		t.Errorf("plain %s", plain)
	}
}
