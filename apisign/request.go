package apisign

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/seed175cf469/wechat/internal/wire"
)

// The headers of requests and replies; the last three are in replies only.
const (
	headerAppID               = "Wechatmp-Appid"
	headerTimestamp           = "Wechatmp-TimeStamp"
	headerSignature           = "Wechatmp-Signature"
	headerSerial              = "Wechatmp-Serial"
	headerSerialDeprecated    = "Wechatmp-Serial-Deprecated"
	headerSignatureDeprecated = "Wechatmp-Signature-Deprecated"
)

// The fields that the platform wants beside those of the call.
const (
	fieldNonce     = "_n"
	fieldAppID     = "_appid"
	fieldTimestamp = "_timestamp"
)

const tokenParameter = "access_token"

// nonceLength is how many characters _n has. Each is one of 64, so that all of them are as good as 16 random bytes.
const nonceLength = 22

const nonceAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// exchange is a request and its reply.
type exchange struct {
	keys    Keys
	urlPath string // scheme, host and path of the call
}

// signed is what is signed of a request or reply.
func (x *exchange) signed(timestamp string, body []byte) []byte {
	return append([]byte(x.urlPath+"\n"+x.keys.AppID+"\n"+timestamp+"\n"), body...)
}

// additional is what is authenticated beside the encrypted text.
func (x *exchange) additional(timestamp string) []byte {
	return []byte(x.urlPath + "|" + x.keys.AppID + "|" + timestamp + "|" + x.keys.Cipher.Number())
}

// signable reports whether a request is one that the platform defines a signature for: a POST of JSON, or of nothing.
func signable(r *http.Request) bool {
	if r.Method != http.MethodPost {
		return false
	}
	kind := r.Header.Get("Content-Type")
	if kind == "" {
		return r.Body == nil || r.Body == http.NoBody
	}
	kind, _, err := mime.ParseMediaType(kind)
	return err == nil && kind == "application/json"
}

// seal makes the request that goes out in place of r.
func (t *transport) seal(x *exchange, r *http.Request) (*http.Request, error) {
	var plain []byte
	if r.Body != nil {
		var err error
		if plain, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, errors.New("its query string is malformed")
	}
	token := query.Get(tokenParameter)
	query.Del(tokenParameter)
	iv, nonce, err := t.draw()
	if err != nil {
		return nil, err
	}
	timestamp := strconv.FormatInt(t.now().Unix(), 10)
	if plain, err = x.plain(plain, query, nonce, timestamp); err != nil {
		return nil, err
	}
	body := envelope(iv, x.keys.Cipher.Seal(iv, plain, x.additional(timestamp)))
	signature, err := x.keys.Signer.Sign(x.signed(timestamp, body))
	if err != nil {
		return nil, err
	}

	out := r.Clone(r.Context())
	out.URL.RawQuery = ""
	if token != "" {
		out.URL.RawQuery = url.Values{tokenParameter: {token}}.Encode()
	}
	out.Header.Set("Content-Type", "application/json; charset=utf-8")
	out.Header.Set(headerAppID, x.keys.AppID)
	out.Header.Set(headerTimestamp, timestamp)
	out.Header.Set(headerSignature, base64.StdEncoding.EncodeToString(signature))
	out.ContentLength = int64(len(body))
	out.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	out.Body, _ = out.GetBody()
	return out, nil
}

// draw makes the random parts of a request.
func (t *transport) draw() (iv []byte, nonce string, err error) {
	random := make([]byte, ivSize+nonceLength)
	if _, err := io.ReadFull(t.random, random); err != nil {
		return nil, "", err
	}
	characters := random[ivSize:]
	for i, b := range characters {
		characters[i] = nonceAlphabet[b%64]
	}
	return random[:ivSize], string(characters), nil
}

// plain is what is encrypted: the platform's own fields, those of the body and those of the query.
func (x *exchange) plain(body []byte, query url.Values, nonce, timestamp string) ([]byte, error) {
	appID, err := wire.Marshal(x.keys.AppID)
	if err != nil {
		return nil, err
	}
	all := []member{
		{fieldNonce, []byte(`"` + nonce + `"`)},
		{fieldAppID, appID},
		{fieldTimestamp, []byte(timestamp)},
	}
	if len(body) > 0 {
		fields, err := members(body)
		if err != nil {
			return nil, fmt.Errorf("its body is %w", err)
		}
		for _, f := range fields {
			if f.name == fieldNonce || f.name == fieldAppID || f.name == fieldTimestamp {
				return nil, fmt.Errorf("its field %q has a name of the platform's own", f.name)
			}
		}
		all = append(all, fields...)
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		values := query[name]
		if len(values) > 1 || slices.ContainsFunc(all, func(m member) bool { return m.name == name }) {
			return nil, fmt.Errorf("its query parameter %q is there twice, or in the body too", name)
		}
		value, err := wire.Marshal(values[0])
		if err != nil {
			return nil, err
		}
		all = append(all, member{name, value})
	}
	return object(all)
}

// envelope is the body that carries sealed, which ends with the tag. Base64 needs no escapes in JSON.
func envelope(iv, sealed []byte) []byte {
	data, tag := sealed[:len(sealed)-tagSize], sealed[len(sealed)-tagSize:]
	b := make([]byte, 0, base64.StdEncoding.EncodedLen(len(data))+96)
	b = base64.StdEncoding.AppendEncode(append(b, `{"iv":"`...), iv)
	b = base64.StdEncoding.AppendEncode(append(b, `","data":"`...), data)
	b = base64.StdEncoding.AppendEncode(append(b, `","authtag":"`...), tag)
	return append(b, `"}`...)
}
