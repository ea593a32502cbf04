package catalog

import (
	"errors"
	"fmt"
	"strings"
)

// maxDepth bounds nesting, so that a broken file cannot exhaust the stack.
const maxDepth = 64

// parseFields reads the fields of a query, a request or a reply:
//
//	touser! string; miniprogram {appid! string; pagepath string}; data! map[string]{value! string}
//
// "-" is nothing. A body that is not an object of fields is written as its type alone, which comes first where JSON
// can stand in its place ("bytes; video_url string").
func parseFields(s string) (map[string]*Type, error) {
	if s == "-" {
		return nil, nil
	}
	first, rest, more := strings.Cut(s, "; ")
	if first != "bytes" && first != "any" {
		p := &fieldParser{s: s}
		fields, err := p.fields()
		if err == nil && p.s != "" {
			err = fmt.Errorf("%.20q follows what is complete", p.s)
		}
		return fields, err
	}
	fields := map[string]*Type{}
	if more {
		var err error
		if fields, err = parseFields(rest); err != nil {
			return nil, err
		}
		if fields[Whole] != nil || len(fields) == 0 {
			return nil, fmt.Errorf("fields must follow %q", first)
		}
	}
	fields[Whole] = &Type{Kind: first}
	return fields, nil
}

// fieldParser eats s from the left.
type fieldParser struct {
	s     string
	depth int
}

// take removes prefix where s begins with it.
func (p *fieldParser) take(prefix string) bool {
	rest, ok := strings.CutPrefix(p.s, prefix)
	p.s = rest
	return ok
}

// word removes the longest prefix without a mark of the notation.
func (p *fieldParser) word() string {
	end := strings.IndexAny(p.s, " ;{}[]")
	if end < 0 {
		end = len(p.s)
	}
	word := p.s[:end]
	p.s = p.s[end:]
	return word
}

// fields reads "name type; name type" up to what can be none.
func (p *fieldParser) fields() (map[string]*Type, error) {
	fields := map[string]*Type{}
	for {
		name, required := strings.CutSuffix(p.word(), "!")
		if name == "" {
			return nil, fmt.Errorf("a field name is missing at %.20q", p.s)
		}
		if fields[name] != nil {
			return nil, fmt.Errorf("%s stands twice", name)
		}
		if !p.take(" ") {
			return nil, fmt.Errorf("%s has no type", name)
		}
		t, err := p.typ()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		t.Required = required
		fields[name] = t
		if !p.take("; ") {
			return fields, nil
		}
	}
}

func (p *fieldParser) typ() (*Type, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, errors.New("nested too deep")
	}
	defer func() { p.depth-- }()
	switch {
	case p.take("{}"): // nothing is known of it, or it has no fields: its presence says something
		return &Type{Kind: "object"}, nil
	case p.take("{"):
		fields, err := p.fields()
		if err != nil {
			return nil, err
		}
		if !p.take("}") {
			return nil, errors.New("a brace stays open")
		}
		return &Type{Kind: "object", Fields: fields}, nil
	case p.take("[]"):
		elem, err := p.typ()
		return &Type{Kind: "list", Elem: elem}, err
	case p.take("map[string]"):
		elem, err := p.typ()
		return &Type{Kind: "map", Elem: elem}, err
	}
	switch word := p.word(); word {
	case "string", "int", "float", "bool", "any", "file":
		return &Type{Kind: word}, nil
	case "int64":
		return &Type{Kind: "int", Wide: true}, nil
	default:
		return nil, fmt.Errorf("unknown type %q", word)
	}
}
