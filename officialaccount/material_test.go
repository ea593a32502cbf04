package officialaccount

import (
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"strings"
	"testing"

	"github.com/seed175cf469/wechat"
)

const jpeg = "\xff\xd8\xff\xe0\x00\x10JFIF"

func TestGetTempMedia(t *testing.T) {
	for _, tt := range []struct {
		name  string
		reply response
		check func(*TempMedia, error) bool
	}{
		{"a file", response{contentType: "image/jpeg", disposition: `attachment; filename="MEDIA.jpg"`, body: jpeg},
			func(m *TempMedia, err error) bool {
				return err == nil && string(m.File.Data) == jpeg && m.File.Name == "MEDIA.jpg" && m.File.ContentType == "image/jpeg" && m.VideoURL == ""
			}},
		{"a file labelled as text (P096)", response{contentType: "text/plain", body: jpeg},
			func(m *TempMedia, err error) bool {
				return err == nil && string(m.File.Data) == jpeg && m.File.ContentType == "image/jpeg"
			}},
		{"a video (P097)", response{contentType: "text/plain", body: `{"video_url":"http://203.0.113.9/vweixinp.tc.qq.com/FAKE"}`},
			func(m *TempMedia, err error) bool {
				return err == nil && m.VideoURL == "http://203.0.113.9/vweixinp.tc.qq.com/FAKE" && m.File.Data == nil
			}},
		{"a refusal", response{contentType: "text/plain", body: `{"errcode":40007,"errmsg":"invalid media_id rid: 65000000-0badcafe-00000001"}`},
			func(m *TempMedia, err error) bool { return m == nil && errors.Is(err, wechat.Code(40007)) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &server{reply: func(r request) response {
				if r.path == "/cgi-bin/media/get" {
					return tt.reply
				}
				return response{}
			}}
			if m, err := s.client().GetTempMedia(t.Context(), &TempMediaID{MediaID: "m1"}); !tt.check(m, err) {
				t.Errorf("got %+v, %v", m, err)
			}
		})
	}
}

// P098: one call, three shapes.
func TestGetMaterial(t *testing.T) {
	for _, tt := range []struct {
		name  string
		reply response
		check func(*Material) bool
	}{
		{"a file", response{contentType: "text/plain", body: jpeg}, func(m *Material) bool { return string(m.File.Data) == jpeg && m.NewsItem == nil }},
		{"articles", jsonBody(`{"news_item":[{"title":"t","show_cover_pic":1,"url":"u"}],"create_time":1}`),
			func(m *Material) bool {
				return len(m.NewsItem) == 1 && m.NewsItem[0].Title == "t" && m.NewsItem[0].ShowCoverPic == 1 && m.File.Data == nil
			}},
		{"a video", jsonBody(`{"title":"t","description":"d","down_url":"http://203.0.113.9/FAKE"}`),
			func(m *Material) bool {
				return m.Title == "t" && m.Description == "d" && m.DownURL != "" && m.File.Data == nil
			}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &server{reply: func(r request) response {
				if r.path == "/cgi-bin/material/get_material" {
					return tt.reply
				}
				return response{}
			}}
			m, err := s.client().GetMaterial(t.Context(), &MediaID{MediaID: "m1"})
			if err != nil || !tt.check(m) {
				t.Errorf("got %+v, %v", m, err)
			}
			if got := s.to("/cgi-bin/material/get_material")[0].body; got != `{"media_id":"m1"}` {
				t.Errorf("asked %s", got)
			}
		})
	}
}

