package mock

import (
	"slices"
	"time"

	"github.com/seed175cf469/wechat"
)

const (
	errNotFollowing wechat.Code = 43004

	followersPage  = 10_000
	blockedPage    = 1_000
	profilesAtOnce = 100
	blocksAtOnce   = 20
	maxRemark      = 30 // bytes; a remark is shorter
)

// person is somebody whom an account knows.
type person struct {
	id      string
	since   time.Time // last began to follow
	remark  string
	tags    []int64
	blocked bool
}

// people are those whom an account knows, in the order in which they came.
type people struct {
	closed bool // Followers has said who follows
	list   []*person
	place  map[string]int // in list
}

// Followers makes people follow an account. As long as this was not called for it, everybody follows who did not
// Unfollow, but only those are listed to whom something was done, as with tags or remarks. Afterwards others do not
// follow: they cannot be sent messages (43004).
func (s *Server) Followers(app string, openids ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.stateOf(app)
	st.closed = true
	for _, id := range openids {
		st.meet(id).since = time.Now()
		delete(s.gone, id)
	}
}

// Unfollow makes people follow no account any more: messages to them fail with 43004. Follow takes it back.
func (s *Server) Unfollow(openids ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range openids {
		s.gone[id] = true
	}
}

// Follow takes back an Unfollow.
func (s *Server) Follow(openids ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range openids {
		if !s.gone[id] {
			continue
		}
		delete(s.gone, id)
		for _, st := range s.states {
			if p := st.person(id); p != nil {
				p.since = time.Now()
			}
		}
	}
}

// meet makes a person known.
func (st *state) meet(id string) *person {
	if p := st.person(id); p != nil {
		return p
	}
	if st.place == nil {
		st.place = map[string]int{}
	}
	p := &person{id: id, since: st.began}
	st.place[id] = len(st.list)
	st.list = append(st.list, p)
	return p
}

// person is nil for somebody who is not known.
func (st *state) person(id string) *person {
	if i, ok := st.place[id]; ok {
		return st.list[i]
	}
	return nil
}

// follows reports whether somebody follows the account.
func (st *state) follows(id string) bool {
	_, known := st.place[id]
	return !st.s.gone[id] && (known || !st.closed)
}

// stranger reports whether the openid cannot be one of this account's.
func (st *state) stranger(id string) bool { return st.closed && st.person(id) == nil }

// openIDs answers with the page of a list that begins after cursor; counted lists tell their total. The last page
// names its last openid as the cursor like any other; only the empty page after it has none, and no data.
func (st *state) openIDs(cursor string, size int, counted bool, which func(*person) bool) Reply {
	at, ok := st.place[cursor]
	if cursor != "" && !ok {
		return refuse(40003)
	}
	var page []string
	total := 0
	for i, p := range st.list {
		if !which(p) {
			continue
		}
		total++
		if (i > at || cursor == "") && len(page) < size {
			page = append(page, p.id)
		}
	}
	reply := fields{"count": len(page), "next_openid": ""}
	if counted {
		reply["total"] = total
	}
	if len(page) > 0 {
		reply["data"] = fields{"openid": page}
		reply["next_openid"] = page[len(page)-1]
	}
	return bare(reply)
}

func (st *state) listFollowers(x *exchange) Reply {
	return st.openIDs(x.Query.Get("next_openid"), followersPage, true, func(p *person) bool { return !st.s.gone[p.id] })
}

func (st *state) userInfo(x *exchange) Reply { return bare(st.profile(x.Query.Get("openid"))) }

func (st *state) userInfos(x *exchange) Reply {
	var r struct {
		UserList []struct {
			OpenID string `json:"openid"`
		} `json:"user_list"`
	}
	x.into(&r)
	if len(r.UserList) < 1 || len(r.UserList) > profilesAtOnce {
		return refuse(40032)
	}
	profiles := []fields{}
	for _, u := range r.UserList {
		profiles = append(profiles, st.profile(u.OpenID))
	}
	return bare(fields{"user_info_list": profiles})
}

// profile is what the account may know of a person.
func (st *state) profile(id string) fields {
	if !st.follows(id) {
		return fields{"subscribe": 0, "openid": id, "tagid_list": []int64{}}
	}
	p := st.person(id)
	if p == nil {
		p = &person{id: id, since: st.began}
	}
	return fields{
		"subscribe": 1, "openid": id, "nickname": "", "sex": 0, "language": "zh_CN", "city": "", "province": "", "country": "", "headimgurl": "",
		"subscribe_time": p.since.Unix(), "remark": p.remark, "groupid": 0, "tagid_list": append([]int64{}, p.tags...),
		"subscribe_scene": "ADD_SCENE_SEARCH", "qr_scene": 0, "qr_scene_str": "",
	}
}

func (st *state) updateRemark(x *exchange) Reply {
	var r struct {
		OpenID string `json:"openid"`
		Remark string `json:"remark"`
	}
	x.into(&r)
	switch {
	case !st.follows(r.OpenID):
		return refuse(errNotFollowing)
	case len(r.Remark) >= maxRemark:
		return refuse(40092)
	}
	st.meet(r.OpenID).remark = r.Remark
	return done()
}

func (st *state) listBlocked(x *exchange) Reply {
	var r struct {
		BeginOpenID string `json:"begin_openid"`
	}
	x.into(&r)
	return st.openIDs(r.BeginOpenID, blockedPage, true, func(p *person) bool { return p.blocked })
}

func (st *state) block(x *exchange) Reply { return st.setBlocked(x, true) }

func (st *state) unblock(x *exchange) Reply { return st.setBlocked(x, false) }

func (st *state) setBlocked(x *exchange, blocked bool) Reply {
	var r struct {
		OpenIDList []string `json:"openid_list"`
	}
	x.into(&r)
	switch {
	case len(r.OpenIDList) < 1 || len(r.OpenIDList) > blocksAtOnce:
		return refuse(40032)
	case slices.ContainsFunc(r.OpenIDList, st.stranger):
		return refuse(49003)
	}
	for _, id := range r.OpenIDList {
		st.meet(id).blocked = blocked
	}
	return done()
}
