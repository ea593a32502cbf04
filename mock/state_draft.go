package mock

import (
	"maps"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/seed175cf469/wechat"
)

const (
	maxArticles = 8
	maxTitle    = 32 // characters, as are the others
	maxAuthor   = 16
	maxDigest   = 128
	maxContent  = 20_000 // and less
)

// draft is articles that are not published.
type draft struct {
	id            string
	articles      []fields
	made, changed time.Time
}

// content is the articles as lists have them.
func content(articles []fields, made, changed time.Time, w window) fields {
	items := []fields{}
	for _, a := range articles {
		if w.NoContent == 1 {
			a = maps.Clone(a)
			delete(a, "content")
		}
		items = append(items, a)
	}
	return fields{"news_item": items, "create_time": made.Unix(), "update_time": changed.Unix()}
}

// articleRequest is what is checked of an article.
type articleRequest struct {
	Type         string `json:"article_type"`
	Title        string `json:"title"`
	Author       string `json:"author"`
	Digest       string `json:"digest"`
	Content      string `json:"content"`
	ThumbMediaID string `json:"thumb_media_id"`
	ImageInfo    struct {
		ImageList []struct {
			ImageMediaID string `json:"image_media_id"`
		} `json:"image_list"`
	} `json:"image_info"`
}

// refusal is what is wrong with an article.
func (st *state) refusal(a *articleRequest) wechat.Code {
	pictures := []string{a.ThumbMediaID}
	if a.Type == "newspic" {
		pictures = nil
		for _, image := range a.ImageInfo.ImageList {
			pictures = append(pictures, image.ImageMediaID)
		}
	}
	missing := func(id string) bool { return findFile(st.material, id) == nil }
	switch {
	case a.Title == "" || utf8.RuneCountInString(a.Title) > maxTitle:
		return 45003
	case utf8.RuneCountInString(a.Author) > maxAuthor:
		return 45110
	case utf8.RuneCountInString(a.Digest) > maxDigest:
		return 45004
	case a.Content == "":
		return 44003
	case utf8.RuneCountInString(a.Content) >= maxContent:
		return 45002
	case st.strict() && (len(pictures) == 0 || slices.ContainsFunc(pictures, missing)):
		return 40007
	}
	return 0
}

// stored is an article as the platform keeps it.
func stored(article any, address string) fields {
	given, _ := article.(fields)
	kept := fields{"article_type": "news", "author": "", "digest": "", "content_source_url": "", "thumb_media_id": "", "thumb_url": "",
		"show_cover_pic": 0, "need_open_comment": 0, "only_fans_can_comment": 0, "url": address}
	maps.Copy(kept, given)
	if id, _ := kept["thumb_media_id"].(string); id != "" {
		kept["thumb_url"] = mockURL("material", id)
	}
	return kept
}

func (st *state) addDraft(x *exchange) Reply {
	var r struct {
		Articles []articleRequest `json:"articles"`
	}
	x.into(&r)
	if len(r.Articles) < 1 || len(r.Articles) > maxArticles {
		return refuse(45008)
	}
	for i := range r.Articles {
		if code := st.refusal(&r.Articles[i]); code != 0 {
			return refuse(code)
		}
	}
	now := time.Now()
	d := &draft{id: st.mediaID("draft"), made: now, changed: now}
	given, _ := x.object()["articles"].([]any)
	for _, a := range given {
		d.articles = append(d.articles, stored(a, mockURL("draft", d.id)))
	}
	st.drafts = append(st.drafts, d)
	return bare(fields{"media_id": d.id})
}

// draftOf finds the draft that a request names.
func (st *state) draftOf(x *exchange) *draft {
	id, _ := x.field("body", "media_id")
	return st.draft(id)
}

func (st *state) draft(id string) *draft {
	if i := slices.IndexFunc(st.drafts, func(d *draft) bool { return d.id == id }); i >= 0 {
		return st.drafts[i]
	}
	return nil
}

func (st *state) removeDraft(d *draft) {
	st.drafts = slices.DeleteFunc(st.drafts, func(o *draft) bool { return o == d })
}

func (st *state) getDraft(x *exchange) Reply {
	d := st.draftOf(x)
	if d == nil {
		return refuse(40007)
	}
	return bare(fields{"news_item": d.articles})
}

func (st *state) updateDraft(x *exchange) Reply {
	var r struct {
		Index   int            `json:"index"`
		Article articleRequest `json:"articles"`
	}
	x.into(&r)
	d := st.draftOf(x)
	switch {
	case d == nil:
		return refuse(40007)
	case r.Index < 0 || r.Index >= len(d.articles):
		return refuse(40114)
	}
	if code := st.refusal(&r.Article); code != 0 {
		return refuse(code)
	}
	d.articles[r.Index] = stored(x.object()["articles"], mockURL("draft", d.id))
	d.changed = time.Now()
	return done()
}

