package wire

import (
	"net/netip"
	"strings"
)

// RequestID returns the id by which WeChat knows a request, from the end of an
// error text: "... rid: 65000000-0badcafe-00000001", or in older texts and on
// WeCom "... hint: [1700000000_1_0123]". It is empty if there is none.
func RequestID(message string) string {
	if tail, ok := after(message, "rid"); ok {
		end := strings.IndexFunc(tail, func(r rune) bool { return r != '-' && !isASCIILetter(r) && (r < '0' || r > '9') })
		if end < 0 {
			end = len(tail)
		}
		if end > 0 {
			return tail[:end]
		}
	}
	if tail, ok := after(message, "hint"); ok && strings.HasPrefix(tail, "[") {
		inside, _, closed := strings.Cut(tail[1:], "]")
		// Some have it as "[req_id: abc]".
		if words := strings.Fields(inside); closed && len(words) > 0 {
			return words[len(words)-1]
		}
	}
	return ""
}

// after returns what follows the last "label:" that is a word of its own.
func after(message, label string) (tail string, ok bool) {
	for end := len(message); ; {
		i := strings.LastIndex(message[:end], label)
		if i < 0 {
			return "", false
		}
		tail, ok := strings.CutPrefix(strings.TrimLeft(message[i+len(label):], " "), ":")
		if ok && (i == 0 || !isASCIILetter(rune(message[i-1])) && message[i-1] != '_') {
			return strings.TrimLeft(tail, " "), true
		}
		end = i
	}
}

func isASCIILetter(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' }

// CallerIP returns the address from which WeChat saw a request come, from error
// texts such as "invalid ip 203.0.113.7 ipv6 ::ffff:203.0.113.7, not in
// whitelist" and "... from ip: 203.0.113.7, more info at ...". It is what has to be
// added to the list of allowed addresses. It is empty if there is none.
func CallerIP(message string) string {
	named := false
	for word := range strings.FieldsSeq(message) {
		if rest, ok := strings.CutPrefix(word, "ip:"); ok {
			named, word = true, rest
		}
		if named {
			if ip, err := netip.ParseAddr(strings.TrimRight(word, ",;.")); err == nil {
				return ip.Unmap().String()
			}
		}
		named = word == "" || word == "ip" || word == "ipv6"
	}
	return ""
}
