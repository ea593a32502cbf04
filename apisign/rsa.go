package apisign

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"fmt"

	"github.com/seed175cf469/wechat/internal/keypem"
)

// minRSABits is the shortest RSA key that is taken.
const minRSABits = 2048

// NewRSASigner makes the Signer of the algorithm RSAwithSHA256 (PSS with a salt of 32 bytes) from the app's private
// key: PKCS #1 or PKCS #8, as PEM or DER, of at least 2048 bits.
func NewRSASigner(privateKey []byte) (Signer, error) {
	key, err := parsePrivateKey(privateKey)
	if err != nil {
		return nil, fmt.Errorf("apisign: private key: %w", err)
	}
	return signer(func(text []byte) ([]byte, error) {
		digest := sha256.Sum256(text)
		return rsa.SignPSS(rand.Reader, key, crypto.SHA256, digest[:], &rsa.PSSOptions{SaltLength: rsa.PSSSaltLengthEqualsHash})
	}), nil
}

// NewRSAVerifier makes the Verifier of the algorithm RSAwithSHA256 from a platform certificate, or from its public
// key alone (PKIX or PKCS #1), as PEM or DER, of at least 2048 bits. The dates of the certificate and who issued it
// are not looked at: it is trusted because it came from the console.
func NewRSAVerifier(certificate []byte) (Verifier, error) {
	key, err := parsePublicKey(certificate)
	if err != nil {
		return nil, fmt.Errorf("apisign: platform certificate: %w", err)
	}
	return verifier(func(text, signature []byte) error {
		digest := sha256.Sum256(text)
		return rsa.VerifyPSS(key, crypto.SHA256, digest[:], signature, &rsa.PSSOptions{SaltLength: rsa.PSSSaltLengthAuto})
	}), nil
}

type signer func(text []byte) ([]byte, error)

func (s signer) Sign(text []byte) ([]byte, error) { return s(text) }

type verifier func(text, signature []byte) error

func (v verifier) Verify(text, signature []byte) error { return v(text, signature) }

func parsePrivateKey(data []byte) (*rsa.PrivateKey, error) {
	key, err := keypem.Parse(data, "key",
		keypem.Form{Type: "PRIVATE KEY", Parse: x509.ParsePKCS8PrivateKey},
		keypem.Form{Type: "RSA PRIVATE KEY", Parse: func(der []byte) (any, error) { return x509.ParsePKCS1PrivateKey(der) }})
	if err != nil {
		return nil, err
	}
	rsaKey, ok := key.(*rsa.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("%T in place of an RSA key", key)
	}
	return rsaKey, longEnough(&rsaKey.PublicKey)
}

func parsePublicKey(data []byte) (*rsa.PublicKey, error) {
	key, err := keypem.Parse(data, "certificate or public key",
		keypem.Form{Type: "CERTIFICATE", Parse: certified},
		keypem.Form{Type: "PUBLIC KEY", Parse: x509.ParsePKIXPublicKey},
		keypem.Form{Type: "RSA PUBLIC KEY", Parse: func(der []byte) (any, error) { return x509.ParsePKCS1PublicKey(der) }})
	if err != nil {
		return nil, err
	}
	rsaKey, ok := key.(*rsa.PublicKey)
	if !ok {
		return nil, fmt.Errorf("%T in place of an RSA key", key)
	}
	return rsaKey, longEnough(rsaKey)
}

// certified is the public key of a certificate.
func certified(der []byte) (any, error) {
	c, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return c.PublicKey, nil
}

func longEnough(key *rsa.PublicKey) error {
	if bits := key.N.BitLen(); bits < minRSABits {
		return fmt.Errorf("an RSA key of %d bits, where at least %d are needed", bits, minRSABits)
	}
	return nil
}
