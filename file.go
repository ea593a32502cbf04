package wechat

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
)

// File is a file to upload. Open is called once an attempt, so that a repeat sends the same bytes.
type File struct {
	Name string // the name that receivers see; the server reads the type from its extension
	Open func() (io.ReadCloser, error)
}

// FileAt is the file at path, named like it. It is opened when the call is made.
func FileAt(path string) File {
	return File{Name: filepath.Base(path), Open: func() (io.ReadCloser, error) { return os.Open(path) }} //nolint:gosec // G304: the caller chose it
}

// FileOf is a file of these bytes.
func FileOf(name string, data []byte) File {
	return File{Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }}
}

// Blob is a reply that is a file.
type Blob struct {
	Name        string // from Content-Disposition; may be empty
	ContentType string // what the bytes look like, or else what the server said
	Data        []byte
}
