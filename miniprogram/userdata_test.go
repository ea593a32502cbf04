package miniprogram

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"errors"
	"strings"
	"testing"
)

// The key and iv are made up; openssl enc -aes-128-cbc made the data of it.
const (
	sessionKey = "AAECAwQFBgcICQoLDA0ODw=="
	dataIV     = "Dw4NDAsKCQgHBgUEAwIBAA=="
	userPlain  = `{"openId":"oFAKE0001","nickName":"张三 <b>&","gender":1,"language":"zh_CN","city":"广州","province":"广东","country":"中国","avatarUrl":"https://example.com/a.png","unionId":"uFAKE","watermark":{"timestamp":1700000000,"appid":"wx0123456789abcdef"}}`
	userCipher = "ylPz8qIce8AWRne279Kbk9MNUhAegqltBJykj4v1ThoRJsW2xqL89HCcSg5UAj8ePH0MwwKXhrOach7TbjdZdxWDVwy5BK+6IvFsbGiYBitgRvXygw9zGcHNSKUzudhc6xpoRBLv30fkw72rXKVIWoJh/iN5U/xr8BME3/FwILP6L227DlSLmm1J9Wx08UfMYGGRfkndNPidoG03QbQoBA3Xf2A3NHdiQs0Hwp/FXFEOxsD0EfpO46LlWcFdnfRE6Bk8f2P29/MygseePLop2359VAg8/hfwCoz4zTwxPzRn2xeL1tGw1JXJ2lXSwu+bY8wT2yLnV9c+gzdyH4nzrgf2OBYIOFvpzvRrMw137Rc="
)

// seal encrypts plain, whose padding is part of it.
func seal(key, iv string, plain []byte) string {
	k, _ := base64.StdEncoding.DecodeString(key)
	v, _ := base64.StdEncoding.DecodeString(iv)
	block, err := aes.NewCipher(k)
	if err != nil {
		panic(err)
	}
	out := make([]byte, len(plain))
	cipher.NewCBCEncrypter(block, v).CryptBlocks(out, plain)
	return base64.StdEncoding.EncodeToString(out)
}

func pad(text string) []byte {
	n := aes.BlockSize - len(text)%aes.BlockSize
	return append([]byte(text), bytes.Repeat([]byte{byte(n)}, n)...)
}

func sealed(plain string) *UserData {
	return &UserData{EncryptedData: seal(sessionKey, dataIV, pad(plain)), IV: dataIV}
}

func TestUserInfo(t *testing.T) {
	got, err := (&UserData{EncryptedData: userCipher, IV: dataIV}).UserInfo(appID, sessionKey)
	if err != nil {
		t.Fatal(err)
	}
	want := UserInfo{OpenID: "oFAKE0001", NickName: "张三 <b>&", Gender: 1, City: "广州", Province: "广东", Country: "中国",
		Language: "zh_CN", AvatarURL: "https://example.com/a.png", UnionID: "uFAKE",
		Watermark: Watermark{Timestamp: 1700000000, AppID: appID}}
	if *got != want {
		t.Errorf("UserInfo = %+v, want %+v", *got, want)
	}
}

func TestPhoneInfo(t *testing.T) {
	d := sealed(`{"phoneNumber":"+85251234567","purePhoneNumber":"51234567","countryCode":852,"watermark":{"timestamp":1700000000,"appid":"` + appID + `"}}`)
	got, err := d.PhoneInfo(appID, sessionKey)
	if err != nil {
		t.Fatal(err)
	}
	if got.PhoneNumber != "+85251234567" || got.PurePhoneNumber != "51234567" || got.CountryCode != "852" {
		t.Errorf("PhoneInfo = %+v", got)
	}
}

