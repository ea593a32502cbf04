package officialaccount_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strings"
	"testing"
)

var (
	docBlock = regexp.MustCompile("(?s)<!-- example: (\\w+) -->\n+```go\n(.*?)```")
	output   = regexp.MustCompile(`(?s)\n\s*// Output:.*$`)
)

// exampleCode is the code of each example by name, as the documentation shows it: without the line that begins it,
// without its output, and without the indentation of a function.
func exampleCode(t *testing.T) map[string]string {
	t.Helper()
	source, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "example_test.go", source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	code := map[string]string{}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || !strings.HasPrefix(f.Name.Name, "Example") {
			continue
		}
		body := string(source[files.Position(f.Body.Lbrace).Offset+1 : files.Position(f.Body.Rbrace).Offset])
		var lines []string
		for line := range strings.SplitSeq(output.ReplaceAllString(body, ""), "\n") {
			if !strings.Contains(line, "begin()") {
				lines = append(lines, strings.TrimPrefix(line, "\t"))
			}
		}
		code[f.Name.Name] = strings.TrimSpace(strings.Join(lines, "\n")) + "\n"
	}
	return code
}

// What the documentation shows is what the examples run.
func TestDocumentationShowsTheExamples(t *testing.T) {
	page, err := os.ReadFile("../docs/officialaccount.md")
	if err != nil {
		t.Fatal(err)
	}
	code := exampleCode(t)
	for _, block := range docBlock.FindAllStringSubmatch(string(page), -1) {
		name := block[1]
		switch want, ok := code[name]; {
		case !ok:
			t.Errorf("docs/officialaccount.md shows %s, which is no example", name)
		case block[2] != want:
			t.Errorf("docs/officialaccount.md shows another %s:\n%s\nthe example is\n%s", name, block[2], want)
		}
		delete(code, name)
	}
	for name := range code {
		t.Errorf("docs/officialaccount.md does not show %s", name)
	}
}
