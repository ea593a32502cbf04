package mock

import (
	"encoding/json"
	"slices"
)

func (st *state) addMaterial(x *exchange) Reply {
	f, code := st.upload(x)
	if code != 0 {
		return refuse(code)
	}
	reply := fields{"media_id": f.id}
	switch f.kind {
	case "image":
		reply["url"] = mockURL("material", f.id)
	case "video":
		var d struct{ Title, Introduction string }
		if json.Unmarshal([]byte(x.form.Get("description")), &d) != nil {
			return refuse(47001)
		}
		f.title, f.introduction = d.Title, d.Introduction
		reply["url"] = ""
	}
	st.material = append(st.material, f)
	return bare(reply)
}

func (st *state) getMaterial(x *exchange) Reply {
	id, _ := x.field("body", "media_id")
	f := findFile(st.material, id)
	switch {
	case f == nil:
		return refuse(40007)
	case f.kind == "video":
		return bare(fields{"title": f.title, "description": f.introduction, "down_url": mockURL("video", f.id)})
	}
	return f.reply()
}

func (st *state) deleteMaterial(x *exchange) Reply {
	id, _ := x.field("body", "media_id")
	if findFile(st.material, id) == nil {
		return refuse(40007)
	}
	st.material = slices.DeleteFunc(st.material, func(f *file) bool { return f.id == id })
	return done()
}

func (st *state) countMaterial(*exchange) Reply {
	counts := map[string]int{}
	for _, f := range st.material {
		counts[f.kind]++
	}
	return bare(fields{"voice_count": counts["voice"], "video_count": counts["video"], "image_count": counts["image"], "news_count": 0})
}

func (st *state) listMaterial(x *exchange) Reply {
	var r struct {
		window
		Type string `json:"type"`
	}
	x.into(&r)
	if !slices.Contains([]string{"image", "voice", "video", "news"}, r.Type) {
		return refuse(40004)
	}
	var files []*file // newest first
	for _, f := range slices.Backward(st.material) {
		if f.kind == r.Type {
			files = append(files, f)
		}
	}
	return listing(files, r.window, func(f *file) fields {
		item := fields{"media_id": f.id, "name": f.name, "update_time": f.at.Unix()}
		if f.kind == "image" {
			item["url"] = mockURL("material", f.id)
		}
		return item
	})
}
