package apisign

import (
	"context"
	"errors"
	"fmt"
)

// ErrNoKeys is what a Keyring returns for an app whose calls are not signed: they are sent as they are.
var ErrNoKeys = errors.New("apisign: no keys for the app")

// Keyring gives the keys of an app. It is asked once an attempt, from many goroutines, and should answer from
// memory. For an app without keys it returns ErrNoKeys; any other error fails the attempt before anything is sent.
//
// The keys in a Keyring may change at any time: the reply to a request is read with the keys that it was sent with.
type Keyring interface {
	KeysFor(ctx context.Context, appID string) (Keys, error)
}

// Source is a func as a Keyring, for several apps and for keys that change while the program runs.
type Source func(ctx context.Context, appID string) (Keys, error)

// KeysFor calls s.
func (s Source) KeysFor(ctx context.Context, appID string) (Keys, error) { return s(ctx, appID) }

// Keys are the keys of one app, as the console has them under API security (API安全). Those that this package
// makes keep what is secret in closures: no verb of fmt shows it.
type Keys struct {
	AppID  string
	Cipher Cipher // the symmetric key (对称密钥)
	Signer Signer // the app's own private key (非对称密钥)
	// Platform has the platform certificates (开放平台证书) by the number that the console shows beside them, which is
	// not the serial number inside the certificate. While one certificate replaces another, have both.
	Platform map[string]Verifier
}

// KeysFor makes k a Keyring of one app.
func (k Keys) KeysFor(_ context.Context, appID string) (Keys, error) {
	if appID != k.AppID {
		return Keys{}, ErrNoKeys
	}
	return k, nil
}

// check reports what is missing.
func (k Keys) check(appID string) error {
	switch {
	case k.AppID != appID:
		return fmt.Errorf("they are those of %q", k.AppID)
	case k.Cipher == nil:
		return errors.New("there is no Cipher")
	case k.Signer == nil:
		return errors.New("there is no Signer")
	case len(k.Platform) == 0:
		return errors.New("there is no platform certificate")
	}
	return nil
}

// Cipher encrypts requests and decrypts replies, with an iv of 12 bytes and a tag of 16 bytes. It is safe for
// concurrent use.
type Cipher interface {
	Number() string                                             // of the key, in the console
	Seal(iv, plain, additional []byte) (sealed []byte)          // the tag follows the encrypted text
	Open(iv, sealed, additional []byte) (plain []byte, _ error) // iv has 12 bytes, sealed has 16 or more
}

// Signer signs requests. It is safe for concurrent use.
type Signer interface {
	Sign(text []byte) (signature []byte, err error)
}

// Verifier checks the signatures of replies. It is safe for concurrent use.
type Verifier interface {
	Verify(text, signature []byte) error // nil: the signature is that of text
}