func (st *state) deleteDraft(x *exchange) Reply {
	d := st.draftOf(x)
	if d == nil {
		return refuse(40007)
	}
	st.removeDraft(d)
	return done()
}

func (st *state) countDrafts(*exchange) Reply {
	return bare(fields{"total_count": len(st.drafts)})
}

func (st *state) listDrafts(x *exchange) Reply {
	var w window
	x.into(&w)
	newest := slices.Clone(st.drafts)
	slices.Reverse(newest)
	return listing(newest, w, func(d *draft) fields {
		return fields{"media_id": d.id, "content": content(d.articles, d.made, d.changed, w), "update_time": d.changed.Unix()}
	})
}

// publication is a draft that is being published, and then its articles.
type publication struct {
	id       int
	article  string
	articles []fields
	deleted  []bool
	at       time.Time // when it is done
}

func (p *publication) gone() bool { return !slices.Contains(p.deleted, false) }

func (p *publication) running() bool { return time.Now().Before(p.at) }

// JobTime sets how long publishing and mass messages take from now on: until then they are told to be under way. The
// default is 0. A job that fails is a matter for Script, as of GetPublishStatus.
func (s *Server) JobTime(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.jobTime = d
}

func (st *state) submitPublish(x *exchange) Reply {
	d := st.draftOf(x)
	if d == nil {
		return refuse(40007)
	}
	st.removeDraft(d)
	n := st.number()
	p := &publication{id: n, article: "mock-article-" + strconv.Itoa(n), deleted: make([]bool, len(d.articles)), at: time.Now().Add(st.s.jobTime)}
	for i, a := range d.articles {
		a = maps.Clone(a)
		for _, name := range []string{"article_type", "image_info", "cover_info", "product_info"} {
			delete(a, name)
		}
		a["url"] = mockURL("s", p.article+"-"+strconv.Itoa(i+1))
		p.articles = append(p.articles, a)
	}
	st.publications = append(st.publications, p)
	return succeed(fields{"publish_id": p.id, "msg_data_id": st.number()})
}

func (st *state) publishStatus(x *exchange) Reply {
	id, _ := x.field("body", "publish_id")
	i := slices.IndexFunc(st.publications, func(p *publication) bool { return strconv.Itoa(p.id) == id })
	if i < 0 {
		return refuse(40097)
	}
	p := st.publications[i]
	reply := fields{"publish_id": p.id, "publish_status": 0, "fail_idx": []int{}}
	switch {
	case p.running():
		reply["publish_status"] = 1
	case p.gone():
		reply["publish_status"] = 5
	default:
		items := []fields{}
		for i, a := range p.articles {
			items = append(items, fields{"idx": i + 1, "article_url": a["url"]})
		}
		reply["article_id"], reply["article_detail"] = p.article, fields{"count": len(items), "item": items}
	}
	return bare(reply)
}

// published finds articles that are out.
func (st *state) published(id string) *publication {
	for _, p := range st.publications {
		if p.article == id && !p.running() && !p.gone() {
			return p
		}
	}
	return nil
}

// items are the articles with the mark of those that were deleted.
func (p *publication) items() []fields {
	list := []fields{}
	for i, a := range p.articles {
		a = maps.Clone(a)
		a["is_deleted"] = p.deleted[i]
		list = append(list, a)
	}
	return list
}

func (st *state) getArticle(x *exchange) Reply {
	id, _ := x.field("body", "article_id")
	p := st.published(id)
	if p == nil {
		return refuse(53600)
	}
	return bare(fields{"news_item": p.items()})
}

func (st *state) listArticles(x *exchange) Reply {
	var w window
	x.into(&w)
	var newest []*publication
	for _, p := range slices.Backward(st.publications) {
		if st.published(p.article) == p {
			newest = append(newest, p)
		}
	}
	return listing(newest, w, func(p *publication) fields {
		return fields{"article_id": p.article, "content": content(p.items(), p.at, p.at, w), "update_time": p.at.Unix()}
	})
}

func (st *state) deleteArticle(x *exchange) Reply {
	var r struct {
		ArticleID string `json:"article_id"`
		Index     int    `json:"index"` // counts from 1
	}
	x.into(&r)
	p := st.published(r.ArticleID)
	switch {
	case p == nil:
		return refuse(53600)
	case r.Index < 0 || r.Index > len(p.articles):
		return refuse(40114)
	}
	for i := range p.deleted {
		p.deleted[i] = p.deleted[i] || r.Index == 0 || r.Index == i+1
	}
	return done()
}
