package work

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/internal/stub"
)

func file(name, content string) wechat.File {
	return wechat.File{Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(content)), nil }}
}

// P085, P086: receivers see the file's name, which goes out as it is, and nothing else of the path.
func TestUploadMediaFileName(t *testing.T) {
	tests := []struct{ name, want string }{
		{"考勤 表.xlsx", `filename="考勤 表.xlsx"`},
		{"a+b (1)%20&c.pdf", `filename="a+b (1)%20&c.pdf"`},
		{"x\"\r\ny.pdf", `filename="x___y.pdf"`},
		{"", `filename="file.pdf"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := stub.JSON(`{"errcode":0,"errmsg":"","type":"file","media_id":"M","created_at":"1380000000"}`)
			got, err := clientOf(s).UploadMedia(context.Background(), &MediaRequest{Type: MediaFile, Media: file(tt.name, "%PDF-1.7 content")})
			if err != nil {
				t.Fatal(err)
			}
			if want := (UploadedMedia{Type: MediaFile, MediaID: "M", CreatedAt: "1380000000"}); *got != want {
				t.Errorf("got %+v, want %+v", *got, want)
			}
			r := s.Requests()[0]
			if r.Query.Get("type") != "file" {
				t.Errorf("query %v", r.Query)
			}
			if !strings.Contains(r.Body, `form-data; name="media"; `+tt.want+"\r\n") || !strings.Contains(r.Body, "\r\n\r\n%PDF-1.7 content\r\n") {
				t.Errorf("body %q, want %s and the content", r.Body, tt.want)
			}
		})
	}
}

// P091: a file without content is refused before it is sent.
func TestUploadMediaEmpty(t *testing.T) {
	s := stub.JSON(`{}`)
	_, err := clientOf(s).UploadMedia(context.Background(), &MediaRequest{Type: MediaFile, Media: file("a.pdf", "")})
	if !errors.Is(err, wechat.ErrInvalidRequest) || len(s.Requests()) != 0 {
		t.Errorf("error %v after %d requests, want ErrInvalidRequest after none", err, len(s.Requests()))
	}
}

func TestGetMedia(t *testing.T) {
	s := stub.JSON(`{"errcode":40007,"errmsg":"invalid media_id"}`)
	if _, err := clientOf(s).GetMedia(context.Background(), &MediaID{MediaID: "M"}); !errors.Is(err, wechat.Code(40007)) {
		t.Errorf("error %v, want errcode 40007", err)
	}
	s = &stub.Server{Answer: func(stub.Request) stub.Reply { return stub.Reply{ContentType: "voice/speex", Body: "\x00\x01speex"} }}
	blob, err := clientOf(s).GetJSSDKMedia(context.Background(), &MediaID{MediaID: "M"})
	if err != nil {
		t.Fatal(err)
	}
	if string(blob.Data) != "\x00\x01speex" || blob.ContentType != "voice/speex" {
		t.Errorf("got %q of type %s", blob.Data, blob.ContentType)
	}
}

// The call succeeds where the job failed.
func TestUploadByURLResult(t *testing.T) {
	for name, status := range map[string]string{"number": `3`, "text": `"3"`} {
		t.Run(name, func(t *testing.T) {
			s := stub.JSON(`{"errcode":0,"errmsg":"ok","status":` + status + `,"detail":{"errcode":830003,"errmsg":"download failed"}}`)
			got, err := clientOf(s).GetUploadByURLResult(context.Background(), &MediaJob{JobID: "J"})
			if err != nil {
				t.Fatal(err)
			}
			if got.Status != JobFailed || got.Detail.ErrCode != 830003 {
				t.Errorf("got %+v", got)
			}
		})
	}
}
