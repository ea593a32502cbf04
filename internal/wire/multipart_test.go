package wire

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

const (
	jpeg = "\xff\xd8\xff\xe0\x00\x10JFIF"
	png  = "\x89PNG\r\n\x1a\n"
)

func open(content string) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(content)), nil }
}

// build returns the one part that p makes: its headers as bytes and its content.
func build(t *testing.T, p Part) (header, content string) {
	t.Helper()
	body, contentType, err := Multipart(nil, []Part{p}, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		t.Fatal(err)
	}
	whole := strings.TrimPrefix(string(body), "--"+params["boundary"]+"\r\n")
	whole = strings.TrimSuffix(whole, "\r\n--"+params["boundary"]+"--\r\n")
	header, content, _ = strings.Cut(whole, "\r\n\r\n")
	return header, content
}

func TestMultipartHeaders(t *testing.T) {
	tests := []struct {
		name        string
		part        Part
		content     string
		filename    string
		contentType string
	}{
		{"P084 no name", Part{}, jpeg, "file.jpg", "image/jpeg"},
		{"P084 no name, unknown content", Part{}, "\x00\x01\x02", "file.bin", "application/octet-stream"},
		{"P084 no name, text", Part{}, "a,b", "file.txt", "text/plain; charset=utf-8"},
		{"P084 no name, voice", Part{}, "#!AMR\n\x0c", "file.amr", "audio/amr"},
		{"P084 no name, MP3", Part{}, "\xff\xfb\x90\x00", "file.mp3", "audio/mpeg"},
		{"P085", Part{Name: "中文图片.jpg"}, jpeg, "中文图片.jpg", "image/jpeg"},
		{"P086", Part{Name: "考勤 表.xlsx"}, "PK\x03\x04", "考勤 表.xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
		{"percent and equals stay", Part{Name: "100%25=?.txt"}, "x", "100%25=?.txt", "text/plain; charset=utf-8"},
		{"extension before content", Part{Name: "a.MP3"}, "x", "a.MP3", "audio/mpeg"},
		{"unknown extension", Part{Name: "a.xyz"}, png, "a.xyz", "image/png"},
		{"no extension", Part{Name: "README"}, "x", "README", "text/plain; charset=utf-8"},
		{"own content type", Part{Name: "a.jpg", ContentType: "image/x-own"}, jpeg, "a.jpg", "image/x-own"},
		{"line breaks and quotes", Part{Name: "a\r\nX-Evil: 1\r\n\r\n\"b\".jpg"}, jpeg, "a__X-Evil: 1_____b_.jpg", "image/jpeg"},
		{"directories", Part{Name: `../../etc\a/b.jpg`}, jpeg, ".._.._etc_a_b.jpg", "image/jpeg"},
		{"control characters", Part{Name: "a\x00\x7f\u0085.jpg"}, jpeg, "a___.jpg", "image/jpeg"},
		{"not UTF-8", Part{Name: "a\xff.jpg"}, jpeg, "a_.jpg", "image/jpeg"},
		{"nothing but dots and separators", Part{Name: "../ "}, png, "file.png", "image/png"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.part.Field, tt.part.Open = "media", open(tt.content)
			header, content := build(t, tt.part)
			want := `Content-Disposition: form-data; name="media"; filename="` + tt.filename + "\"\r\nContent-Type: " + tt.contentType
			if header != want {
				t.Errorf("headers are\n%s\nwant\n%s", header, want)
			}
			if content != tt.content {
				t.Errorf("content is %q", content)
			}
		})
	}
}

func TestMultipartFields(t *testing.T) {
	const description = `{"title":"t","introduction":"i & <x>"}` // P092
	body, contentType, err := Multipart(
		[]Field{{"description", description}, {"a\"\r\nb", "中\r\n文"}},
		[]Part{{Field: "media", Name: "a.mp4", Open: open("video")}, {Field: "thumb", Name: "b.jpg", Open: open(jpeg)}}, 100)
	if err != nil {
		t.Fatal(err)
	}
	form := read(t, body, contentType)
	if got := form.Value["description"]; len(got) != 1 || got[0] != description {
		t.Errorf("description is %q", got)
	}
	if got := form.Value["a___b"]; len(got) != 1 || got[0] != "中\r\n文" {
		t.Errorf("second field is %q", got)
	}
	if len(form.File["media"]) != 1 || len(form.File["thumb"]) != 1 || form.File["thumb"][0].Size != int64(len(jpeg)) {
		t.Errorf("files are %v", form.File)
	}
}

