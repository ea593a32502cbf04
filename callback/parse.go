package callback

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// format is how a body is written. The platform's console decides it; a body shows it by its first byte.
type format uint8

const (
	formatXML format = iota + 1
	formatJSON
)

// maxDepth is how deep a body may be nested; the deepest that is documented, an approval, has seven levels. maxTokens
// is how many tags, texts and values it may have: a body of nothing else takes long to read, and is read before its
// signature is checked.
const (
	maxDepth  = 32
	maxTokens = 50_000
)

// node is an element of XML, or a member of a JSON object. The elements of a JSON array are members of one name, as
// they are in XML, so that both formats have one shape.
type node struct {
	name, text string
	kids       []node
	number     bool // written without quotes
	list       bool // one of an array
}

// get gives the text of the last child of a name, as written or, failing that, in another spelling.
func (n *node) get(name string) string {
	found := n.find(name)
	if len(found) == 0 {
		return ""
	}
	return found[len(found)-1].text
}

// find gives the children of a name. Those that are spelt so outdo those that differ in case and underscores only
// (MsgId and MsgID, trace_id and TraceId), as the platform uses both.
func (n *node) find(name string) []*node {
	var exact, similar []*node
	for i := range n.kids {
		switch kid := &n.kids[i]; {
		case kid.name == name:
			exact = append(exact, kid)
		case exact == nil && sameName(kid.name, name):
			similar = append(similar, kid)
		}
	}
	if exact != nil {
		return exact
	}
	return similar
}

// sameName compares names of fields without regard to the case of letters and to underscores.
func sameName(a, b string) bool {
	i, j := 0, 0
	for {
		for i < len(a) && a[i] == '_' {
			i++
		}
		for j < len(b) && b[j] == '_' {
			j++
		}
		if i == len(a) || j == len(b) {
			return i == len(a) && j == len(b)
		}
		if lower(a[i]) != lower(b[j]) {
			return false
		}
		i, j = i+1, j+1
	}
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// The reasons why a body cannot be read. They show nothing of it.
var (
	errFormat  = errors.New("the body is neither XML nor JSON")
	errXML     = errors.New("the body is not well-formed XML")
	errJSON    = errors.New("the body is not well-formed JSON")
	errDoctype = errors.New("the body has a DOCTYPE")
	errDepth   = fmt.Errorf("the body is nested deeper than %d levels", maxDepth)
	errTokens  = fmt.Errorf("the body has more than %d tags, texts and values", maxTokens)
)

// parse reads a body. With a name it stops at the first child that has it and keeps nothing else, so that what is
// not signed yet is not read.
func parse(body []byte, only ...string) (*node, format, error) {
	body = bytes.TrimLeft(bytes.TrimPrefix(body, []byte("\uFEFF")), " \t\r\n")
	wanted := func(name string) bool { return len(only) == 0 || sameName(name, only[0]) }
	switch {
	case bytes.HasPrefix(body, []byte("<")):
		n, err := parseXML(clean(body), wanted, len(only) > 0)
		return n, formatXML, err
	case bytes.HasPrefix(body, []byte("{")):
		n, err := parseJSON(escapeSpace(clean(body)), wanted, len(only) > 0)
		return n, formatJSON, err
	}
	return nil, 0, errFormat
}

// xmlReader is a strict decoder that knows no entities but the five, and tires.
type xmlReader struct {
	*xml.Decoder
	read int
}

// next gives the next token; no DOCTYPE.
func (d *xmlReader) next() (xml.Token, error) {
	if d.read++; d.read > maxTokens {
		return nil, errTokens
	}
	token, err := d.Token()
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, errXML
	}
	if _, ok := token.(xml.Directive); ok {
		return nil, errDoctype
	}
	return token, err
}

func parseXML(body []byte, wanted func(string) bool, first bool) (*node, error) {
	d := &xmlReader{Decoder: xml.NewDecoder(bytes.NewReader(body))}
	var top node // holds the root
	open := []*node{&top}
	var text []byte // since the last element was opened
	for {
		token, err := d.next()
		if errors.Is(err, io.EOF) {
			if len(top.kids) == 0 {
				return nil, errXML
			}
			return &top.kids[0], nil
		}
		if err != nil {
			return nil, err
		}
		parent := open[len(open)-1]
		switch t := token.(type) {
		case xml.StartElement:
			if len(open) > maxDepth {
				return nil, errDepth
			}
			if len(open) == 1 && len(top.kids) == 1 {
				return nil, errXML // a second root
			}
			if len(open) == 2 && !wanted(t.Name.Local) {
				if err := skip(d); err != nil {
					return nil, err
				}
				continue
			}
			parent.kids = append(parent.kids, node{name: t.Name.Local})
			open = append(open, &parent.kids[len(parent.kids)-1]) // nobody appends to these kids before it is closed
			text = text[:0]
		case xml.EndElement:
			if parent.kids == nil {
				parent.text = string(text)
			}
			open = open[:len(open)-1]
			if first && len(open) == 2 {
				return &top.kids[0], nil
			}
		case xml.CharData:
			text = append(text, t...)
		}
	}
}

