// Package keypem reads keys and certificates from PEM or DER, whatever the algorithm.
package keypem

import (
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
)

// Form is a way in which a key may be written: the type of its PEM block, and what reads what is in it.
type Form struct {
	Type  string
	Parse func(der []byte) (any, error)
}

// Parse reads the key in the first PEM block of data, or in data itself where that is no PEM; of DER the first form that
// fits counts. what names the thing in errors, which show nothing of data.
func Parse(data []byte, what string, forms ...Form) (any, error) {
	block, _ := pem.Decode(data)
	if block == nil {
		for _, f := range forms {
			if key, err := f.Parse(data); err == nil {
				return key, nil
			}
		}
		return nil, fmt.Errorf("it is neither PEM nor a %s in DER", what)
	}
	if block.Type == "ENCRYPTED PRIVATE KEY" || block.Headers["DEK-Info"] != "" {
		return nil, errors.New("it is encrypted with a password; decrypt it first")
	}
	var types []string
	for _, f := range forms {
		if f.Type == block.Type {
			key, err := f.Parse(block.Bytes)
			if err != nil {
				return nil, fmt.Errorf("the PEM block %q cannot be read: %w", block.Type, err)
			}
			return key, nil
		}
		types = append(types, f.Type)
	}
	return nil, fmt.Errorf("a PEM block %q in place of %s", block.Type, strings.Join(types, " or "))
}