// parts are the parts of a multipart request by name, with the file name in front of a file.
func parts(t *testing.T, r request) map[string]string {
	t.Helper()
	kind, params, err := mime.ParseMediaType(r.header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" {
		t.Fatalf("Content-Type is %q", r.header.Get("Content-Type"))
	}
	if r.length != int64(len(r.body)) {
		t.Errorf("the length is %d, the body has %d", r.length, len(r.body))
	}
	found := map[string]string{}
	for reader := multipart.NewReader(strings.NewReader(r.body), params["boundary"]); ; {
		part, err := reader.NextPart()
		if errors.Is(err, io.EOF) {
			return found
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(part)
		if err != nil {
			t.Fatal(err)
		}
		name := part.FileName()
		if name != "" {
			name += ":"
		}
		found[part.FormName()] = name + string(content)
	}
}

// P092: a video has its text in a second part, as JSON that is not escaped.
func TestAddVideoMaterial(t *testing.T) {
	s := &server{reply: func(r request) response {
		if r.path == "/cgi-bin/material/add_material" {
			return jsonBody(`{"media_id":"m1","url":""}`)
		}
		return response{}
	}}
	got, err := s.client().AddMaterial(t.Context(), VideoMaterial(file("clip.mp4", "FAKE VIDEO"), "t", "i & <x> \"q\""))
	if err != nil || got.MediaID != "m1" {
		t.Fatalf("got %+v, %v", got, err)
	}
	r := s.to("/cgi-bin/material/add_material")[0]
	if r.query.Get("type") != "video" {
		t.Errorf("the query is %v", r.query)
	}
	sent := parts(t, r)
	if sent["media"] != "clip.mp4:FAKE VIDEO" || sent["description"] != `{"title":"t","introduction":"i & <x> \"q\""}` || len(sent) != 2 {
		t.Errorf("the parts are %q", sent)
	}
}

func TestUploads(t *testing.T) {
	s := &server{reply: func(r request) response {
		if r.path == "/cgi-bin/media/upload" { // P051: the repeat after a refused token has the file again
			if r.n == 0 {
				return jsonBody(`{"errcode":42001,"errmsg":"access_token expired rid: 65000000-0badcafe-00000001"}`)
			}
			return jsonBody(`{"type":"thumb","thumb_media_id":"m1","created_at":"1700000000"}`)
		}
		return response{}
	}}
	oa := s.client()
	got, err := oa.UploadTempMedia(t.Context(), &UploadTempMediaRequest{Type: MediaThumb, Media: file("中文图片.jpg", jpeg)})
	if err != nil || got.ThumbMediaID != "m1" || got.MediaID != "" || got.CreatedAt != 1700000000 {
		t.Fatalf("got %+v, %v", got, err)
	}
	for _, r := range s.to("/cgi-bin/media/upload") {
		if sent := parts(t, r); sent["media"] != "中文图片.jpg:"+jpeg || len(sent) != 1 { // P085
			t.Errorf("the parts are %q", sent)
		}
	}
	if err := oa.UploadKfHeadImage(t.Context(), &UploadKfHeadImageRequest{KfAccount: "a@b", Media: file("h.jpg", jpeg)}); err != nil {
		t.Fatal(err)
	}
	if got := s.to("/customservice/kfaccount/uploadheadimg")[0].query.Get("kf_account"); got != "a@b" {
		t.Errorf("kf_account is %q", got)
	}
}

// The answer to a comment comes as an object, a list of one, or not at all.
func TestCommentReplies(t *testing.T) {
	s := &server{reply: func(r request) response {
		if r.path == "/cgi-bin/comment/list" {
			return jsonBody(`{"errcode":0,"total":4,"comment":[
				{"user_comment_id":1,"create_time":"1700000000","reply":{"content":"a","create_time":"1700000001"}},
				{"user_comment_id":2,"reply":[{"content":"b","create_time":1700000002}]},
				{"user_comment_id":3,"reply":[]},
				{"user_comment_id":4}]}`)
		}
		return response{}
	}}
	got := collect(t, s.client().AllComments(t.Context(), CommentedArticle{MsgDataID: 7}, CommentAll))
	if len(got) != 4 || got[0].CreateTime != 1700000000 || got[0].Reply != (CommentReply{"a", 1700000001}) ||
		got[1].Reply != (CommentReply{"b", 1700000002}) || got[2].Reply != (CommentReply{}) || got[3].Reply != (CommentReply{}) {
		t.Errorf("got %+v", got)
	}
	if asked := s.to("/cgi-bin/comment/list")[0].body; asked != `{"msg_data_id":7,"begin":0,"count":49,"type":0}` {
		t.Errorf("asked %s", asked)
	}
}

// A draft's first article has the index 0, which must be sent; articles is one object here.
func TestUpdateDraftBody(t *testing.T) {
	s := &server{}
	err := s.client().UpdateDraft(t.Context(), &UpdateDraftRequest{MediaID: "m1", Article: Article{Title: "标题", Content: "<p>a & b</p>", ThumbMediaID: "m2"}})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"media_id":"m1","index":0,"articles":{"title":"标题","content":"<p>a & b</p>","thumb_media_id":"m2"}}`
	if got := s.to("/cgi-bin/draft/update")[0].body; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
