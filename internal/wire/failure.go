package wire

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
)

// ErrNoCode says that a reply has an errcode that is not a number.
var ErrNoCode = errors.New("errcode is not a number")

// LooksLikeJSON tells whether a body begins as a JSON object or list does. It is
// how a reply that is a file is told from an error, as content types are not to
// be trusted.
func LooksLikeJSON(data []byte) bool {
	s, err := body(data)
	return err == nil && (s.peek() == '{' || s.peek() == '[')
}

// Failure finds errcode and errmsg at the top of a JSON object. The errcode may
// be a number, a number in quotes or a float such as 40001.0, and its key is
// spelled in either case. found is false if there is none. Where it stands more
// than once, a code that is not zero wins, with the last errmsg.
//
// An error is never a success: ErrEmpty and ErrNotJSON say that the body is not
// one whole JSON object, ErrNoCode that the errcode cannot be read.
func Failure(data []byte) (code int, message string, found bool, err error) {
	s, err := body(data)
	if err != nil {
		return 0, "", false, err
	}
	var text []byte
	unreadable := false
	ok := s.object(func(key []byte) bool {
		switch {
		case isKey(key, "errcode"):
			n, number, ok := s.code()
			found = true
			if !number {
				unreadable = true
			} else if n != 0 {
				code = n
			}
			return ok
		case isKey(key, "errmsg") && s.peek() == '"':
			var ok bool
			text, ok = s.text()
			return ok
		default:
			return s.skip()
		}
	})
	if !ok || !s.atEnd() {
		return 0, "", false, ErrNotJSON
	}
	if unreadable && code == 0 {
		return 0, "", true, ErrNoCode
	}
	if string(text) == "ok" {
		return code, "ok", found, nil
	}
	return code, unquote(text), found, nil
}

// isKey compares a key as it is written, perhaps with escapes, with a name.
func isKey(key []byte, name string) bool {
	if len(key) > len(name) && bytes.IndexByte(key, '\\') >= 0 {
		key = []byte(unquote(key))
	}
	return string(key) == name || len(key) == len(name) && bytes.EqualFold(key, []byte(name))
}

// code reads a value that should be an errcode. number is false if it is
// none, ok if it is not even JSON.
func (s *scanner) code() (n int, number, ok bool) {
	var raw []byte
	switch s.peek() {
	case '"':
		raw, ok = s.text()
	case '{', '[':
		return 0, false, s.skip()
	default:
		raw, ok = s.literal()
	}
	if !ok {
		return 0, false, false
	}
	if n, err := strconv.Atoi(string(raw)); err == nil {
		return n, true, true
	}
	if digits, whole := wholeNumber(strings.TrimSpace(string(raw))); whole {
		n, err := strconv.Atoi(digits)
		return n, err == nil, true
	}
	return 0, false, true
}
