package mock_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed175cf469/wechat"
	oa "github.com/seed175cf469/wechat/officialaccount"
)

func TestTemporaryMedia(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c := official(once)
		ctx := t.Context()
		upload := func(kind oa.MediaType, name, content string) (*oa.UploadTempMediaReply, error) {
			return c.UploadTempMedia(ctx, &oa.UploadTempMediaRequest{Type: kind, Media: fileOf(name, content)})
		}
		get := func(id string) (*oa.TempMedia, error) { return c.GetTempMedia(ctx, &oa.TempMediaID{MediaID: id}) }

		picture := must[*oa.UploadTempMediaReply](t)(upload(oa.MediaImage, "茶.PNG", "\x89PNG picture"))
		if picture.Type != oa.MediaImage || picture.MediaID == "" || picture.ThumbMediaID != "" || picture.CreatedAt != time.Now().Unix() {
			t.Errorf("the upload is %+v", picture)
		}
		if m := must[*oa.TempMedia](t)(get(picture.MediaID)); string(m.File.Data) != "\x89PNG picture" || m.File.Name != "茶.PNG" ||
			m.File.ContentType != "image/png" || m.VideoURL != "" {
			t.Errorf("the download is %+v", m)
		}
		thumb := must[*oa.UploadTempMediaReply](t)(upload(oa.MediaThumb, "t.jpg", "thumb"))
		if thumb.MediaID != "" || thumb.ThumbMediaID == "" {
			t.Errorf("the thumb is %+v", thumb)
		}
		video := must[*oa.UploadTempMediaReply](t)(upload(oa.MediaVideo, "v.mp4", "video"))
		if m := must[*oa.TempMedia](t)(get(video.MediaID)); m.VideoURL == "" || len(m.File.Data) != 0 {
			t.Errorf("the video is %+v", m)
		}

		_, err := get("nothing")
		wantCode(t, err, 40007)
		_, err = upload("song", "a.mp3", "x")
		wantCode(t, err, 40004)
		_, err = upload(oa.MediaImage, "a", "x")
		wantCode(t, err, 40005)
		for kind, tt := range map[oa.MediaType]struct {
			most int
			code wechat.Code
		}{oa.MediaImage: {10 << 20, 40009}, oa.MediaVoice: {2 << 20, 40010}, oa.MediaVideo: {10 << 20, 40011}, oa.MediaThumb: {64 << 10, 40012}} {
			_, err = upload(kind, "a.bin", strings.Repeat("x", tt.most+1))
			wantCode(t, err, tt.code)
		}
		_, err = upload(oa.MediaThumb, "a.jpg", strings.Repeat("x", 64<<10))
		wantCode(t, err, 0)

		time.Sleep(72*time.Hour - time.Second)
		_, err = get(picture.MediaID)
		wantCode(t, err, 0)
		time.Sleep(time.Second)
		_, err = get(picture.MediaID)
		wantCode(t, err, 40007)
	})
}

func TestMaterial(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c := official(once)
		ctx := t.Context()
		add := func(kind oa.MediaType, name, content string) *oa.AddMaterialReply {
			return must[*oa.AddMaterialReply](t)(c.AddMaterial(ctx, &oa.AddMaterialRequest{Type: kind, Media: fileOf(name, content)}))
		}
		var pictures []string
		for range 21 {
			r := add(oa.MediaImage, "p.jpg", "picture")
			if r.URL == "" {
				t.Error("a picture has no URL")
			}
			pictures = append(pictures, r.MediaID)
		}
		voice := add(oa.MediaVoice, "v.mp3", "voice")
		if voice.URL != "" {
			t.Errorf("a voice has the URL %q", voice.URL)
		}
		video := must[*oa.AddMaterialReply](t)(c.AddMaterial(ctx, oa.VideoMaterial(fileOf("v.mp4", "video"), "标题 <1>", "about & about")))
		time.Sleep(4 * 24 * time.Hour) // it does not expire

		if m := must[*oa.Material](t)(c.GetMaterial(ctx, &oa.MediaID{MediaID: pictures[0]})); string(m.File.Data) != "picture" ||
			m.File.Name != "p.jpg" || m.File.ContentType != "image/jpeg" {
			t.Errorf("the picture is %+v", m)
		}
		if m := must[*oa.Material](t)(c.GetMaterial(ctx, &oa.MediaID{MediaID: video.MediaID})); m.Title != "标题 <1>" || m.Description != "about & about" || m.DownURL == "" {
			t.Errorf("the video is %+v", m)
		}
		if n := must[*oa.GetMaterialCountReply](t)(c.GetMaterialCount(ctx)); *n != (oa.GetMaterialCountReply{ImageCount: 21, VoiceCount: 1, VideoCount: 1}) {
			t.Errorf("counts are %+v", n)
		}
		var ids []string
		for _, item := range collect(t, c.AllMaterials(ctx, oa.MediaImage)) {
			ids = append(ids, item.MediaID)
			if item.Name != "p.jpg" || item.URL == "" || item.UpdateTime == 0 {
				t.Errorf("an item is %+v", item)
			}
		}
		newestFirst := slices.Clone(pictures)
		slices.Reverse(newestFirst)
		if !slices.Equal(ids, newestFirst) {
			t.Errorf("the pictures are %v", ids)
		}
		wantCode(t, c.DeleteMaterial(ctx, &oa.MediaID{MediaID: pictures[0]}), 0)
		wantCode(t, c.DeleteMaterial(ctx, &oa.MediaID{MediaID: pictures[0]}), 40007)
		_, err := c.GetMaterial(ctx, &oa.MediaID{MediaID: pictures[0]})
		wantCode(t, err, 40007)
		wantEqual(t, "pictures left", must[*oa.GetMaterialCountReply](t)(c.GetMaterialCount(ctx)).ImageCount, 20)
		_, err = c.ListMaterials(ctx, &oa.ListMaterialsRequest{Type: "song", Count: 20})
		wantCode(t, err, 40004)
		_, err = c.ListMaterials(ctx, &oa.ListMaterialsRequest{Type: oa.MediaImage, Count: 21})
		wantCode(t, err, 40097)
		_, err = c.GetTempMedia(ctx, &oa.TempMediaID{MediaID: voice.MediaID})
		wantCode(t, err, 40007)

		one := must[*oa.UploadArticleImageReply](t)(c.UploadArticleImage(ctx, &oa.UploadArticleImageRequest{Media: fileOf("a.png", "x")}))
		two := must[*oa.UploadArticleImageReply](t)(c.UploadArticleImage(ctx, &oa.UploadArticleImageRequest{Media: fileOf("a.png", "x")}))
		if one.URL == "" || one.URL == two.URL {
			t.Errorf("URLs are %q and %q", one.URL, two.URL)
		}
		_, err = c.UploadArticleImage(ctx, &oa.UploadArticleImageRequest{Media: fileOf("a.gif", "x")})
		wantCode(t, err, 40005)
		_, err = c.UploadArticleImage(ctx, &oa.UploadArticleImageRequest{Media: fileOf("a.png", strings.Repeat("x", 1<<20+1))})
		wantCode(t, err, 40009)
	})
}
