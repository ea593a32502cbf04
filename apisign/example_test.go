package apisign_test

import (
	"context"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"net/http"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/apisign"
	"github.com/seed175cf469/wechat/miniprogram"
)

// What a program reads from its own configuration: the files and numbers of the console.
var (
	symmetricKeyOfConsole = wechat.Secret(base64.StdEncoding.EncodeToString(symmetricKey(keyNumber)))
	privateKeyPEM         = pemOf("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(appKey()))
	platformPEM           = pemOf("RSA PUBLIC KEY", x509.MarshalPKCS1PublicKey(&platformKey().PublicKey))
)

func loadKeys() (apisign.Keys, error) {
	cipher, err := apisign.NewAES256GCM(keyNumber, symmetricKeyOfConsole)
	if err != nil {
		return apisign.Keys{}, err
	}
	signer, err := apisign.NewRSASigner(privateKeyPEM)
	if err != nil {
		return apisign.Keys{}, err
	}
	certificate, err := apisign.NewRSAVerifier(platformPEM)
	if err != nil {
		return apisign.Keys{}, err
	}
	return apisign.Keys{
		AppID:    appID,
		Cipher:   cipher,
		Signer:   signer,
		Platform: map[string]apisign.Verifier{serial: certificate},
	}, nil
}

// standIn is a platform in memory that takes signed calls; a program has the real one there.
func standIn(http.RoundTripper) http.RoundTripper { return newPlatform(printer{}) }

type printer struct{}

func (printer) Helper()                           {}
func (printer) Errorf(format string, args ...any) { fmt.Printf(format+"\n", args...) }

func Example() {
	keys, err := loadKeys()
	if err != nil {
		fmt.Println(err)
		return
	}
	client := wechat.New(wechat.WithTransport(
		apisign.Transport(keys, apisign.Only("GetUserRiskRank", "GetPhoneNumber")),
		standIn,
	))
	mp := miniprogram.New(client, wechat.App{ID: appID, TokenSource: wechat.StaticToken("token")})
	_, err = mp.GetUserRiskRank(context.Background(), &miniprogram.UserRiskRequest{OpenID: "o1", ClientIP: "127.0.0.1"})
	fmt.Println(err)
	// Output: <nil>
}

// Keys that change while the program runs come from a Source.
func ExampleSource() {
	source := apisign.Source(func(_ context.Context, appID string) (apisign.Keys, error) {
		if appID != "wx00112233445566ff" {
			return apisign.Keys{}, apisign.ErrNoKeys // sent as they are
		}
		return loadKeys() // from memory, in a program
	})
	client := wechat.New(wechat.WithTransport(apisign.Transport(source), standIn))
	mp := miniprogram.New(client, wechat.App{ID: appID, TokenSource: wechat.StaticToken("token")})
	_, err := mp.GetUserRiskRank(context.Background(), &miniprogram.UserRiskRequest{OpenID: "o1", ClientIP: "127.0.0.1"})
	fmt.Println(err)
	// Output: <nil>
}
