package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"unicode/utf16"
	"unicode/utf8"
)

// ErrEmpty says that a reply has no body, or one of white space only.
var ErrEmpty = errors.New("empty body")

// ErrNotJSON says that a body is no JSON, or JSON of another kind than the one
// asked for: a gateway's page, a reply that was cut, something after the end.
var ErrNotJSON = errors.New("not JSON")

// maxDepth is how deep values may be nested, the same as in encoding/json.
const maxDepth = 10000

var byteOrderMark = []byte("\xef\xbb\xbf")

// scanner walks over JSON as it is found on the wire. Unlike encoding/json it
// takes raw control characters in strings and bytes that are not UTF-8. Its
// methods report false where even that is broken, with pos at the place.
type scanner struct {
	data  []byte
	pos   int
	depth int
}

// body returns a scanner at the first byte that counts, or ErrEmpty.
func body(data []byte) (scanner, error) {
	s := scanner{data: bytes.TrimPrefix(data, byteOrderMark)}
	s.space()
	if s.pos == len(s.data) {
		return s, ErrEmpty
	}
	return s, nil
}

// space skips white space.
func (s *scanner) space() {
	for s.pos < len(s.data) && isSpace(s.data[s.pos]) {
		s.pos++
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// peek returns the next byte that is not white space; 0 at the end.
func (s *scanner) peek() byte {
	s.space()
	if s.pos == len(s.data) {
		return 0
	}
	return s.data[s.pos]
}

// take skips c if it is next.
func (s *scanner) take(c byte) bool {
	s.space()
	if s.pos == len(s.data) || s.data[s.pos] != c {
		return false
	}
	s.pos++
	return true
}

// text reads a string and returns what stands between its quotes.
func (s *scanner) text() (raw []byte, ok bool) {
	if !s.take('"') {
		return nil, false
	}
	rest := s.data[s.pos:]
	for i := 0; i < len(rest); i++ {
		switch rest[i] {
		case '"':
			s.pos += i + 1
			return rest[:i], true
		case '\\':
			n := escapeLen(rest[i:])
			if n == 0 {
				return nil, false
			}
			i += n - 1
		}
	}
	return nil, false
}

// escapeLen returns the length of the escape at the start of b, 0 if it is none.
func escapeLen(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if _, ok := hex4(b[2:]); ok {
			return 6
		}
	}
	return 0
}

// literal reads a number, true, false or null and returns it.
func (s *scanner) literal() (raw []byte, ok bool) {
	s.space()
	start := s.pos
	for s.pos < len(s.data) && !endsLiteral(s.data[s.pos]) {
		s.pos++
	}
	raw = s.data[start:s.pos]
	switch string(raw) {
	case "true", "false", "null":
		return raw, true
	}
	if isNumber(raw) {
		return raw, true
	}
	s.pos = start
	return nil, false
}

func endsLiteral(c byte) bool { return c == ',' || c == '}' || c == ']' || isSpace(c) }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isNumber tells whether b is a number as JSON writes them.
func isNumber(b []byte) bool {
	digits := func() bool {
		n := 0
		for n < len(b) && isDigit(b[n]) {
			n++
		}
		b = b[n:]
		return n > 0
	}
	if len(b) > 0 && b[0] == '-' {
		b = b[1:]
	}
	if len(b) > 1 && b[0] == '0' && isDigit(b[1]) || !digits() {
		return false
	}
	if len(b) > 0 && b[0] == '.' {
		if b = b[1:]; !digits() {
			return false
		}
	}
	if len(b) > 0 && (b[0] == 'e' || b[0] == 'E') {
		b = b[1:]
		if len(b) > 0 && (b[0] == '+' || b[0] == '-') {
			b = b[1:]
		}
		if !digits() {
			return false
		}
	}
	return len(b) == 0
}

// skip reads any value.
func (s *scanner) skip() bool {
	ok := false
	switch s.peek() {
	case '"':
		_, ok = s.text()
	case '{':
		ok = s.object(func([]byte) bool { return s.skip() })
	case '[':
		ok = s.list(func(int) bool { return s.skip() })
	default:
		_, ok = s.literal()
	}
	return ok
}

// object reads an object; member is called with each key as it is written and
// reads the value.
func (s *scanner) object(member func(key []byte) bool) bool {
	return s.sequence('{', '}', func(int) bool {
		key, ok := s.text()
		return ok && s.take(':') && member(key)
	})
}

// list reads a list; element reads each of its values.
func (s *scanner) list(element func(i int) bool) bool {
	return s.sequence('[', ']', element)
}

func (s *scanner) sequence(open, end byte, item func(i int) bool) bool {
	if s.depth == maxDepth || !s.take(open) {
		return false
	}
	s.depth++
	ok := s.take(end)
	for i := 0; !ok && item(i); i++ {
		if ok = s.take(end); !ok && !s.take(',') {
			break
		}
	}
	s.depth--
	return ok
}

// atEnd tells whether nothing but white space is left.
func (s *scanner) atEnd() bool {
	s.space()
	return s.pos == len(s.data)
}

// hex4 reads the four digits of a \u escape.
func hex4(b []byte) (r rune, ok bool) {
	if len(b) < 4 {
		return 0, false
	}
	for _, c := range b[:4] {
		d, ok := unhex(c)
		if !ok {
			return 0, false
		}
		r = r<<4 | rune(d)
	}
	return r, true
}

func unhex(c byte) (digit byte, ok bool) {
	switch {
	case '0' <= c && c <= '9':
		return c - '0', true
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10, true
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}

// escapedRune reads the \u escape at the start of b, or the two of a surrogate
// pair. Half a pair is U+FFFD.
func escapedRune(b []byte) (r rune, size int) {
	r, _ = hex4(b[2:])
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	if len(b) >= 12 && b[6] == '\\' && b[7] == 'u' {
		if low, ok := hex4(b[8:]); ok {
			if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
				return r, 12
			}
		}
	}
	return utf8.RuneError, 6
}

// appendClean appends the inside of a string as strict JSON wants it: control
// characters escaped, bytes that are not UTF-8 replaced by U+FFFD.
func appendClean(out, raw []byte) []byte {
	for len(raw) > 0 {
		r, size := utf8.DecodeRune(raw)
		if r < ' ' {
			const digits = "0123456789abcdef"
			out = append(out, '\\', 'u', '0', '0', digits[r>>4], digits[r&15])
		} else {
			out = utf8.AppendRune(out, r)
		}
		raw = raw[size:]
	}
	return out
}

// unquote returns the text of a string, given what stands between its quotes.
func unquote(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
		return string(raw)
	}
	quoted := append(appendClean([]byte{'"'}, raw), '"')
	var text string
	if err := json.Unmarshal(quoted, &text); err != nil {
		return "" // not reached: the scanner has checked the escapes
	}
	return text
}
