package smwechat

import (
	"crypto/ecdsa"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"

	"github.com/emmansun/gmsm/sm2"
	"github.com/emmansun/gmsm/smx509"

	"github.com/seed175cf469/wechat/apisign"
	"github.com/seed175cf469/wechat/internal/keypem"
)

// NewSM2Signer makes the Signer of the algorithm SM2withSM3 from the number of the app's private key and the key: PKCS
// #8 or SEC 1, as PEM or DER.
func NewSM2Signer(number string, privateKey []byte) (apisign.Signer, error) {
	key, err := parsePrivateKey(privateKey)
	if err == nil && strings.TrimSpace(number) == "" {
		err = errors.New("it has no number")
	}
	if err != nil {
		return nil, fmt.Errorf("smwechat: private key: %w", err)
	}
	return signer(func(text []byte) ([]byte, error) { return key.SignWithSM2(rand.Reader, []byte(number), text) }), nil
}

// NewSM2Verifier makes the Verifier of the algorithm SM2withSM3 from the number of a platform certificate, and the
// certificate or its public key alone (PKIX), as PEM or DER. The dates of the certificate and who issued it are not
// looked at: it is trusted because it came from the console.
func NewSM2Verifier(number string, certificate []byte) (apisign.Verifier, error) {
	key, err := parsePublicKey(certificate)
	if err == nil && strings.TrimSpace(number) == "" {
		err = errors.New("it has no number")
	}
	if err != nil {
		return nil, fmt.Errorf("smwechat: platform certificate: %w", err)
	}
	return verifier(func(text, signature []byte) error {
		if !sm2.VerifyASN1WithSM2(key, []byte(number), text, signature) {
			return errors.New("sm2: verification error")
		}
		return nil
	}), nil
}

// The keys are in closures, as printing one shows it.
type (
	signer   func(text []byte) ([]byte, error)
	verifier func(text, signature []byte) error
)

func (s signer) Sign(text []byte) ([]byte, error)      { return s(text) }
func (v verifier) Verify(text, signature []byte) error { return v(text, signature) }

func parsePrivateKey(data []byte) (*sm2.PrivateKey, error) {
	key, err := keypem.Parse(data, "key",
		keypem.Form{Type: "PRIVATE KEY", Parse: smx509.ParsePKCS8PrivateKey},
		keypem.Form{Type: "EC PRIVATE KEY", Parse: func(der []byte) (any, error) { return smx509.ParseTypedECPrivateKey(der) }})
	if err != nil {
		return nil, err
	}
	sm2Key, ok := key.(*sm2.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("%T in place of an SM2 key", key)
	}
	return sm2Key, nil
}

func parsePublicKey(data []byte) (*ecdsa.PublicKey, error) {
	key, err := keypem.Parse(data, "certificate or public key",
		keypem.Form{Type: "CERTIFICATE", Parse: certified},
		keypem.Form{Type: "PUBLIC KEY", Parse: smx509.ParsePKIXPublicKey})
	if err != nil {
		return nil, err
	}
	if !sm2.IsSM2PublicKey(key) {
		return nil, fmt.Errorf("%T in place of an SM2 key", key)
	}
	return key.(*ecdsa.PublicKey), nil
}

// certified is the public key of a certificate.
func certified(der []byte) (any, error) {
	c, err := smx509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return c.PublicKey, nil
}
