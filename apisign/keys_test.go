package apisign_test

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/apisign"
)

func signerOf(t testing.TB, key *rsa.PrivateKey) apisign.Signer {
	t.Helper()
	s, err := apisign.NewRSASigner(pemOf("PRIVATE KEY", pkcs8(t, key)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func pkcs8(t testing.TB, key any) []byte {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return der
}

func pkix1(t testing.TB, key any) []byte {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return der
}

// certificate is a certificate of key that ended yesterday, as it is the console that vouches for it.
func certificate(t testing.TB, key any, public any) []byte {
	t.Helper()
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "platform"}, NotAfter: time.Now().AddDate(0, 0, -1)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, public, key)
	if err != nil {
		t.Fatal(err)
	}
	return der
}

// All forms of one key are the same key.
func TestKeyForms(t *testing.T) {
	key := appKey()
	private := map[string][]byte{
		"PKCS #1 PEM": pemOf("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(key)),
		"PKCS #8 PEM": pemOf("PRIVATE KEY", pkcs8(t, key)),
		"PKCS #1 DER": x509.MarshalPKCS1PrivateKey(key),
		"PKCS #8 DER": pkcs8(t, key),
		"text before": append([]byte("Key of the app\n\n"), pemOf("PRIVATE KEY", pkcs8(t, key))...),
	}
	cert := certificate(t, key, &key.PublicKey)
	public := map[string][]byte{
		"certificate PEM": pemOf("CERTIFICATE", cert),
		"certificate DER": cert,
		"PKIX PEM":        pemOf("PUBLIC KEY", pkix1(t, &key.PublicKey)),
		"PKIX DER":        pkix1(t, &key.PublicKey),
		"PKCS #1 PEM":     pemOf("RSA PUBLIC KEY", x509.MarshalPKCS1PublicKey(&key.PublicKey)),
		"PKCS #1 DER":     x509.MarshalPKCS1PublicKey(&key.PublicKey),
	}
	text := []byte("text")
	for name, data := range private {
		s, err := apisign.NewRSASigner(data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		signature, err := s.Sign(text)
		if err != nil {
			t.Fatal(err)
		}
		verify(t, &key.PublicKey, string(text), signature)
		for name, data := range public {
			v, err := apisign.NewRSAVerifier(data)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if err := v.Verify(text, signature); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if v.Verify([]byte("another text"), signature) == nil {
				t.Errorf("%s: a signature of another text verifies", name)
			}
		}
	}
}

// Whatever is not an RSA key of 2048 bits is refused with what is wrong.
func TestBadKeys(t *testing.T) {
	key := appKey()
	short, err := rsa.GenerateKey(rand.Reader, 1024)
	if err != nil {
		t.Fatal(err)
	}
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	locked := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Headers: map[string]string{"Proc-Type": "4,ENCRYPTED", "DEK-Info": "AES-128-CBC,00"}, Bytes: []byte("x")})
	signers := []struct {
		name string
		data []byte
		want string
	}{
		{"empty", nil, "neither PEM nor"},
		{"text", []byte("key"), "neither PEM nor"},
		{"broken PKCS #1", pemOf("RSA PRIVATE KEY", []byte("x")), "cannot be read"},
		{"broken PKCS #8", pemOf("PRIVATE KEY", []byte("x")), "cannot be read"},
		{"locked", locked, "password"},
		{"locked PKCS #8", pemOf("ENCRYPTED PRIVATE KEY", []byte("x")), "password"},
		{"a public key", pemOf("PUBLIC KEY", pkix1(t, &key.PublicKey)), `"PUBLIC KEY" in place of`},
		{"a certificate", pemOf("CERTIFICATE", nil), `"CERTIFICATE" in place of`},
		{"another algorithm", pemOf("PRIVATE KEY", pkcs8(t, curve)), "ecdsa.PrivateKey in place of an RSA key"},
		{"short", pemOf("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(short)), "1024 bits"},
	}
	for _, c := range signers {
		if s, err := apisign.NewRSASigner(c.data); err == nil || s != nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("signer, %s: %v, want %q", c.name, err, c.want)
		}
	}
	verifiers := []struct {
		name string
		data []byte
		want string
	}{
		{"empty", nil, "neither PEM nor"},
		{"text", []byte("key"), "neither PEM nor"},
		{"broken certificate", pemOf("CERTIFICATE", []byte("x")), "cannot be read"},
		{"broken key", pemOf("PUBLIC KEY", []byte("x")), "cannot be read"},
		{"broken PKCS #1", pemOf("RSA PUBLIC KEY", []byte("x")), "cannot be read"},
		{"a private key", pemOf("PRIVATE KEY", pkcs8(t, key)), `"PRIVATE KEY" in place of`},
		{"another algorithm", pemOf("CERTIFICATE", certificate(t, curve, &curve.PublicKey)), "ecdsa.PublicKey in place of an RSA key"},
		{"short", pemOf("PUBLIC KEY", pkix1(t, &short.PublicKey)), "1024 bits"},
		{"short certificate", certificate(t, key, &short.PublicKey), "1024 bits"},
	}
	for _, c := range verifiers {
		if v, err := apisign.NewRSAVerifier(c.data); err == nil || v != nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("verifier, %s: %v, want %q", c.name, err, c.want)
		}
	}
}

func TestBadSymmetricKeys(t *testing.T) {
	for _, c := range []struct {
		number string
		key    wechat.Secret
		want   string
	}{
		{keyNumber, "", "0 bytes"},
		{keyNumber, "!", "not base64"},
		{keyNumber, "AAAAAAAAAAAAAAAAAAAAAA==", "16 bytes"},
		{"", sampleKey, "no number"},
		{" ", sampleKey, "no number"},
	} {
		if _, err := apisign.NewAES256GCM(c.number, c.key); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.number, err, c.want)
		}
	}
	for _, key := range []wechat.Secret{sampleKey, wechat.Secret(sampleKey[:43]), " " + sampleKey + "\n"} {
		if _, err := apisign.NewAES256GCM(keyNumber, key); err != nil {
			t.Error(err)
		}
	}
	block, err := aes.NewCipher(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	long, err := cipher.NewGCMWithNonceSize(block, 16)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := apisign.NewCipher(keyNumber, long); err == nil {
		t.Error("an iv of 16 bytes is taken")
	}
}
