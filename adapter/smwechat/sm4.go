package smwechat

import (
	"crypto/cipher"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/emmansun/gmsm/sm4"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/apisign"
)

// NewSM4GCM makes the Cipher of the algorithm SM4_GCM from the number of the symmetric key and the key itself, 16
// bytes in base64, as the console gives both.
func NewSM4GCM(number string, key wechat.Secret) (apisign.Cipher, error) {
	// The cause of a failure could show a part of the key.
	raw, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(strings.TrimSpace(key.Reveal()), "="))
	if err != nil {
		return nil, errors.New("smwechat: the symmetric key is not base64")
	}
	if len(raw) != sm4.BlockSize {
		return nil, fmt.Errorf("smwechat: the symmetric key has %d bytes in place of the 16 of SM4_GCM", len(raw))
	}
	block, err := sm4.NewCipher(raw)
	if err != nil {
		return nil, fmt.Errorf("smwechat: %w", err)
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		return nil, fmt.Errorf("smwechat: %w", err)
	}
	return apisign.NewCipher(number, gcm)
}
