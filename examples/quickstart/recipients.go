package main

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
)

// row is one message to send.
type row struct {
	openID, name, item, amount, order string
}

// columns are the names in the first line, in any order.
var columns = []string{"openid", "name", "item", "amount", "order"}

// readRows reads a CSV file as a spreadsheet writes it: with a byte-order mark, CRLF and blank lines.
func readRows(r io.Reader) ([]row, error) {
	b := bufio.NewReader(r)
	if mark, _, err := b.ReadRune(); err == nil && mark != '\ufeff' {
		if err := b.UnreadRune(); err != nil {
			return nil, err
		}
	}
	in := csv.NewReader(b)
	head, err := in.Read()
	if err != nil {
		return nil, fmt.Errorf("the first line: %w", err)
	}
	at := map[string]int{}
	for i, name := range head {
		at[strings.ToLower(strings.TrimSpace(name))] = i
	}
	for _, name := range columns {
		if _, ok := at[name]; !ok {
			return nil, fmt.Errorf("there is no column %q", name)
		}
	}
	var rows []row
	for {
		line, err := in.Read()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, err
		}
		field := func(name string) string { return strings.TrimSpace(line[at[name]]) }
		rows = append(rows, row{field("openid"), field("name"), field("item"), field("amount"), field("order")})
	}
}
