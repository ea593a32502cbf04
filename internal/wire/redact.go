package wire

import (
	"bytes"
	"net/url"
	"strings"
)

// masked stands in for a secret.
const masked = "REDACTED"

// secretNames are the parameters and fields whose values are secrets, in the
// spelling of normal. Names that end as in secretEndings are secrets too.
var secretNames = map[string]bool{
	"aeskey": true, "apikey": true, "authcode": true, "authorizationcode": true, "code": true,
	"encodingaeskey": true, "encryptkey": true, "jscode": true, "key": true, "mchkey": true,
	"password": true, "permanentcode": true, "preauthcode": true, "privatekey": true,
	"sessionkey": true, "tfacode": true,
}

var secretEndings = []string{"secret", "ticket", "token"}

// isSecret tells whether a parameter or field of that name holds a secret. Case, "_"
// and "-" do not count: suite_ticket is SuiteTicket in XML.
func isSecret(name []byte) bool {
	plain := make([]byte, 0, 64)
	for _, c := range name {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != '_' && c != '-' {
			plain = append(plain, c)
		}
	}
	for _, ending := range secretEndings {
		if bytes.HasSuffix(plain, []byte(ending)) {
			return true
		}
	}
	return secretNames[string(plain)]
}

// Redact returns text with the values of secret parameters and fields replaced
// by REDACTED: in query strings and forms, percent-encoded ones inside others
// too; in JSON, also where it is quoted inside a string; and in XML.
func Redact(text string) string {
	for {
		safe := redactOnce(text)
		if safe == text {
			return text
		}
		text = safe // what was masked may have hidden where another value ends
	}
}

// minEcho is the length from which a secret is looked for by itself: a shorter one may be a part of any word.
const minEcho = 8

// RedactEcho is Redact for what a server answered to a request with that query:
// a secret of the query is masked also where the answer repeats it without its name.
func RedactEcho(text, query string) string {
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if len(value) < minEcho || !isSecret([]byte(name)) {
			continue
		}
		if plain, err := url.QueryUnescape(value); err == nil {
			text = strings.ReplaceAll(text, plain, masked)
		}
		text = strings.ReplaceAll(text, value, masked)
	}
	return Redact(text)
}

// redactOnce masks the values that text shows. One may lie in another, or begin in it and end behind it, where a text is
// cut out of a larger one: all of them are masked.
func redactOnce(text string) string {
	var out strings.Builder
	done := 0 // what is before it is in out
	var before byte
	name := make([]byte, 0, 64)
	for i := 0; i < len(text); {
		s := symbolAt(text, i)
		i += s.size
		if !isWord(s.char) {
			before = s.char
			continue
		}
		hidden := i <= done // a name in a value that is masked
		name = append(name[:0], s.char)
		for i < len(text) {
			if s = symbolAt(text, i); !isWord(s.char) {
				break
			}
			name = append(name, s.char)
			i += s.size
		}
		if i == len(text) || !isSecret(name) {
			continue
		}
		for _, v := range secretValues(text, i, before == '<') {
			if v.end <= done || hidden && v.start >= done {
				continue
			}
			if v.start >= done {
				out.WriteString(text[done:v.start])
				out.WriteString(masked)
			}
			done = v.end
		}
	}
	if done == 0 {
		return text
	}
	out.WriteString(text[done:])
	return out.String()
}

func isWord(c byte) bool { return isASCIILetter(rune(c)) || isDigit(c) || c == '_' || c == '-' }

// symbol is a character as it stands in a text.
type symbol struct {
	char    byte
	size    int
	percent int  // how often it is percent-encoded: %26 once, %2526 twice
	escaped bool // written as in JSON: \u0026, or more backslashes for JSON in a string
}

// maxNesting bounds how often a symbol may be encoded, so that a text of nothing
// but backslashes is read in one go.
const maxNesting = 6

func symbolAt(text string, i int) symbol {
	plain := symbol{char: text[i], size: 1}
	switch text[i] {
	case '%':
		n, percent := i+1, 1
		for percent < maxNesting && strings.HasPrefix(text[n:], "25") {
			n += 2
			percent++
		}
		if c, ok := hex2(text[n:]); ok {
			return symbol{char: c, size: n + 2 - i, percent: percent}
		}
	case '\\':
		n := i
		for n < len(text) && n-i < 1<<maxNesting && text[n] == '\\' {
			n++
		}
		if strings.HasPrefix(text[n:], "u00") {
			if c, ok := hex2(text[n+3:]); ok {
				return symbol{char: c, size: n + 5 - i, escaped: true}
			}
		}
	}
	return plain
}

func hex2(s string) (c byte, ok bool) {
	if len(s) < 2 {
		return 0, false
	}
	high, ok1 := unhex(s[0])
	low, ok2 := unhex(s[1])
	return high<<4 | low, ok1 && ok2
}

// span is a part of a text.
type span struct{ start, end int }

// secretValues finds what belongs to a secret name that ends at i.
func secretValues(text string, i int, tag bool) []span {
	s := symbolAt(text, i)
	switch {
	case s.char == '=':
		return formValue(text, i+s.size, s.percent)
	case s.char == '>' && tag:
		return xmlValue(text, i+s.size)
	}
	q, ok := quoteAt(text, i)
	if !ok {
		return nil
	}
	if i = skipSpace(text, q.end); i == len(text) {
		return nil
	}
	if s = symbolAt(text, i); s.char != ':' {
		return nil
	}
	return jsonValues(text, skipSpace(text, i+s.size))
}