// skip passes over the rest of an element at the second level.
func skip(d *xmlReader) error {
	for depth := 2; depth > 1; {
		token, err := d.next()
		if err != nil {
			return err
		}
		switch token.(type) {
		case xml.StartElement:
			if depth++; depth > maxDepth {
				return errDepth
			}
		case xml.EndElement:
			depth--
		}
	}
	return nil
}

// jsonReader builds the tree of a JSON body.
type jsonReader struct {
	*json.Decoder
	wanted func(string) bool
	first  bool
	read   int
}

func (r *jsonReader) next() (json.Token, error) {
	if r.read++; r.read > maxTokens {
		return nil, errTokens
	}
	return r.Token()
}

// errFound ends the reading of a body of which one member was wanted.
var errFound = errors.New("found")

func parseJSON(body []byte, wanted func(string) bool, first bool) (*node, error) {
	r := &jsonReader{Decoder: json.NewDecoder(bytes.NewReader(body)), wanted: wanted, first: first}
	r.UseNumber()
	var top node
	err := r.value(&top, "", 0)
	if err == nil {
		if _, err = r.next(); errors.Is(err, io.EOF) {
			return &top.kids[0], nil
		}
	}
	switch {
	case errors.Is(err, errFound):
		return &top.kids[0], nil
	case errors.Is(err, errDepth), errors.Is(err, errTokens):
		return nil, err
	}
	return nil, errJSON
}

// value reads the next value into a child of parent; an array into one child for each element.
func (r *jsonReader) value(parent *node, name string, depth int) error {
	token, err := r.next()
	if err != nil {
		return err
	}
	if depth > maxDepth {
		return errDepth
	}
	n := node{name: name}
	switch t := token.(type) {
	case json.Delim:
		if t == '[' {
			for r.More() {
				if err := r.value(parent, name, depth+1); err != nil {
					return err
				}
			}
			_, err := r.next()
			return err
		}
		parent.kids = append(parent.kids, n)
		return r.members(&parent.kids[len(parent.kids)-1], depth)
	case string:
		n.text = printable(t)
	case json.Number:
		n.text = t.String()
	case bool:
		n.text = fmt.Sprint(t)
	}
	parent.kids = append(parent.kids, n)
	return nil
}

func (r *jsonReader) members(n *node, depth int) error {
	for r.More() {
		key, err := r.next()
		if err != nil {
			return err
		}
		name, _ := key.(string)
		keep := n
		if depth == 0 && !r.wanted(name) {
			keep = new(node)
		}
		if err := r.value(keep, name, depth+1); err != nil {
			return err
		}
		if depth == 0 && r.first && keep == n {
			return errFound
		}
	}
	_, err := r.next()
	return err
}

// forbidden reports whether XML 1.0 has no place for a character. People's messages have such characters all the
// same, and the platform passes them on.
func forbidden(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == '\uFFFE' || r == '\uFFFF'
}

// clean drops forbidden characters and puts U+FFFD for what is not UTF-8.
func clean(b []byte) []byte {
	if utf8.Valid(b) && bytes.IndexFunc(b, forbidden) < 0 {
		return b
	}
	out := make([]byte, 0, len(b)+utf8.UTFMax)
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		if !forbidden(r) {
			out = utf8.AppendRune(out, r)
		}
		b = b[size:]
	}
	return out
}

// printable is clean for text.
func printable(s string) string {
	if utf8.ValidString(s) && strings.IndexFunc(s, forbidden) < 0 {
		return s
	}
	return string(clean([]byte(s)))
}

// escapeSpace escapes line ends and tabs inside of JSON's strings, where they must not stand as they are.
func escapeSpace(b []byte) []byte {
	if !bytes.ContainsAny(b, "\t\n\r") {
		return b
	}
	out := make([]byte, 0, len(b)+len(b)/16)
	inside, escaped := false, false
	for _, c := range b {
		switch {
		case inside && (c == '\t' || c == '\n' || c == '\r'):
			out = append(out, '\\', "tn  r"[c-'\t']) // \t, \n and \r are 9, 10 and 13
			escaped = false
			continue
		case escaped:
			escaped = false
		case c == '\\':
			escaped = inside
		case c == '"':
			inside = !inside
		}
		out = append(out, c)
	}
	return out
}
