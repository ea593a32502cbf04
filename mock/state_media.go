package mock

import (
	"fmt"
	"mime"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/seed175cf469/wechat"
)

const (
	mediaLife       = 3 * 24 * time.Hour // of temporary media
	maxArticleImage = 1 << 20
)

// file is temporary media or material.
type file struct {
	id, kind, name      string
	data                []byte
	title, introduction string // of a video that is material
	at                  time.Time
}

// sizes are the largest files in bytes, with the code of one that is larger.
var sizes = map[string]struct {
	most int
	code wechat.Code
}{
	"image": {10 << 20, 40009},
	"voice": {2 << 20, 40010},
	"video": {10 << 20, 40011},
	"thumb": {64 << 10, 40012},
}

// contentTypes are by extension.
var contentTypes = map[string]string{
	".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".png": "image/png", ".gif": "image/gif", ".bmp": "image/bmp",
	".mp3": "audio/mp3", ".amr": "audio/amr", ".wav": "audio/wav", ".wma": "audio/x-ms-wma", ".mp4": "video/mp4",
}

// reply is the file itself.
func (f *file) reply() Reply {
	kind := contentTypes[extension(f.name)]
	if kind == "" {
		kind = "application/octet-stream"
	}
	r := blob(kind, f.data)
	r.Header.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": f.name}))
	return r
}

func extension(name string) string { return strings.ToLower(path.Ext(name)) }

// upload reads the file of a request.
func (st *state) upload(x *exchange) (*file, wechat.Code) {
	f := &file{kind: x.Query.Get("type"), at: time.Now()}
	f.name, f.data = x.file("media")
	limit, ok := sizes[f.kind]
	switch {
	case !ok:
		return nil, 40004
	case extension(f.name) == "":
		return nil, 40005
	case len(f.data) > limit.most:
		return nil, limit.code
	}
	f.id = st.mediaID(f.kind)
	return f, 0
}

func (st *state) mediaID(kind string) string { return fmt.Sprintf("mock-%s-%d", kind, st.number()) }

func findFile(files []*file, id string) *file {
	if i := slices.IndexFunc(files, func(f *file) bool { return f.id == id }); i >= 0 {
		return files[i]
	}
	return nil
}

// temporary finds temporary media that has not expired, and forgets what has.
func (st *state) temporary(id string) *file {
	st.media = slices.DeleteFunc(st.media, func(f *file) bool { return time.Since(f.at) >= mediaLife })
	return findFile(st.media, id)
}

// uploaded keeps temporary media and tells its id.
func (st *state) uploaded(f *file, idName string) Reply {
	st.media = append(st.media, f)
	return bare(fields{"type": f.kind, idName: f.id, "created_at": f.at.Unix()})
}

func (st *state) uploadMedia(x *exchange) Reply {
	f, code := st.upload(x)
	if code != 0 {
		return refuse(code)
	}
	if f.kind == "thumb" {
		return st.uploaded(f, "thumb_media_id")
	}
	return st.uploaded(f, "media_id")
}

func (st *state) getMedia(x *exchange) Reply {
	f := st.temporary(x.Query.Get("media_id"))
	switch {
	case f == nil:
		return refuse(40007)
	case f.kind == "video":
		return bare(fields{"video_url": mockURL("video", f.id)})
	}
	return f.reply()
}

// mockURL is an address of something that the server made.
func mockURL(kind, id string) string { return "https://mock.example.invalid/" + kind + "/" + id }

func (st *state) uploadImage(x *exchange) Reply {
	name, data := x.file("media")
	switch kind := contentTypes[extension(name)]; {
	case kind != "image/jpeg" && kind != "image/png":
		return refuse(40005)
	case len(data) > maxArticleImage:
		return refuse(40009)
	}
	return bare(fields{"url": mockURL("image", fmt.Sprint(st.number())+extension(name))})
}

// uploadNews and uploadVideo make what mass messages send.
func (st *state) uploadNews(x *exchange) Reply {
	articles, _ := x.object()["articles"].([]any)
	if len(articles) < 1 || len(articles) > maxArticles {
		return refuse(45008)
	}
	return st.uploaded(&file{id: st.mediaID("news"), kind: "news", at: time.Now()}, "media_id")
}

func (st *state) uploadVideo(x *exchange) Reply {
	id, _ := x.field("body", "media_id")
	if f := st.temporary(id); f == nil || f.kind != "video" {
		return refuse(40007)
	}
	return st.uploaded(&file{id: st.mediaID("video"), kind: "video", at: time.Now()}, "media_id")
}
