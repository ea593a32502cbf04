package main

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// row is a row of a list.
type row struct {
	line    int64 // in the file; 1 is the first
	columns map[string]string

	// What has become of it on its way to a message.
	recipient, key string
	request        any
}

// listFormat is the format of a list, told from its name where it is not told.
func listFormat(format, path string) (string, error) {
	if format == "" {
		switch ext := strings.ToLower(filepath.Ext(path)); ext {
		case ".csv":
			format = "csv"
		case ".jsonl", ".ndjson", ".json":
			format = "jsonl"
		default:
			return "", fmt.Errorf("%s could be anything: say --format csv or --format jsonl", path)
		}
	}
	if format != "csv" && format != "jsonl" {
		return "", fmt.Errorf("unknown format %q: there are csv and jsonl", format)
	}
	return format, nil
}

// readList yields the rows of a list. A row that cannot be read comes with an error and its line; an error without a
// line ends the list.
func readList(r io.Reader, format string) iter.Seq2[row, error] {
	if format == "csv" {
		return readCSV(r)
	}
	return readJSONLines(r)
}

var errNotUTF8 = errors.New("the text is not UTF-8: was it saved by a spreadsheet in GBK? Save it as CSV UTF-8")

// readCSV reads a list whose first line names the columns.
func readCSV(r io.Reader) iter.Seq2[row, error] {
	return func(yield func(row, error) bool) {
		buffered := bufio.NewReader(r)
		if bom, err := buffered.Peek(3); err == nil && bytes.Equal(bom, []byte("\ufeff")) {
			_, _ = buffered.Discard(3) // they are there
		}
		c := csv.NewReader(buffered)
		c.FieldsPerRecord = -1
		header, err := c.Read()
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = errors.New("the list is empty")
			}
			yield(row{}, err)
			return
		}
		names := map[string]bool{}
		for i, name := range header {
			header[i] = strings.TrimSpace(name)
			if names[header[i]] {
				yield(row{}, fmt.Errorf("two columns are named %q", header[i]))
				return
			}
			names[header[i]] = true
		}
		if !utf8.ValidString(strings.Join(header, "")) {
			yield(row{}, errNotUTF8)
			return
		}
		c.ReuseRecord = true
		for {
			record, err := c.Read()
			if errors.Is(err, io.EOF) {
				return
			}
			x := row{}
			var malformed *csv.ParseError
			switch {
			case errors.As(err, &malformed):
				x.line, err = int64(malformed.StartLine), malformed.Err
			case err != nil: // nothing more can be read
				yield(x, err)
				return
			default:
				line, _ := c.FieldPos(0)
				x.line = int64(line)
				x.columns, err = columnsOf(header, record)
			}
			if !yield(x, err) {
				return
			}
		}
	}
}

func columnsOf(header, record []string) (map[string]string, error) {
	if len(record) != len(header) {
		return nil, fmt.Errorf("it has %d values for %d columns", len(record), len(header))
	}
	columns := make(map[string]string, len(header))
	for i, value := range record {
		if !utf8.ValidString(value) {
			return nil, errNotUTF8
		}
		columns[header[i]] = value
	}
	return columns, nil
}

// readJSONLines reads a list that has an object of texts, numbers and truth values on each line.
func readJSONLines(r io.Reader) iter.Seq2[row, error] {
	return func(yield func(row, error) bool) {
		buffered := bufio.NewReader(r)
		for line := int64(1); ; line++ {
			text, err := buffered.ReadBytes('\n')
			if err != nil && !errors.Is(err, io.EOF) {
				yield(row{}, err)
				return
			}
			last := err != nil
			if text = bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\ufeff"))); len(text) > 0 {
				columns, err := jsonColumns(text)
				if !yield(row{line: line, columns: columns}, err) {
					return
				}
			}
			if last {
				return
			}
		}
	}
}

func jsonColumns(text []byte) (map[string]string, error) {
	if !utf8.Valid(text) {
		return nil, errNotUTF8
	}
	var object map[string]any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&object); err != nil || d.More() {
		return nil, errors.New("it is no JSON object")
	}
	columns := make(map[string]string, len(object))
	for name, value := range object {
		switch v := value.(type) {
		case string:
			columns[name] = v
		case json.Number, bool:
			columns[name] = fmt.Sprint(v)
		case nil:
			columns[name] = ""
		default:
			return nil, fmt.Errorf("column %s is neither a text nor a number", name)
		}
	}
	return columns, nil
}
