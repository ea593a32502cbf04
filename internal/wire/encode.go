package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// Marshal encodes v as JSON in the spelling that WeChat takes: every character
// as raw UTF-8, because menus refuse escapes of the form \u0026 and messages
// show them to people as they stand. Only control characters, quotes and
// backslashes are escaped. That holds for whatever v contains, a
// json.RawMessage or the output of a MarshalJSON method too.
//
// Text that is not valid UTF-8 is an error, never replaced. An escape of U+FFFD
// or of half a surrogate pair in raw JSON counts as such text.
func Marshal(v any) ([]byte, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	if body, err = unescape(body); err != nil {
		return nil, err
	}
	if !utf8.Valid(body) {
		return nil, invalidText(invalidUTF8(body))
	}
	return body, nil
}

func invalidText(offset int) error {
	return fmt.Errorf("encode request: text is not valid UTF-8 at byte %d of the body", offset)
}

// invalidUTF8 returns the offset of the first byte that is not UTF-8.
func invalidUTF8(b []byte) int {
	for i := 0; i < len(b); {
		r, size := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return len(b)
}

// unescape replaces the \u escapes in valid JSON by the characters themselves,
// in place: no character is longer than its escape. Only control characters
// keep theirs.
func unescape(b []byte) ([]byte, error) {
	start := bytes.Index(b, []byte(`\u`))
	if start < 0 {
		return b, nil
	}
	// The escape may be the second half of \\u: start where escapes are whole.
	start = bytes.IndexByte(b, '\\')
	out := b[:start]
	for i := start; i < len(b); {
		if b[i] != '\\' {
			out = append(out, b[i])
			i++
			continue
		}
		if b[i+1] != 'u' {
			out = append(out, b[i], b[i+1])
			i += 2
			continue
		}
		r, size := escapedRune(b[i:])
		switch {
		case r == utf8.RuneError:
			// encoding/json writes this escape where a string was not UTF-8; a
			// real U+FFFD it writes as it is.
			return nil, invalidText(len(out))
		case r < ' ':
			out = append(out, b[i:i+size]...)
		case r == '"' || r == '\\':
			out = append(out, '\\', byte(r))
		default:
			out = utf8.AppendRune(out, r)
		}
		i += size
	}
	return out, nil
}
