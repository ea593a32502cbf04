// Package wxcrypt has the signature and the encryption of what WeChat pushes to servers, and of the answers.
//
// A clear text is wrapped as 16 random bytes, its length in 4 bytes, the text, and the id of the receiver, padded to
// a multiple of 32 bytes and encrypted with AES-256-CBC.
package wxcrypt

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha1"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
)

const (
	keyChars   = 43
	randomSize = 16
	headSize   = randomSize + 4
	padBlock   = 32
)

// The reasons why a key or a cipher text is refused. None of them tells anything of its content.
var (
	ErrKey    = errors.New("the EncodingAESKey is not 43 characters of base64")
	ErrBase64 = errors.New("the cipher text is not base64")
	ErrLength = errors.New("the cipher text is not a whole number of blocks")
	ErrClear  = errors.New("the cipher text does not decrypt with this key")
)

// Key is an EncodingAESKey. It is safe for concurrent use and prints nothing of itself.
type Key struct {
	block func() (block cipher.Block, iv []byte)
}

// ParseKey reads an EncodingAESKey as it stands in the console: 43 characters, of which the last may hold spare
// bits. White space around it and a "=" at its end do no harm.
func ParseKey(s string) (*Key, error) {
	s = strings.TrimSuffix(strings.TrimSpace(s), "=")
	if len(s) != keyChars || strings.ContainsAny(s, "\r\n") {
		return nil, ErrKey
	}
	raw, err := base64.StdEncoding.DecodeString(s + "=")
	if err != nil {
		return nil, ErrKey
	}
	block, err := aes.NewCipher(raw)
	if err != nil {
		return nil, ErrKey
	}
	return &Key{func() (cipher.Block, []byte) { return block, raw[:aes.BlockSize] }}, nil
}

// Encrypt wraps and encrypts a message, with random bytes of its own.
func (k *Key) Encrypt(message []byte, receiver string) string {
	var random [randomSize]byte
	_, _ = rand.Read(random[:]) // never fails
	return k.EncryptWith(random, message, receiver)
}

// EncryptWith is Encrypt with given random bytes.
func (k *Key) EncryptWith(random [randomSize]byte, message []byte, receiver string) string {
	size := headSize + len(message) + len(receiver)
	pad := padBlock - size%padBlock
	b := make([]byte, 0, size+pad)
	b = append(b, random[:]...)
	b = binary.BigEndian.AppendUint32(b, uint32(len(message)))
	b = append(b, message...)
	b = append(b, receiver...)
	b = append(b, bytes.Repeat([]byte{byte(pad)}, pad)...)
	block, iv := k.block()
	cipher.NewCBCEncrypter(block, iv).CryptBlocks(b, b)
	return base64.StdEncoding.EncodeToString(b)
}

// Decrypt gives the message and the id of the receiver for whom it was encrypted.
func (k *Key) Decrypt(text string) (message []byte, receiver string, err error) {
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, "", ErrBase64
	}
	if len(b) == 0 || len(b)%aes.BlockSize != 0 {
		return nil, "", ErrLength
	}
	block, iv := k.block()
	cipher.NewCBCDecrypter(block, iv).CryptBlocks(b, b)
	pad := int(b[len(b)-1])
	if pad < 1 || pad > padBlock || len(b)-pad < headSize {
		return nil, "", ErrClear
	}
	end := len(b) - pad
	for _, c := range b[end:] {
		if int(c) != pad {
			return nil, "", ErrClear
		}
	}
	n := binary.BigEndian.Uint32(b[randomSize:headSize])
	if uint64(n) > uint64(end-headSize) {
		return nil, "", ErrClear
	}
	split := headSize + int(n)
	return b[headSize:split:split], string(b[split:end]), nil
}

// Sign is the signature over parts: the SHA-1 of their sorted concatenation, in hexadecimal.
func Sign(parts ...string) string {
	parts = slices.Sorted(slices.Values(parts))
	h := sha1.New()
	for _, p := range parts {
		h.Write([]byte(p))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Verify reports, in a time that does not depend on the signature, whether it is the one over parts.
func Verify(signature string, parts ...string) bool {
	return subtle.ConstantTimeCompare([]byte(signature), []byte(Sign(parts...))) == 1
}
