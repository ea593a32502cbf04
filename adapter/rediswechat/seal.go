package rediswechat

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
)

// sealer encrypts tokens with AES-256-GCM. Its nonce is a digest, under a key of its own, of what is encrypted and where it
// stands: the same token is written in the same way, so that scripts can compare, and no nonce serves two texts.
type sealer struct {
	aead   cipher.AEAD
	digest []byte // key of the digest
}

const sealed = "aes1." // begins what is encrypted

func newSealer(key []byte) (*sealer, error) {
	if len(key) < 16 {
		return nil, errors.New("rediswechat: the key to encrypt tokens with has less than 16 bytes")
	}
	keys, err := hkdf.Key(sha256.New, key, nil, "rediswechat token", 64)
	if err != nil {
		return nil, fmt.Errorf("rediswechat: %w", err)
	}
	block, err := aes.NewCipher(keys[:32])
	if err != nil {
		return nil, fmt.Errorf("rediswechat: %w", err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, fmt.Errorf("rediswechat: %w", err)
	}
	return &sealer{aead: aead, digest: keys[32:]}, nil
}

func (s *sealer) form(redisKey string) form {
	where := []byte(redisKey)
	return form{
		write: func(value string) string {
			mac := hmac.New(sha256.New, s.digest)
			mac.Write(where)
			mac.Write([]byte{0})
			mac.Write([]byte(value))
			nonce := mac.Sum(nil)[:s.aead.NonceSize()]
			return sealed + base64.RawURLEncoding.EncodeToString(s.aead.Seal(nonce, nonce, []byte(value), where))
		},
		read: func(raw string) (string, bool) {
			text, ok := strings.CutPrefix(raw, sealed)
			b, err := base64.RawURLEncoding.DecodeString(text)
			if !ok || err != nil || len(b) < s.aead.NonceSize() {
				return "", false
			}
			value, err := s.aead.Open(nil, b[:s.aead.NonceSize()], b[s.aead.NonceSize():], where)
			return string(value), err == nil
		},
	}
}
