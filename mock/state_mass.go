package mock

import (
	"slices"
	"strconv"
	"time"
)

const (
	minMass = 2
	maxMass = 10_000
)

// massMessage is a message that stands in the queue or was sent.
type massMessage struct {
	id      int
	at      time.Time // when it is sent
	deleted bool
}

func (st *state) sendToAll(x *exchange) Reply {
	var r struct {
		Filter struct {
			IsToAll bool  `json:"is_to_all"`
			TagID   int64 `json:"tag_id"`
		} `json:"filter"`
	}
	x.into(&r)
	if !r.Filter.IsToAll && !st.tags.exists(r.Filter.TagID) {
		return refuse(40152)
	}
	return st.sendMass(x)
}

func (st *state) sendToMany(x *exchange) Reply {
	switch n := len(x.Recipients); {
	case n < minMass:
		return refuse(40130)
	case n > maxMass:
		return refuse(40032)
	}
	return st.sendMass(x)
}

// sendMass queues a message. Articles of a draft are no draft afterwards.
func (st *state) sendMass(x *exchange) Reply {
	var r struct {
		MPNews *struct {
			MediaID string `json:"media_id"`
		} `json:"mpnews"`
	}
	x.into(&r)
	reply := fields{}
	if r.MPNews != nil {
		d, news := st.draft(r.MPNews.MediaID), st.temporary(r.MPNews.MediaID)
		switch {
		case d != nil:
			st.removeDraft(d)
		case news == nil || news.kind != "news":
			return refuse(40007)
		}
		reply["msg_data_id"] = st.number()
	}
	m := &massMessage{id: st.number(), at: time.Now().Add(st.s.jobTime)}
	st.masses = append(st.masses, m)
	reply["msg_id"] = m.id
	return succeed(reply)
}

// mass finds the message that a request names, by a number or its text.
func (st *state) mass(x *exchange) *massMessage {
	id, _ := x.field("body", "msg_id")
	if i := slices.IndexFunc(st.masses, func(m *massMessage) bool { return strconv.Itoa(m.id) == id }); i >= 0 {
		return st.masses[i]
	}
	return nil
}

func (st *state) massStatus(x *exchange) Reply {
	m := st.mass(x)
	if m == nil {
		return refuse(40059)
	}
	status := "SEND_SUCCESS"
	switch {
	case m.deleted:
		status = "DELETE"
	case time.Now().Before(m.at):
		status = "SENDING"
	}
	return bare(fields{"msg_id": m.id, "msg_status": status})
}

func (st *state) deleteMass(x *exchange) Reply {
	if _, byURL := x.field("body", "url"); byURL && x.object()["msg_id"] == nil {
		return done()
	}
	m := st.mass(x)
	if m == nil {
		return refuse(40059)
	}
	// One article of several leaves the message.
	index, _ := x.field("body", "article_idx")
	m.deleted = m.deleted || index == "" || index == "0"
	return done()
}
