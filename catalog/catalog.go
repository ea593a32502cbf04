// Package catalog reads the endpoint catalogue, the text files beside it: what is known of every server call of
// the three products. Tests and tools hold the typed endpoints against it. README.md explains the notation.
package catalog

import (
	"embed"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Endpoint is one call of the API as the catalogue has it.
type Endpoint struct {
	Product string // officialaccount, miniprogram or work
	Domain  string // the section it stands in: template, menu, user ...
	Name    string // the Go method
	Method  string // GET or POST
	Path    string // with a leading slash; a whole URL where the call goes to another host than the product's

	Does   string // what it is for
	Effect string // read, set, create, send or upload
	// Recipients are the request fields that name whom the call reaches, as a path from the top of the request
	// ("touser", "payer.openid", "approver[].userid"). Where there are more, they add up or exclude each other.
	Recipients []string

	Query   map[string]*Type // the query string beside access_token
	Request map[string]*Type // the body; under Whole where it is not an object of fields
	Reply   map[string]*Type // without errcode and errmsg; under Whole where it is, or can be, something else

	Limits string   // documented quotas
	Codes  []Code   // errcodes that a caller of this endpoint should know
	Note   string   // what is easily got wrong
	SDKs   []string // the public SDKs that have the call too
	Source string   // where the facts come from
	Pages  []int    // WeCom: the numbers of the official pages

	Where string // file and line of the first line
}

// Official reports whether the facts were checked against the official page.
func (e *Endpoint) Official() bool { return strings.HasPrefix(e.Source, "official") }

// Whole is the name under which a body stands that is not an object of fields: a file's bytes, any JSON value.
const Whole = "$"

// Type is the shape of one JSON value.
type Type struct {
	Kind     string           // string, int (of any width), float, bool, object, list, map, file, bytes or any
	Wide     bool             // an int that needs 64 bits
	Required bool             // in a request: the call fails without it
	Fields   map[string]*Type // of an object
	Elem     *Type            // of a list or a map
}

// Code is an errcode and what it means for the endpoint. Where the catalogue names a range or a pair, Code is the
// first and Last the last of them.
type Code struct {
	Code, Last int
	Means      string
}

//go:embed officialaccount.md miniprogram.md work-core.md work-collab.md
var files embed.FS

// Load reads the whole catalogue, in the order of the files.
func Load() ([]*Endpoint, error) {
	var (
		list []*Endpoint
		errs []error
	)
	for _, f := range []struct{ name, product string }{
		{"officialaccount.md", "officialaccount"},
		{"miniprogram.md", "miniprogram"},
		{"work-core.md", "work"},
		{"work-collab.md", "work"},
	} {
		text, err := files.ReadFile(f.name)
		if err != nil {
			return nil, err
		}
		endpoints, err := Parse(f.product, f.name, string(text))
		list = append(list, endpoints...)
		errs = append(errs, err)
	}
	errs = append(errs, unique(list))
	return list, errors.Join(errs...)
}

// Product reads the endpoints of one product.
func Product(name string) ([]*Endpoint, error) {
	list, err := Load()
	return slices.DeleteFunc(list, func(e *Endpoint) bool { return e.Product != name }), err
}

// unique refuses a method name that a product has twice.
func unique(list []*Endpoint) error {
	var errs []error
	seen := map[string]string{}
	for _, e := range list {
		key := e.Product + "." + e.Name
		if at, ok := seen[key]; ok {
			errs = append(errs, fmt.Errorf("%s: %s stands already at %s", e.Where, e.Name, at))
			continue
		}
		seen[key] = e.Where
	}
	return errors.Join(errs...)
}

// Parse reads one file of the catalogue. file is its name in errors. It is strict: every line of a section is the
// first line of a block, one of its keys, or empty. The error joins all faults, each with its line.
func Parse(product, file, text string) ([]*Endpoint, error) {
	p := parser{product: product, file: file}
	for line := range strings.Lines(text) {
		p.line++
		if err := p.read(strings.TrimRight(line, "\r\n")); err != nil {
			p.fault(err)
		}
	}
	p.finish()
	return p.list, errors.Join(p.errs...)
}

type parser struct {
	product, file string
	line          int
	domain        string // "": prose before the first section, or in the one of what was left out
	block         *Endpoint
	keys          map[string]bool // of the block
	list          []*Endpoint
	errs          []error
}

func (p *parser) where() string { return p.file + ":" + strconv.Itoa(p.line) }

func (p *parser) fault(err error) { p.errs = append(p.errs, fmt.Errorf("%s: %w", p.where(), err)) }

func (p *parser) read(line string) error {
	switch {
	case strings.HasPrefix(line, "#"):
		p.finish()
		p.domain = ""
		section, ok := strings.CutPrefix(line, "## ")
		if !ok || section == "left out" {
			return nil
		}
		domain, title, ok := strings.Cut(section, ": ")
		if !ok || title == "" || domain == "" || strings.ContainsAny(domain, " \t") {
			return errors.New("a section is written ## domain: title")
		}
		p.domain = domain
	case p.domain == "": // prose
	case line == "":
		p.finish()
	case strings.HasPrefix(line, "  "):
		return p.key(line[2:])
	default:
		return p.begin(line)
	}
	return nil
}

// begin reads the first line of a block.
func (p *parser) begin(line string) error {
	p.finish()
	w := strings.Split(line, " ")
	if len(w) != 3 {
		return errors.New("a block begins with name, method and path")
	}
	name, method, path := w[0], w[1], w[2]
	p.block = &Endpoint{Product: p.product, Domain: p.domain, Name: name, Method: method, Path: path, Where: p.where()}
	p.keys = map[string]bool{}
	if !exported(name) {
		return fmt.Errorf("%q is no name of a Go method", name)
	}
	if method != "GET" && method != "POST" {
		return fmt.Errorf("%s: method %q", name, method)
	}
	if !strings.HasPrefix(path, "/") && !strings.HasPrefix(path, "https://") {
		return fmt.Errorf("%s: path %q", name, path)
	}
	return nil
}

func exported(name string) bool {
	for i, r := range name {
		letter := 'a' <= r && r <= 'z' && i > 0 || 'A' <= r && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return name != ""
}

// finish ends a block, which must have said all that is asked of it.
func (p *parser) finish() {
	if p.block == nil {
		return
	}
	for _, key := range []string{"does", "effect", "recipient", "query", "req", "res", "sdks", "source"} {
		if !p.keys[key] {
			p.errs = append(p.errs, fmt.Errorf("%s: %s: %s is missing", p.block.Where, p.block.Name, key))
		}
	}
	p.list = append(p.list, p.block)
	p.block = nil
}

func (p *parser) key(line string) error {
	key, value, ok := strings.Cut(line, ": ")
	if !ok || value == "" {
		return errors.New("a line of a block is written key: value")
	}
	if p.block == nil {
		return fmt.Errorf("%s stands outside a block", key)
	}
	if p.keys[key] {
		return fmt.Errorf("%s stands twice", key)
	}
	p.keys[key] = true
	if err := p.block.set(key, value); err != nil {
		return fmt.Errorf("%s: %s: %w", p.block.Name, key, err)
	}
	return nil
}

func (e *Endpoint) set(key, value string) (err error) {
	switch key {
	case "does":
		e.Does = value
	case "effect":
		if !slices.Contains([]string{"read", "set", "create", "send", "upload"}, value) {
			return fmt.Errorf("%q is no effect", value)
		}
		e.Effect = value
	case "recipient":
		e.Recipients, err = recipients(value)
	case "query":
		e.Query, err = parseFields(value)
	case "req":
		e.Request, err = parseFields(value)
	case "res":
		e.Reply, err = parseFields(value)
	case "limits":
		e.Limits = value
	case "codes":
		e.Codes, err = codes(value)
	case "note":
		e.Note = value
	case "sdks":
		if value != "-" {
			e.SDKs = strings.Fields(value)
		}
	case "source":
		e.Source = value
		e.Pages, err = pages(value)
	default:
		return errors.New("unknown key")
	}
	return err
}

// recipients reads "touser", "touser, toparty" or "openid | openid_list".
func recipients(value string) ([]string, error) {
	if value == "-" {
		return nil, nil
	}
	list := strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == '|' })
	for i, path := range list {
		if list[i] = strings.TrimSpace(path); list[i] == "" || strings.Contains(list[i], " ") {
			return nil, fmt.Errorf("%q names no field", path)
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%q names no field", value)
	}
	return list, nil
}

// codes reads "40003 bad openid; 42027-42051 template card".
func codes(value string) ([]Code, error) {
	var list []Code
	for part := range strings.SplitSeq(value, ";") {
		number, means, ok := strings.Cut(strings.TrimSpace(part), " ")
		if !ok {
			return nil, fmt.Errorf("%q is no code with its meaning", part)
		}
		first, last := number, number
		if i := strings.LastIndexAny(number, "-/"); i > 0 {
			first, last = number[:i], number[i+1:]
		}
		var c Code
		var err error
		if c.Code, err = strconv.Atoi(first); err != nil {
			return nil, err
		}
		if c.Last, err = strconv.Atoi(last); err != nil {
			return nil, err
		}
		c.Means = means
		list = append(list, c)
	}
	return list, nil
}

// pages reads the numbers in "official [97061, 95604]".
func pages(value string) ([]int, error) {
	name, rest, ok := strings.Cut(value, " [")
	if name != "official" && !strings.HasPrefix(name, "sdk:") {
		return nil, fmt.Errorf("%q is no source", name)
	}
	if !ok {
		return nil, nil
	}
	rest, ok = strings.CutSuffix(rest, "]")
	if !ok {
		return nil, errors.New("the bracket of the pages stays open")
	}
	var list []int
	for number := range strings.SplitSeq(rest, ", ") {
		n, err := strconv.Atoi(number)
		if err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	return list, nil
}
