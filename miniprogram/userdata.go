package miniprogram

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha1"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/seed175cf469/wechat/internal/wire"
)

// ErrUserData says that user data do not belong to the session key or the mini program, or were changed on the way.
// The usual reason is a session key that a later wx.login has replaced: let the user sign in again.
var ErrUserData = errors.New("miniprogram: user data do not fit the session key")

// UserData is what wx.getUserInfo, a getPhoneNumber button and their like give to the client side, as it is posted to
// the server.
type UserData struct {
	EncryptedData string `json:"encryptedData"`       // base64
	IV            string `json:"iv"`                  // base64
	RawData       string `json:"rawData,omitempty"`   // the part that is not sensitive, as JSON
	Signature     string `json:"signature,omitempty"` // of RawData
}

// UserInfo is the profile of a user.
type UserInfo struct {
	OpenID    string    `json:"openId"`
	NickName  string    `json:"nickName"`
	Gender    int       `json:"gender"` // 0 not told, 1 male, 2 female
	City      string    `json:"city"`
	Province  string    `json:"province"`
	Country   string    `json:"country"`
	Language  string    `json:"language"`
	AvatarURL string    `json:"avatarUrl"`
	UnionID   string    `json:"unionId"` // empty unless the mini program is bound to an open-platform account
	Watermark Watermark `json:"watermark"`
}

// PhoneInfo is a user's phone number.
type PhoneInfo struct {
	PhoneNumber     string    `json:"phoneNumber"`     // with the country code, where it is a foreign one
	PurePhoneNumber string    `json:"purePhoneNumber"` // without
	CountryCode     string    `json:"countryCode"`     // "86"
	Watermark       Watermark `json:"watermark"`
}

// Watermark tells which mini program data are for and when they were made.
type Watermark struct {
	Timestamp int64  `json:"timestamp"` // Unix seconds
	AppID     string `json:"appid"`
}

// Verify returns ErrUserData unless Signature is that of RawData under the user's session key.
func (d *UserData) Verify(sessionKey string) error {
	sum := sha1.Sum([]byte(d.RawData + sessionKey))
	if sessionKey == "" { // anybody can sign with none
		return ErrUserData
	}
	if !hmac.Equal([]byte(d.Signature), []byte(hex.EncodeToString(sum[:]))) {
		return ErrUserData
	}
	return nil
}

// UserInfo decrypts the data of wx.getUserInfo.
func (d *UserData) UserInfo(appID, sessionKey string) (*UserInfo, error) {
	return decrypted[UserInfo](d, appID, sessionKey)
}

// PhoneInfo decrypts the data of a getPhoneNumber button. GetPhoneNumber does without a session key.
func (d *UserData) PhoneInfo(appID, sessionKey string) (*PhoneInfo, error) {
	return decrypted[PhoneInfo](d, appID, sessionKey)
}

func decrypted[T any](d *UserData, appID, sessionKey string) (*T, error) {
	v := new(T)
	if err := d.Decrypt(appID, sessionKey, v); err != nil {
		return nil, err
	}
	return v, nil
}

// Decrypt decrypts EncryptedData into v, a pointer, and checks that its watermark names appID. It serves all kinds of
// data: steps of WeChat's sports, ids of groups and whatever follows.
//
// The cipher has no seal of its own. What was changed on the way is found in most places, yet not in all: take the
// openid from Code2Session and not from here.
func (d *UserData) Decrypt(appID, sessionKey string, v any) error {
	key, err := decodeBlock("the session key", sessionKey)
	if err != nil {
		return err
	}
	iv, err := decodeBlock("iv", d.IV)
	if err != nil {
		return err
	}
	data, err := base64.StdEncoding.DecodeString(d.EncryptedData)
	if err != nil || len(data) == 0 || len(data)%aes.BlockSize != 0 {
		return errors.New("miniprogram: encryptedData is no base64 of whole cipher blocks")
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return err
	}
	cipher.NewCBCDecrypter(block, iv).CryptBlocks(data, data)
	plain, ok := unpad(data)
	// Strict here, whatever replies of the server are forgiven: a changed block decrypts to noise.
	if !ok || !utf8.Valid(plain) || !json.Valid(plain) {
		return ErrUserData
	}
	var marked struct {
		Watermark Watermark `json:"watermark"`
	}
	if err := json.Unmarshal(plain, &marked); err != nil {
		return ErrUserData
	}
	if marked.Watermark.AppID != appID {
		return fmt.Errorf("%w: they are for the app %q", ErrUserData, marked.Watermark.AppID)
	}
	return wire.Unmarshal(plain, v)
}

// decodeBlock decodes the base64 of a key or an iv. Its errors do not show the value.
func decodeBlock(name, text string) ([]byte, error) {
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(b) != aes.BlockSize {
		return nil, fmt.Errorf("miniprogram: %s is no base64 of %d bytes", name, aes.BlockSize)
	}
	return b, nil
}

// unpad removes PKCS#7 padding from whole blocks.
func unpad(b []byte) ([]byte, bool) {
	n := int(b[len(b)-1])
	if n == 0 || n > aes.BlockSize {
		return nil, false
	}
	text, padding := b[:len(b)-n], b[len(b)-n:]
	return text, subtle.ConstantTimeCompare(padding, bytes.Repeat([]byte{byte(n)}, n)) == 1
}
