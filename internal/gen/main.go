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
	"maps"
	"os"
	"path/filepath"
	"slices"
)

var products = [...]string{"officialaccount", "miniprogram", "work"}

func main() {
	check := flag.Bool("check", false, "write nothing, and exit 1 when something is out of date")
	flag.Parse()
	dir, err := moduleRoot()
	if err == nil {
		err = run(os.Stdout, dir, *check)
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

// page has the tables.
const page = "docs/endpoints.md"

// run brings the module in dir up to date, or only says to w what is not. A package that cannot be read does not keep
// the others back.
func run(w io.Writer, dir string, check bool) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close() //nolint:errcheck // nothing is written through it after this

	text, err := root.ReadFile(page)
	if err != nil {
		return err
	}
	files := map[string][]byte{}
	var errs []error
	for _, product := range products {
		endpoints, err := readPackage(filepath.Join(dir, product))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if files[filepath.Join(product, generated)], err = source(product, endpoints); err != nil {
			return err
		}
		if text, err = replaceTable(text, product, endpoints); err != nil {
			return fmt.Errorf("%s: %w", page, err)
		}
	}
	files[page] = text
	for _, name := range slices.Sorted(maps.Keys(files)) {
		have, err := root.ReadFile(name)
		switch {
		case err == nil && bytes.Equal(have, files[name]):
			continue
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return err
		case check:
			errs = append(errs, fmt.Errorf("%s is out of date: run go run ./internal/gen", name))
		default:
			if err := root.WriteFile(name, files[name], 0o644); err != nil {
				return err
			}
			if _, err := fmt.Fprintln(w, "wrote", name); err != nil {
				return err
			}
		}
	}
	return errors.Join(errs...)
}