func TestDecryptRefuses(t *testing.T) {
	const plain = `{"openId":"o","watermark":{"timestamp":1,"appid":"` + appID + `"}}`
	good := sealed(plain)
	other := "EBESExQVFhcYGRobHB0eHw=="
	tests := []struct {
		name     string
		data     *UserData
		app, key string
		belongs  bool // the data are well-formed and belong to somebody else
	}{
		{"another session key", good, appID, other, true},
		{"another app", good, "wxffffffffffffffff", sessionKey, true},
		{"no watermark", sealed(`{"openId":"o"}`), appID, sessionKey, true},
		{"no JSON", sealed(`openId`), appID, sessionKey, true},
		{"padding of zero", &UserData{EncryptedData: seal(sessionKey, dataIV, make([]byte, 16)), IV: dataIV}, appID, sessionKey, true},
		{"padding over a block", &UserData{EncryptedData: seal(sessionKey, dataIV, bytes.Repeat([]byte{17}, 32)), IV: dataIV}, appID, sessionKey, true},
		{"padding that differs", &UserData{EncryptedData: seal(sessionKey, dataIV, append([]byte(`{"a":"12345"}`), 1, 2, 3)), IV: dataIV}, appID, sessionKey, true},
		{"the whole block is padding", &UserData{EncryptedData: seal(sessionKey, dataIV, bytes.Repeat([]byte{16}, 16)), IV: dataIV}, appID, sessionKey, true},
		{"a cut block", &UserData{EncryptedData: base64.StdEncoding.EncodeToString(make([]byte, 17)), IV: dataIV}, appID, sessionKey, false},
		{"no data", &UserData{IV: dataIV}, appID, sessionKey, false},
		{"no base64", &UserData{EncryptedData: "%%%", IV: dataIV}, appID, sessionKey, false},
		{"a short iv", &UserData{EncryptedData: good.EncryptedData, IV: "AAAA"}, appID, sessionKey, false},
		{"a short key", good, appID, "c2hvcnQga2V5", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tt.data.UserInfo(tt.app, tt.key)
			if err == nil {
				t.Fatalf("no error, got %+v", got)
			}
			if errors.Is(err, ErrUserData) != tt.belongs {
				t.Errorf("ErrUserData is %v: %v", !tt.belongs, err)
			}
			if strings.Contains(err.Error(), tt.key) {
				t.Errorf("the error shows the session key: %v", err)
			}
		})
	}
}

// A changed bit turns its own block into noise, which is no UTF-8, and changes a bit of the block after it.
func TestDecryptRefusesChangedData(t *testing.T) {
	data, err := base64.StdEncoding.DecodeString(userCipher)
	if err != nil {
		t.Fatal(err)
	}
	for i := range data {
		changed := bytes.Clone(data)
		changed[i] ^= 0x10
		d := &UserData{EncryptedData: base64.StdEncoding.EncodeToString(changed), IV: dataIV}
		if got, err := d.UserInfo(appID, sessionKey); !errors.Is(err, ErrUserData) {
			t.Fatalf("byte %d: got %+v, %v, want ErrUserData", i, got, err)
		}
	}
}

func TestVerify(t *testing.T) {
	// printf '%s' '{"nickName":"a"}tiihtNczf5v6AKRyjwEUhQ==' | sha1sum
	d := UserData{RawData: `{"nickName":"a"}`, Signature: "56adbd431aec54879ced08bb5942b33956aa7425"}
	if err := d.Verify("tiihtNczf5v6AKRyjwEUhQ=="); err != nil {
		t.Error(err)
	}
	for name, bad := range map[string]UserData{
		"changed":      {RawData: `{"nickName":"b"}`, Signature: d.Signature},
		"no signature": {RawData: d.RawData},
	} {
		if err := bad.Verify("tiihtNczf5v6AKRyjwEUhQ=="); !errors.Is(err, ErrUserData) {
			t.Errorf("%s: %v, want ErrUserData", name, err)
		}
	}
}

// FuzzDecrypt holds that no input makes the decryption panic, and that what it lets through is JSON for the app.
func FuzzDecrypt(f *testing.F) {
	f.Add(userCipher, dataIV, sessionKey, []byte(userPlain))
	f.Add("", "", "", []byte{})
	f.Add("AAAA", dataIV, sessionKey, []byte("\x01"))
	f.Fuzz(func(t *testing.T, data, iv, key string, plain []byte) {
		posted := UserData{EncryptedData: data, IV: iv}
		ours := UserData{EncryptedData: seal(sessionKey, dataIV, pad(string(plain))), IV: dataIV}
		for key, d := range map[string]*UserData{key: &posted, sessionKey: &ours} {
			var got struct {
				Watermark Watermark `json:"watermark"`
			}
			if err := d.Decrypt(appID, key, &got); err == nil && got.Watermark.AppID != appID {
				t.Errorf("let %+v through", got)
			}
		}
	})
}
