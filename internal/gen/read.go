package main

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const generated = "endpoints_gen.go"

// endpoint is what a literal says.
type endpoint struct {
	variable, file        string
	name, pattern, effect string
	does                  string // the first sentence of the method's doc comment, without the method's name
}

// readPackage finds the endpoint literals of the package in dir, by file name and then as they stand.
func readPackage(dir string) ([]endpoint, error) {
	entries, err := os.ReadDir(dir) // sorted by name
	if err != nil {
		return nil, err
	}
	var (
		list     []endpoint
		fset     = token.NewFileSet()
		comments = map[string]string{} // of the Client's methods
	)
	for _, entry := range entries {
		name := entry.Name()
		if filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || name == generated {
			continue
		}
		file, err := parser.ParseFile(fset, filepath.Join(dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, decl := range file.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				if receiver(decl) == "Client" {
					comments[decl.Name.Name] = decl.Doc.Text()
				}
			case *ast.GenDecl:
				found, err := literals(fset, decl)
				if err != nil {
					return nil, err
				}
				for _, e := range found {
					e.file = name
					list = append(list, e)
				}
			}
		}
	}
	seen := map[string]bool{}
	for i, e := range list {
		if seen[e.name] {
			return nil, fmt.Errorf("%s: two endpoints are named %s", filepath.Join(dir, e.file), e.name)
		}
		seen[e.name] = true
		list[i].does = firstSentence(e.name, comments[e.name])
	}
	return list, nil
}

func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) != 1 {
		return ""
	}
	t := f.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	name, _ := t.(*ast.Ident)
	if name == nil {
		return ""
	}
	return name.Name
}

func firstSentence(method, comment string) string {
	sentence := new(doc.Package).Synopsis(comment)
	return strings.TrimSuffix(strings.TrimPrefix(sentence, method+" "), ".")
}

// literals finds var x = wechat.Endpoint[...]{...}.
func literals(fset *token.FileSet, decl *ast.GenDecl) ([]endpoint, error) {
	var list []endpoint
	for _, spec := range decl.Specs {
		value, ok := spec.(*ast.ValueSpec)
		if !ok || decl.Tok != token.VAR {
			continue
		}
		for i, v := range value.Values {
			lit, ok := v.(*ast.CompositeLit)
			if !ok || !isEndpoint(lit.Type) {
				continue
			}
			e, err := read(lit)
			if err != nil {
				return nil, fmt.Errorf("%v: %w", fset.Position(lit.Pos()), err)
			}
			e.variable = value.Names[i].Name
			list = append(list, e)
		}
	}
	return list, nil
}

func isEndpoint(t ast.Expr) bool {
	generic, ok := t.(*ast.IndexListExpr)
	if !ok {
		return false
	}
	name, ok := generic.X.(*ast.SelectorExpr)
	return ok && name.Sel.Name == "Endpoint"
}

var effects = []string{"EffectSend", "EffectCreate", "EffectUpload", "EffectSet", "EffectRead"}

func read(lit *ast.CompositeLit) (endpoint, error) {
	e := endpoint{effect: "send"} // the zero Effect
	for _, elt := range lit.Elts {
		pair, ok := elt.(*ast.KeyValueExpr)
		if !ok {
			return e, fmt.Errorf("an endpoint is written with field names")
		}
		key, _ := pair.Key.(*ast.Ident)
		if key == nil {
			continue
		}
		var err error
		switch key.Name {
		case "Name":
			e.name, err = text(pair.Value)
		case "Pattern":
			e.pattern, err = text(pair.Value)
		case "Effect":
			effect, ok := pair.Value.(*ast.SelectorExpr)
			if !ok || !slices.Contains(effects, effect.Sel.Name) {
				return e, fmt.Errorf("%s: the effect is none of %v", e.name, effects)
			}
			e.effect = strings.ToLower(strings.TrimPrefix(effect.Sel.Name, "Effect"))
		}
		if err != nil {
			return e, fmt.Errorf("%s: %w", key.Name, err)
		}
	}
	if e.name == "" || e.pattern == "" {
		return e, fmt.Errorf("an endpoint needs Name and Pattern")
	}
	return e, nil
}

// text is the value of a string literal; names and patterns are written in full, so that they can be searched for.
func text(x ast.Expr) (string, error) {
	lit, ok := x.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", fmt.Errorf("not a string literal")
	}
	return strconv.Unquote(lit.Value)
}
