package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

var (
	// ErrEmptyFile says that a file to upload has no content. WeChat would only
	// say so after the upload, in words that leave the reason open.
	ErrEmptyFile = errors.New("file is empty")

	// ErrTooLarge says that a file is larger than what may be uploaded.
	ErrTooLarge = errors.New("file is too large")
)

// Part is a file of a multipart body.
type Part struct {
	Field       string                        // name of the form field, such as media
	Name        string                        // file name that the receiver sees; empty: "file" with an extension that fits the content
	ContentType string                        // empty: by the extension, else by the content
	Open        func() (io.ReadCloser, error) // the content from its beginning
}

// Field is a form field that is no file.
type Field struct{ Name, Value string }

// Multipart builds a whole multipart body in memory, so that it can be sent
// with a Content-Length (WeChat refuses chunked uploads) and sent again. Fields
// come first and go out as they are. Of each part at most limit bytes are read
// (more is ErrTooLarge; zero or less sets no limit), and none is ErrEmptyFile.
//
// File names go out as raw UTF-8, the only spelling that WeChat understands;
// what could break out of the quotes or name a directory becomes "_".
func Multipart(fields []Field, parts []Part, limit int64) (body []byte, contentType string, err error) {
	var buf bytes.Buffer
	w := multipart.NewWriter(&buf)
	for _, f := range fields {
		dst, err := w.CreatePart(textproto.MIMEHeader{"Content-Disposition": {`form-data; name="` + safeName(f.Name) + `"`}})
		if err != nil {
			return nil, "", err
		}
		if _, err := io.WriteString(dst, f.Value); err != nil {
			return nil, "", err
		}
	}
	if limit <= 0 {
		limit = math.MaxInt64
	}
	for _, p := range parts {
		if err := writePart(w, p, limit); err != nil {
			return nil, "", fmt.Errorf("upload %s: %w", p.Field, err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, "", err
	}
	return buf.Bytes(), w.FormDataContentType(), nil
}

func writePart(w *multipart.Writer, p Part, limit int64) (err error) {
	if p.Open == nil {
		return errors.New("no file given")
	}
	src, err := p.Open()
	if err != nil {
		return err
	}
	defer func() {
		if closed := src.Close(); err == nil {
			err = closed
		}
	}()
	head, err := io.ReadAll(io.LimitReader(src, min(limit, sniffLen)))
	if err != nil {
		return err
	}
	if len(head) == 0 {
		return ErrEmptyFile
	}
	header, err := p.header(head)
	if err != nil {
		return err
	}
	dst, err := w.CreatePart(header)
	if err != nil {
		return err
	}
	if _, err := dst.Write(head); err != nil {
		return err
	}
	left := limit - int64(len(head))
	if _, err := io.Copy(dst, io.LimitReader(src, left)); err != nil {
		return err
	}
	// One byte beyond the limit tells a file that fits from one that was cut.
	switch n, err := io.CopyN(io.Discard, src, 1); {
	case n > 0:
		return fmt.Errorf("%w: more than %d bytes", ErrTooLarge, limit)
	case !errors.Is(err, io.EOF):
		return err
	}
	return nil
}

// header describes a part whose content begins with head.
func (p Part) header(head []byte) (textproto.MIMEHeader, error) {
	name := safeName(p.Name)
	if strings.Trim(name, " ._") == "" {
		name = "file" + extension(Sniff(head))
	}
	contentType := p.ContentType
	if contentType == "" {
		contentType = typeByExtension(path.Ext(name))
	}
	if contentType == "" {
		contentType = Sniff(head)
	}
	if _, _, err := mime.ParseMediaType(contentType); err != nil || !isPrintable(contentType) {
		return nil, fmt.Errorf("content type %q cannot be sent", contentType)
	}
	return textproto.MIMEHeader{
		"Content-Disposition": {`form-data; name="` + safeName(p.Field) + `"; filename="` + name + `"`},
		"Content-Type":        {contentType},
	}, nil
}

// safeName makes a name fit to stand between quotes in a header.
func safeName(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(`"\/`, r) || unicode.IsControl(r) || r == utf8.RuneError {
			return '_'
		}
		return r
	}, name)
}

func isPrintable(s string) bool {
	return strings.IndexFunc(s, unicode.IsControl) < 0
}

// sniffLen is how many bytes of a file are looked at to tell its type.
const sniffLen = 512

// fileTypes are the formats that WeChat's uploads take. The first extension of
// a type is the one for files without a name. The list is our own, so that a
// request does not depend on the machine's tables.
var fileTypes = []struct{ extension, contentType string }{
	{".jpg", "image/jpeg"},
	{".jpeg", "image/jpeg"},
	{".png", "image/png"},
	{".gif", "image/gif"},
	{".bmp", "image/bmp"},
	{".webp", "image/webp"},
	{".amr", "audio/amr"},
	{".mp3", "audio/mpeg"},
	{".wav", "audio/wave"},
	{".wma", "audio/x-ms-wma"},
	{".mp4", "video/mp4"},
	{".pdf", "application/pdf"},
	{".zip", "application/zip"},
	{".txt", "text/plain; charset=utf-8"},
	{".csv", "text/csv; charset=utf-8"},
	{".json", "application/json"},
	{".doc", "application/msword"},
	{".docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
	{".xls", "application/vnd.ms-excel"},
	{".xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
	{".ppt", "application/vnd.ms-powerpoint"},
	{".pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"},
}

// typeByExtension returns the content type for an extension, or nothing.
func typeByExtension(ext string) string {
	for _, t := range fileTypes {
		if strings.EqualFold(t.extension, ext) {
			return t.contentType
		}
	}
	return ""
}

// extension returns the extension for a content type.
func extension(contentType string) string {
	for _, t := range fileTypes {
		if t.contentType == contentType {
			return t.extension
		}
	}
	return ".bin"
}

// Sniff tells the content type of a file by its first bytes. Beside what
// net/http knows it knows WeChat's voice formats. Unknown content is
// application/octet-stream.
func Sniff(data []byte) string {
	switch {
	case bytes.HasPrefix(data, []byte("#!AMR")):
		return "audio/amr"
	case len(data) > 1 && data[0] == 0xff && (data[1] == 0xfb || data[1] == 0xf3 || data[1] == 0xf2):
		return "audio/mpeg" // a frame without the ID3 tag in front
	}
	return http.DetectContentType(data)
}
