package apisign

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/seed175cf469/wechat/internal/wire"
)

// member is a member of a JSON object with its value as it was written, so that numbers keep all their digits.
type member struct {
	name  string
	value json.RawMessage
}

var errNotObject = errors.New("not a JSON object")

// members reads an object without looking into the values.
func members(object []byte) ([]member, error) {
	if !json.Valid(object) {
		return nil, errNotObject
	}
	d := json.NewDecoder(bytes.NewReader(object))
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return nil, errNotObject
	}
	var list []member
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		m := member{name: name.(string)} // the name of a member is a string in valid JSON
		if err := d.Decode(&m.value); err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	return list, nil
}

// object writes members in their order, with raw UTF-8.
func object(list []member) ([]byte, error) {
	b := []byte{'{'}
	for i, m := range list {
		if i > 0 {
			b = append(b, ',')
		}
		name, err := wire.Marshal(m.name)
		if err != nil {
			return nil, err
		}
		b = append(append(append(b, name...), ':'), m.value...)
	}
	return append(b, '}'), nil
}
