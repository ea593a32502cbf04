package wire

import (
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
func isSecret(name string) bool {
	name = strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
	for _, ending := range secretEndings {
		if strings.HasSuffix(name, ending) {
			return true
		}
	}
	return secretNames[name]
}

// Redact returns text with the values of secret parameters and fields replaced
// by REDACTED: in query strings and forms, percent-encoded ones inside others
// too; in JSON, also where it is quoted inside a string; and in XML.
func Redact(text string) string {
	var out strings.Builder
	done := 0 // all before this is in out
	for i := 0; i < len(text); {
		name, end := word(text, i)
		if name == "" {
			i = end
			continue
		}
		start := i
		i = end
		if !isSecret(name) {
			continue
		}
		for _, v := range secretValues(text, start, end) {
			out.WriteString(text[done:v.start])
			out.WriteString(masked)
			done = v.end
			i = v.end
		}
	}
	if done == 0 {
		return text
	}
	out.WriteString(text[done:])
	return out.String()
}

// span is a part of a text.
type span struct{ start, end int }

// char reads the character at i, which may be percent-encoded, even more than
// once: %41, %2541. level counts the encodings.
func char(text string, i int) (c byte, level, size int) {
	if text[i] != '%' {
		return text[i], 0, 1
	}
	n := i + 1
	for level = 1; strings.HasPrefix(text[n:], "25"); level++ {
		n += 2
	}
	if n+2 <= len(text) {
		high, ok1 := unhex(text[n])
		low, ok2 := unhex(text[n+1])
		if ok1 && ok2 {
			return high<<4 | low, level, n + 2 - i
		}
	}
	return '%', 0, 1
}

// word reads the name at i, which may be percent-encoded. Where none is, it
// returns what comes next.
func word(text string, i int) (name string, end int) {
	var decoded []byte
	for end = i; end < len(text); {
		c, level, size := char(text, end)
		if !isWord(c) {
			if end == i {
				end += size
			}
			break
		}
		if level > 0 && decoded == nil {
			decoded = append(make([]byte, 0, 32), text[i:end]...)
		}
		if decoded != nil {
			decoded = append(decoded, c)
		}
		end += size
	}
	switch {
	case decoded != nil:
		return string(decoded), end
	case end > i && isWord(text[i]):
		return text[i:end], end
	}
	return "", end
}

func isWord(c byte) bool { return isASCIILetter(rune(c)) || isDigit(c) || c == '_' || c == '-' }

// secretValues finds the values that belong to the name between start and end.
func secretValues(text string, start, end int) []span {
	if end == len(text) {
		return nil
	}
	switch c, level, size := char(text, end); {
	case c == '=':
		return []span{formValue(text, end+size, level)}
	case c == '>' && start > 0 && text[start-1] == '<':
		return []span{xmlValue(text, end+1)}
	}
	q, ok := quoteAt(text, end)
	if !ok {
		return nil
	}
	i := skipSpace(text, q.end)
	if i == len(text) {
		return nil
	}
	c, _, size := char(text, i)
	if c != ':' {
		return nil
	}
	return jsonValues(text, skipSpace(text, i+size))
}

// formValue finds the value that starts at i. In a form that is encoded inside
// another one, an encoded & ends it too.
func formValue(text string, i, level int) span {
	v := span{i, i}
	for v.end < len(text) {
		c, l, size := char(text, v.end)
		if l == 0 && strings.IndexByte("&;#<>\"'`\\ \t\r\n", c) >= 0 || l > 0 && l <= level && (c == '&' || c == '#') {
			break
		}
		v.end += size
	}
	return v
}

// xmlValue finds the text or CDATA of an element that starts at i.
func xmlValue(text string, i int) span {
	end := "<"
	if cdata := "<![CDATA["; strings.HasPrefix(text[i:], cdata) {
		i, end = i+len(cdata), "]]>"
	}
	if n := strings.Index(text[i:], end); n >= 0 {
		return span{i, i + n}
	}
	return span{i, len(text)}
}

// quote is a quotation mark as it stands in a text: JSON in a string has
// backslashes before it, JSON in a query string has it percent-encoded.
type quote struct {
	mark             byte
	level            int
	backslashes, end int
}

func quoteAt(text string, i int) (q quote, ok bool) {
	for i < len(text) {
		c, level, size := char(text, i)
		i += size
		switch c {
		case '\\':
			q.backslashes++
		case '"', '\'':
			q.mark, q.level, q.end = c, level, i
			return q, true
		default:
			return q, false
		}
	}
	return q, false
}

func skipSpace(text string, i int) int {
	for i < len(text) {
		c, level, size := char(text, i)
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' && !(c == '+' && level == 0) {
			break
		}
		i += size
	}
	return i
}

// jsonValues finds the value that starts at i, or if it is a list those in it.
func jsonValues(text string, i int) (values []span) {
	inList := false
	for i < len(text) {
		c, _, size := char(text, i)
		switch {
		case c == '[':
			inList = true
			i = skipSpace(text, i+size)
			continue
		case c == '{' || c == ']':
			return values
		}
		var v span
		if q, ok := quoteAt(text, i); ok {
			v, i = stringValue(text, q)
		} else {
			v = bareValue(text, i)
			i = v.end
		}
		if word := text[v.start:v.end]; word != "" && word != "null" && word != "true" && word != "false" {
			values = append(values, v)
		}
		if i = skipSpace(text, i); !inList || i == len(text) {
			return values
		}
		if c, _, size = char(text, i); c != ',' {
			return values
		}
		i = skipSpace(text, i+size)
	}
	return values
}

// stringValue finds the inside of a string, given its opening quote. At the
// depth where a quote has n backslashes, a backslash of the text has 2(n+1) and
// a quote of the text 2n+1, so that the count before a quote tells them apart.
func stringValue(text string, q quote) (v span, next int) {
	run, runStart := 0, q.end
	for i := q.end; i < len(text); {
		c, level, size := char(text, i)
		switch {
		case c == '\\':
			if run == 0 {
				runStart = i
			}
			run++
			i += size
			continue
		case c == q.mark && level <= q.level && run%(2*(q.backslashes+1)) <= q.backslashes:
			end := i
			if run > 0 {
				end = max(runStart, i-q.backslashes*((i-runStart)/run))
			}
			return span{q.end, end}, i + size
		}
		run = 0
		i += size
	}
	return span{q.end, len(text)}, len(text)
}

// bareValue finds a number or word.
func bareValue(text string, i int) span {
	v := span{i, i}
	for v.end < len(text) {
		c, _, size := char(text, v.end)
		if strings.IndexByte(",}]&\"'\\ \t\r\n", c) >= 0 {
			break
		}
		v.end += size
	}
	return v
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
