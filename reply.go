package wechat

import (
	"errors"
	"mime"
	"net/http"
	"reflect"
	"strings"

	"github.com/seed175cf469/wechat/internal/wire"
)

const (
	maxJSON = 10 << 20 // bytes of a JSON reply
	maxBlob = 64 << 20 // bytes of a file, unless WithMaxBlob says otherwise
)

// failure reads what the server says of a call. found is false when the body is a usable reply without an
// errcode; err says that there is no usable reply.
func (p *plan) failure(product *Product, status int, h http.Header, body []byte) (code Code, message string, err error) {
	if product.Failure != nil {
		code, message = product.Failure(status, h, body)
		return code, message, nil
	}
	if p.hasBlob && !wire.LooksLikeJSON(body) {
		if len(body) == 0 {
			return 0, "", wire.ErrEmpty
		}
		return 0, "", nil
	}
	n, message, _, err := wire.Failure(body)
	if err != nil && p.hasBlob && !errors.Is(err, wire.ErrEmpty) {
		return 0, "", nil // a file that begins with a brace
	}
	return Code(n), message, err
}

// decode fills res, a pointer, from a reply that says success.
func (p *plan) decode(h http.Header, body []byte, res any) error {
	if !p.reply || res == nil {
		return nil
	}
	v := reflect.ValueOf(res).Elem()
	v.SetZero() // an earlier attempt may have left something
	if !p.hasBlob {
		return wire.Unmarshal(body, res)
	}
	if wire.LooksLikeJSON(body) {
		_, _, found, err := wire.Failure(body)
		if err == nil && (found || p.hasJSON) {
			if !p.hasJSON {
				return errors.New("JSON where a file was expected")
			}
			return wire.Unmarshal(body, res)
		}
	}
	blob := Blob{Name: dispositionName(h), ContentType: contentType(h, body), Data: body}
	if len(p.blob) == 0 {
		v.Set(reflect.ValueOf(blob))
	} else {
		v.FieldByIndex(p.blob).Set(reflect.ValueOf(blob))
	}
	return nil
}

// contentType goes by the bytes, as the server labels images text/plain; what cannot be told from them is
// what the server says.
func contentType(h http.Header, body []byte) string {
	sniffed := http.DetectContentType(body)
	if said := h.Get("Content-Type"); said != "" && (sniffed == "application/octet-stream" || strings.HasPrefix(sniffed, "text/plain")) {
		return said
	}
	return sniffed
}

// dispositionName is the file name of a download; WeChat sends it as raw UTF-8, which mime refuses.
func dispositionName(h http.Header) string {
	disposition := h.Get("Content-Disposition")
	if _, params, err := mime.ParseMediaType(disposition); err == nil {
		return params["filename"]
	}
	_, name, ok := strings.Cut(disposition, "filename=")
	if !ok {
		return ""
	}
	name, _, _ = strings.Cut(name, ";")
	return strings.Trim(strings.TrimSpace(name), `"`)
}