func read(t *testing.T, body []byte, contentType string) *multipart.Form {
	t.Helper()
	mediaType, params, err := mime.ParseMediaType(contentType)
	if err != nil || mediaType != "multipart/form-data" {
		t.Fatal(contentType, err)
	}
	form, err := multipart.NewReader(bytes.NewReader(body), params["boundary"]).ReadForm(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	return form
}

type source struct {
	io.Reader
	closed   int
	closeErr error
}

func (s *source) Close() error { s.closed++; return s.closeErr }

func TestMultipartErrors(t *testing.T) {
	broken := errors.New("broken disk")
	tests := []struct {
		name  string
		src   source
		limit int64
		want  error
	}{
		{"P091 empty", source{Reader: strings.NewReader("")}, 10, ErrEmptyFile},
		{"fits", source{Reader: strings.NewReader("0123456789")}, 10, nil},
		{"fits beyond what is sniffed", source{Reader: strings.NewReader(strings.Repeat("x", 600))}, 600, nil},
		{"too large", source{Reader: strings.NewReader("0123456789")}, 9, ErrTooLarge},
		{"too large beyond what is sniffed", source{Reader: strings.NewReader(strings.Repeat("x", 601))}, 600, ErrTooLarge},
		{"P100 endless", source{Reader: endless{}}, 5000, ErrTooLarge},
		{"fails at once", source{Reader: failing{broken}}, 10, broken},
		{"fails later", source{Reader: io.MultiReader(strings.NewReader(strings.Repeat("x", 600)), failing{broken})}, 700, broken},
		{"fails at the limit", source{Reader: io.MultiReader(strings.NewReader("0123456789"), failing{broken})}, 10, broken},
		{"fails to close", source{Reader: strings.NewReader("x"), closeErr: broken}, 10, broken},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			body, contentType, err := Multipart(nil, []Part{{Field: "media", Open: func() (io.ReadCloser, error) { return &tt.src, nil }}}, tt.limit)
			if !errors.Is(err, tt.want) || (err == nil) != (body != nil) || (err == nil) != (contentType != "") {
				t.Errorf("Multipart = %d bytes, %q, %v; want %v", len(body), contentType, err, tt.want)
			}
			if tt.src.closed != 1 {
				t.Errorf("closed %d times", tt.src.closed)
			}
		})
	}
	refuses := func() (io.ReadCloser, error) { return nil, broken }
	if _, _, err := Multipart(nil, []Part{{Field: "media", Open: refuses}}, 10); !errors.Is(err, broken) {
		t.Errorf("error of Open became %v", err)
	}
	if _, _, err := Multipart(nil, []Part{{Field: "media"}}, 10); err == nil || err.Error() != "upload media: no file given" {
		t.Errorf("no Open: %v", err)
	}
	for _, contentType := range []string{"image/jpeg\r\nX-Evil: 1", "a b c", "image/jpeg; a=\"\x01\""} {
		if _, _, err := Multipart(nil, []Part{{Field: "media", ContentType: contentType, Open: open("x")}}, 10); err == nil {
			t.Errorf("content type %q was taken", contentType)
		}
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestSniff(t *testing.T) {
	tests := map[string]string{
		jpeg: "image/jpeg", // P096
		png:  "image/png", "GIF89a": "image/gif", "#!AMR\n": "audio/amr", "ID3\x03": "audio/mpeg", "\xff\xf3\x40": "audio/mpeg",
		"\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom": "video/mp4",
		"%PDF-1.4": "application/pdf", "\xff": "text/plain; charset=utf-8", "\x00": "application/octet-stream", "": "text/plain; charset=utf-8",
	}
	for data, want := range tests {
		if got := Sniff([]byte(data)); got != want {
			t.Errorf("Sniff(%q) = %s, want %s", data, got, want)
		}
	}
}

func FuzzMultipart(f *testing.F) {
	f.Add("description", `{"a":1}`, "media", "中文.jpg", []byte(jpeg))
	f.Add("", "", "", "", []byte("x"))
	f.Add("a\r\n\"", "--b\r\n\r\n", `m\"`, "../a\x00\r\n\r\n--.jpg", []byte("\r\n--x--\r\n"))
	f.Fuzz(func(t *testing.T, name, value, field, filename string, content []byte) {
		body, contentType, err := Multipart([]Field{{name, value}}, []Part{{Field: field, Name: filename, Open: open(string(content))}}, 1<<16)
		switch {
		case len(content) == 0:
			if !errors.Is(err, ErrEmptyFile) {
				t.Errorf("an empty file: %v", err)
			}
			return
		case len(content) > 1<<16:
			if !errors.Is(err, ErrTooLarge) {
				t.Errorf("a large file: %v", err)
			}
			return
		case err != nil:
			t.Fatal(err)
		}
		_, params, err := mime.ParseMediaType(contentType)
		if err != nil {
			t.Fatal(err)
		}
		r := multipart.NewReader(bytes.NewReader(body), params["boundary"])
		first, err := r.NextRawPart()
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(first); string(got) != value || first.FormName() != safeName(name) || err != nil {
			t.Errorf("field %q is %q, %v; want %q, %q", first.FormName(), got, err, name, value)
		}
		second, err := r.NextRawPart()
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(second); !bytes.Equal(got, content) || second.FormName() != safeName(field) || err != nil {
			t.Errorf("file %q is %q, %v; want %q, %q", second.FormName(), got, err, field, content)
		}
		if len(second.Header) != 2 {
			t.Errorf("headers are %v", second.Header)
		}
		_, params, err = mime.ParseMediaType(second.Header.Get("Content-Disposition"))
		sent := params["filename"]
		if err != nil || sent == "" || !utf8.ValidString(sent) || strings.ContainsAny(sent, `"\/`) || strings.ContainsFunc(sent, unicode.IsControl) {
			t.Errorf("file name %q became %q, %v", filename, sent, err)
		}
		if _, err := r.NextRawPart(); err != io.EOF {
			t.Errorf("after the last part: %v", err)
		}
	})
}