// formValue finds the value that starts at i. In a form that is encoded inside
// another one, an encoded & ends it too.
func formValue(text string, i, percent int) []span {
	end := i
	for end < len(text) {
		s := symbolAt(text, end)
		if s.percent == 0 && strings.IndexByte("&;#<>\"'`\\ \t\r\n", s.char) >= 0 ||
			s.percent > 0 && s.percent <= percent && (s.char == '&' || s.char == '#') {
			break
		}
		end += s.size
	}
	return nonEmpty(i, end)
}

func nonEmpty(start, end int) []span {
	if start == end {
		return nil
	}
	return []span{{start, end}}
}

// xmlValue finds the text or CDATA of an element that starts at i.
func xmlValue(text string, i int) []span {
	const cdata = "![CDATA["
	inCDATA := false
	if i < len(text) {
		if s := symbolAt(text, i); s.char == '<' && strings.HasPrefix(text[i+s.size:], cdata) {
			inCDATA = true
			i += s.size + len(cdata)
		}
	}
	for end := i; end < len(text); {
		s := symbolAt(text, end)
		if inCDATA && s.char == '>' && strings.HasSuffix(text[i:end], "]]") {
			return nonEmpty(i, end-len("]]"))
		}
		if !inCDATA && s.char == '<' {
			return nonEmpty(i, end)
		}
		end += s.size
	}
	return nonEmpty(i, len(text))
}

// quote is a quotation mark as it stands in a text: JSON in a string has
// backslashes before it, JSON in a query string has it percent-encoded.
type quote struct {
	symbol
	backslashes int
	end         int
}

func quoteAt(text string, i int) (q quote, ok bool) {
	for i < len(text) {
		s := symbolAt(text, i)
		i += s.size
		switch s.char {
		case '\\':
			q.backslashes++
		case '"', '\'':
			q.symbol, q.end = s, i
			return q, true
		default:
			return q, false
		}
	}
	return q, false
}

func skipSpace(text string, i int) int {
	for i < len(text) {
		s := symbolAt(text, i)
		if !isSpace(s.char) && (s.char != '+' || s.percent != 0) {
			break
		}
		i += s.size
	}
	return i
}

// jsonValues finds the value that starts at i, or if it is a list those in it.
func jsonValues(text string, i int) (values []span) {
	inList := false
	for i < len(text) {
		s := symbolAt(text, i)
		switch s.char {
		case '[':
			inList = true
			i = skipSpace(text, i+s.size)
			continue
		case '{', ']':
			return values
		}
		var v span
		if q, ok := quoteAt(text, i); ok {
			v, i = stringValue(text, q)
		} else {
			v = bareValue(text, i)
			i = v.end
		}
		switch text[v.start:v.end] {
		case "", "null", "true", "false":
		default:
			values = append(values, v)
		}
		if i = skipSpace(text, i); !inList || i == len(text) {
			break
		}
		if s = symbolAt(text, i); s.char != ',' {
			break
		}
		i = skipSpace(text, i+s.size)
	}
	return values
}

// stringValue finds the inside of a string, given its opening quote. At the
// depth where a quote has n backslashes, a backslash of the text has 2(n+1) and
// a quote of the text 2n+1, so that the count before a quote tells them apart.
func stringValue(text string, q quote) (v span, next int) {
	var backslashes []int // where those right before i are
	for i := q.end; i < len(text); {
		s := symbolAt(text, i)
		n := len(backslashes)
		switch {
		case s.escaped:
			backslashes = backslashes[:0]
		case s.char == '\\':
			backslashes = append(backslashes, i)
		case s.char == q.char && s.percent <= q.percent && n%(2*(q.backslashes+1)) <= q.backslashes:
			end := i
			if own := min(n, q.backslashes); own > 0 {
				end = backslashes[n-own]
			}
			return span{q.end, end}, i + s.size
		default:
			backslashes = backslashes[:0]
		}
		i += s.size
	}
	return span{q.end, len(text)}, len(text)
}

// bareValue finds a number or a word.
func bareValue(text string, i int) span {
	end := i
	for end < len(text) {
		s := symbolAt(text, end)
		if strings.IndexByte("<,}]&\"'\\ \t\r\n", s.char) >= 0 {
			break
		}
		end += s.size
	}
	return span{i, end}
}

// harmless are the query parameters whose values may be shown.
var harmless = map[string]bool{
	"action": true, "agentid": true, "appid": true, "chatid": true, "component_appid": true, "corpid": true,
	"count": true, "cursor": true, "debug": true, "department_id": true, "fetch_child": true, "format": true,
	"grant_type": true, "id": true, "kf_account": true, "lang": true, "limit": true, "media_id": true,
	"next_openid": true, "offset": true, "openid": true, "size": true, "suite_id": true, "type": true,
	"userid": true,
}

// redactURL masks all of a URL that is not known to be harmless.
func redactURL(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		address, _, found := strings.Cut(raw, "?")
		if found {
			address += "?" + masked
		}
		return Redact(address)
	}
	if u.User != nil {
		u.User = url.User(masked)
	}
	if u.Fragment != "" {
		u.Fragment, u.RawFragment = masked, ""
	}
	if u.RawQuery != "" {
		pairs := strings.Split(u.RawQuery, "&")
		for i, pair := range pairs {
			name, _, found := strings.Cut(pair, "=")
			switch decoded, err := url.QueryUnescape(name); {
			case err == nil && harmless[decoded]:
			case err == nil && found:
				pairs[i] = name + "=" + masked
			default:
				pairs[i] = masked
			}
		}
		u.RawQuery = strings.Join(pairs, "&")
	}
	return Redact(u.String())
}
