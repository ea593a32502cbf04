package apisign

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/seed175cf469/wechat"
)

const (
	ivSize  = 12
	tagSize = 16
)

// NewAES256GCM makes the Cipher of the algorithm AES256_GCM from the number of the symmetric key and the key itself,
// 32 bytes in base64, as the console gives both.
func NewAES256GCM(number string, key wechat.Secret) (Cipher, error) {
	// The cause of a failure could show a part of the key.
	raw, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(strings.TrimSpace(key.Reveal()), "="))
	if err != nil {
		return nil, errors.New("apisign: the symmetric key is not base64")
	}
	if len(raw) != 32 {
		return nil, fmt.Errorf("apisign: the symmetric key has %d bytes in place of the 32 of AES256_GCM", len(raw))
	}
	block, err := aes.NewCipher(raw)
	if err != nil {
		return nil, fmt.Errorf("apisign: %w", err)
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		return nil, fmt.Errorf("apisign: %w", err)
	}
	return NewCipher(number, gcm)
}

// NewCipher makes a Cipher of an AEAD with an iv of 12 bytes and a tag of 16 bytes, for algorithms that are not in
// the standard library.
func NewCipher(number string, aead cipher.AEAD) (Cipher, error) {
	if strings.TrimSpace(number) == "" {
		return nil, errors.New("apisign: the symmetric key has no number")
	}
	if aead.NonceSize() != ivSize || aead.Overhead() != tagSize {
		return nil, fmt.Errorf("apisign: an iv of %d and a tag of %d bytes in place of %d and %d",
			aead.NonceSize(), aead.Overhead(), ivSize, tagSize)
	}
	return aeadCipher{
		number: number,
		seal:   func(iv, plain, additional []byte) []byte { return aead.Seal(nil, iv, plain, additional) },
		open:   func(iv, sealed, additional []byte) ([]byte, error) { return aead.Open(nil, iv, sealed, additional) },
	}, nil
}

// aeadCipher keeps the AEAD in closures, as printing one shows its key.
type aeadCipher struct {
	number string
	seal   func(iv, plain, additional []byte) []byte
	open   func(iv, sealed, additional []byte) ([]byte, error)
}

func (c aeadCipher) Number() string                           { return c.number }
func (c aeadCipher) Seal(iv, plain, additional []byte) []byte { return c.seal(iv, plain, additional) }
func (c aeadCipher) Open(iv, sealed, additional []byte) ([]byte, error) {
	return c.open(iv, sealed, additional)
}
