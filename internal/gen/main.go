// Command gen keeps what follows from the endpoint literals of the product packages: Endpoints() of each package
// in its endpoints_gen.go, and the tables of docs/endpoints.md.
//
//	go run ./internal/gen           writes what is out of date
//	go run ./internal/gen -check    writes nothing, names what is out of date and exits 1
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

var products = [...]string{"officialaccount", "miniprogram", "work"}

func main() {
	check := flag.Bool("check", false, "write nothing, and exit 1 when something is out of date")
	flag.Parse()
	root, err := moduleRoot()
	if err == nil {
		err = run(os.Stdout, root, *check)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// moduleRoot is the nearest folder upwards with a go.mod: go generate runs the command in the package's own.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("no go.mod in this folder or above it")
		}
		dir = parent
	}
}

// run brings the module under root up to date, or only says to w what is not. A package that cannot be read does
// not keep the others back.
func run(w io.Writer, root string, check bool) error {
	docs := filepath.Join(root, "docs", "endpoints.md")
	page, err := os.ReadFile(docs)
	if err != nil {
		return err
	}
	files := map[string][]byte{}
	var errs []error
	for _, product := range products {
		endpoints, err := readPackage(filepath.Join(root, product))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if files[filepath.Join(root, product, generated)], err = source(product, endpoints); err != nil {
			return err
		}
		if page, err = replaceTable(page, product, endpoints); err != nil {
			return fmt.Errorf("%s: %w", docs, err)
		}
	}
	files[docs] = page
	stale := false
	for name, want := range files {
		have, err := os.ReadFile(name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if bytes.Equal(have, want) {
			continue
		}
		stale = true
		if check {
			fmt.Fprintln(w, name, "is out of date")
		} else if err := os.WriteFile(name, want, 0o644); err != nil {
			return err
		}
	}
	if check && stale {
		errs = append(errs, errors.New("run go run ./internal/gen"))
	}
	return errors.Join(errs...)
}
