package mock

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed175cf469/wechat"
)

const (
	errSomeFailed wechat.Code = 45171

	maxTags     = 100
	maxTagName  = 30 // characters
	maxTagsEach = 20
	maxTagged   = 100_000 // followers of a tag that can be deleted
	tagsAtOnce  = 50      // people
	firstTag    = 100     // those below are the platform's own
	starTag     = 2
	starTagName = "星标组"
)

type tag struct {
	id   int64
	name string
}

// tags are those of an account, without the platform's own.
type tags struct {
	own  []tag
	made int64
}

func (t *tags) find(id int64) int {
	return slices.IndexFunc(t.own, func(o tag) bool { return o.id == id })
}

func (t *tags) exists(id int64) bool { return id == starTag || t.find(id) >= 0 }

// named tells what is wrong with a name for the tag with this id.
func (t *tags) named(id int64, name string) wechat.Code {
	switch {
	case strings.TrimSpace(name) == "", name == starTagName,
		slices.ContainsFunc(t.own, func(o tag) bool { return o.name == name && o.id != id }):
		return 45157
	case utf8.RuneCountInString(name) > maxTagName:
		return 45158
	}
	return 0
}

// tagRequest is a request that is about a tag itself.
type tagRequest struct {
	Tag struct {
		ID   int64  `json:"id"`
		Name string `json:"name"`
	} `json:"tag"`
}

func (st *state) createTag(x *exchange) Reply {
	var r tagRequest
	x.into(&r)
	if code := st.tags.named(0, r.Tag.Name); code != 0 {
		return refuse(code)
	}
	if len(st.tags.own) >= maxTags {
		return refuse(45056)
	}
	t := tag{firstTag + st.tags.made, r.Tag.Name}
	st.tags.made++
	st.tags.own = append(st.tags.own, t)
	return bare(fields{"tag": fields{"id": t.id, "name": t.name}})
}

// counts is the number of followers of each tag.
func (st *state) counts() map[int64]int {
	counts := map[int64]int{}
	for _, p := range st.list {
		if !st.s.gone[p.id] {
			for _, id := range p.tags {
				counts[id]++
			}
		}
	}
	return counts
}

func (st *state) listTags(*exchange) Reply {
	counts := st.counts()
	list := []fields{}
	for _, t := range append([]tag{{starTag, starTagName}}, st.tags.own...) {
		list = append(list, fields{"id": t.id, "name": t.name, "count": counts[t.id]})
	}
	return bare(fields{"tags": list})
}

func (st *state) updateTag(x *exchange) Reply {
	var r tagRequest
	x.into(&r)
	i := st.tags.find(r.Tag.ID)
	switch code := st.tags.named(r.Tag.ID, r.Tag.Name); {
	case r.Tag.ID < firstTag:
		return refuse(45058)
	case i < 0:
		return refuse(45159)
	case code != 0:
		return refuse(code)
	}
	st.tags.own[i].name = r.Tag.Name
	return done()
}

func (st *state) deleteTag(x *exchange) Reply {
	var r tagRequest
	x.into(&r)
	i := st.tags.find(r.Tag.ID)
	switch {
	case r.Tag.ID < firstTag:
		return refuse(45058)
	case i < 0:
		return refuse(45159)
	case st.counts()[r.Tag.ID] > maxTagged:
		return refuse(45057)
	}
	st.tags.own = slices.Delete(st.tags.own, i, i+1)
	for _, p := range st.list {
		p.drop(r.Tag.ID)
	}
	return done()
}

func (p *person) carries(tag int64) bool { return slices.Contains(p.tags, tag) }

func (p *person) drop(tag int64) {
	p.tags = slices.DeleteFunc(p.tags, func(id int64) bool { return id == tag })
}

func (st *state) tagsOf(x *exchange) Reply {
	var r struct {
		OpenID string `json:"openid"`
	}
	x.into(&r)
	if st.stranger(r.OpenID) {
		return refuse(49003)
	}
	ids := []int64{}
	if p := st.person(r.OpenID); p != nil {
		ids = append(ids, p.tags...)
	}
	return bare(fields{"tagid_list": ids})
}

func (st *state) listTagged(x *exchange) Reply {
	var r struct {
		TagID      int64  `json:"tagid"`
		NextOpenID string `json:"next_openid"`
	}
	x.into(&r)
	if !st.tags.exists(r.TagID) {
		return refuse(45159)
	}
	return st.openIDs(r.NextOpenID, followersPage, false, func(p *person) bool { return !st.s.gone[p.id] && p.carries(r.TagID) })
}

func (st *state) tag(x *exchange) Reply {
	return st.eachTagged(x, func(p *person, id int64) {
		if !p.carries(id) {
			p.tags = append(p.tags, id)
		}
	}, func(p *person, id int64) bool { return len(p.tags) >= maxTagsEach && !p.carries(id) })
}

func (st *state) untag(x *exchange) Reply {
	return st.eachTagged(x, (*person).drop, func(*person, int64) bool { return false })
}

// eachTagged changes the tags of people. It fails for those who have gone.
func (st *state) eachTagged(x *exchange, change func(*person, int64), full func(*person, int64) bool) Reply {
	var r struct {
		OpenIDList []string `json:"openid_list"`
		TagID      int64    `json:"tagid"`
	}
	x.into(&r)
	switch {
	case len(r.OpenIDList) < 1 || len(r.OpenIDList) > tagsAtOnce:
		return refuse(40032)
	case !st.tags.exists(r.TagID):
		return refuse(45159)
	case slices.ContainsFunc(r.OpenIDList, st.stranger):
		return refuse(49003)
	}
	failed := []string{}
	for _, id := range r.OpenIDList {
		switch {
		case st.s.gone[id]:
			failed = append(failed, id)
		case full(st.meet(id), r.TagID):
			return refuse(45059)
		}
	}
	for _, id := range r.OpenIDList {
		if !st.s.gone[id] {
			change(st.meet(id), r.TagID)
		}
	}
	if len(failed) > 0 {
		return Reply{Code: errSomeFailed, JSON: fields{"fail_openid_list": failed}}
	}
	return done()
}
