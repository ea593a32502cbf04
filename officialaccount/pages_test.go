package officialaccount

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"testing"
	"time"

	"github.com/seed175cf469/wechat"
)

// collect walks to the end.
func collect[T any](t *testing.T, seq iter.Seq2[T, error]) []T {
	t.Helper()
	var all []T
	for item, err := range seq {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, item)
	}
	return all
}

func TestAllFollowers(t *testing.T) {
	for _, tt := range []struct {
		name  string
		pages []string // by cursor: "", then what the page before said
		want  []string
		calls int
	}{
		{"last page without data (P074)", []string{
			`{"total":10001,"count":2,"data":{"openid":["o1","o2"]},"next_openid":"o2"}`,
			`{"total":10001,"count":0,"next_openid":""}`,
		}, []string{"o1", "o2"}, 2},
		{"no followers (P074)", []string{`{"total":0,"count":0,"data":{"openid":[]},"next_openid":""}`}, nil, 1},
		{"data that is an empty text", []string{`{"total":0,"count":0,"data":"","next_openid":""}`}, nil, 1},
		{"no cursor on the last page", []string{
			`{"total":3,"count":2,"data":{"openid":["o1","o2"]},"next_openid":"o2"}`,
			`{"total":3,"count":1,"data":{"openid":["o3"]},"next_openid":""}`,
		}, []string{"o1", "o2", "o3"}, 2},
		{"a cursor that stands still", []string{
			`{"total":9,"count":1,"data":{"openid":["o1"]},"next_openid":"o1"}`,
			`{"total":9,"count":1,"data":{"openid":["o2"]},"next_openid":"o1"}`,
			`{"total":9,"count":1,"data":{"openid":["o2"]},"next_openid":"o1"}`,
		}, []string{"o1", "o2"}, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &server{reply: func(r request) response {
				if r.path == "/cgi-bin/user/get" {
					return jsonBody(tt.pages[r.n])
				}
				return response{}
			}}
			if got := collect(t, s.client().AllFollowers(t.Context())); !slices.Equal(got, tt.want) {
				t.Errorf("the followers are %v, want %v", got, tt.want)
			}
			calls := s.to("/cgi-bin/user/get")
			if len(calls) != tt.calls {
				t.Errorf("%d calls, want %d", len(calls), tt.calls)
			}
			if calls[0].query.Has("next_openid") {
				t.Error("the first page has a cursor")
			}
		})
	}
}

func TestAllFollowersEndsEarly(t *testing.T) {
	s := &server{reply: func(r request) response {
		if r.path == "/cgi-bin/user/get" {
			return jsonBody(fmt.Sprintf(`{"count":2,"data":{"openid":["a%d","b%d"]},"next_openid":"c%d"}`, r.n, r.n, r.n))
		}
		return response{}
	}}
	for openid := range s.client().AllFollowers(t.Context()) {
		if openid == "a1" {
			break
		}
	}
	if n := len(s.to("/cgi-bin/user/get")); n != 2 {
		t.Errorf("%d pages were read, want 2", n)
	}
}

func TestAllFollowersEndsWithAnError(t *testing.T) {
	s := &server{reply: func(r request) response {
		switch {
		case r.path != "/cgi-bin/user/get":
			return response{}
		case r.n == 0:
			return jsonBody(`{"count":1,"data":{"openid":["o1"]},"next_openid":"o1"}`)
		}
		return jsonBody(`{"errcode":48001,"errmsg":"api unauthorized rid: 65000000-0badcafe-00000001"}`)
	}}
	var got []string
	var errs []error
	for openid, err := range s.client().AllFollowers(t.Context()) {
		got, errs = append(got, openid), append(errs, err)
	}
	if len(got) != 2 || got[0] != "o1" || errs[0] != nil || got[1] != "" || !errors.Is(errs[1], wechat.Code(48001)) {
		t.Errorf("got %v, %v", got, errs)
	}
}

// The cursor of these two travels in the body, under other names than in the reply.
func TestCursorsInBodies(t *testing.T) {
	s := &server{reply: func(r request) response {
		if r.n == 0 && r.path != "/cgi-bin/stable_token" {
			return jsonBody(`{"total":2,"count":1,"data":{"openid":["o1"]},"next_openid":"o1"}`)
		}
		return response{}
	}}
	oa := s.client()
	collect(t, oa.AllBlacklist(t.Context()))
	collect(t, oa.AllTagFollowers(t.Context(), 2))
	for path, want := range map[string][]string{
		"/cgi-bin/tags/members/getblacklist": {`{}`, `{"begin_openid":"o1"}`},
		"/cgi-bin/user/tag/get":              {`{"tagid":2}`, `{"tagid":2,"next_openid":"o1"}`},
	} {
		var got []string
		for _, r := range s.to(path) {
			got = append(got, r.body)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s was asked %v, want %v", path, got, want)
		}
	}
}

func TestAllDrafts(t *testing.T) {
	const total = 45
	s := &server{reply: func(r request) response {
		if r.path != "/cgi-bin/draft/batchget" {
			return response{}
		}
		var asked ListArticlesRequest
		if err := json.Unmarshal([]byte(r.body), &asked); err != nil || asked.Count != 20 {
			t.Errorf("asked %s", r.body)
		}
		page := ListDraftsReply{TotalCount: total}
		for i := asked.Offset; i < min(asked.Offset+asked.Count, total); i++ {
			page.Item = append(page.Item, Draft{MediaID: fmt.Sprint(i)})
		}
		body, _ := json.Marshal(page)
		return jsonBody(string(body))
	}}
	drafts := collect(t, s.client().AllDrafts(t.Context()))
	if len(drafts) != total || drafts[44].MediaID != "44" || len(s.to("/cgi-bin/draft/batchget")) != 3 {
		t.Errorf("%d drafts in %d pages", len(drafts), len(s.to("/cgi-bin/draft/batchget")))
	}
}

// A total that is too large, as while things are being deleted, must not loop for ever.
func TestOffsetsEndOnAnEmptyPage(t *testing.T) {
	s := &server{reply: func(r request) response {
		if r.path == "/cgi-bin/material/batchget_material" && r.n == 0 {
			return jsonBody(`{"total_count":100,"item_count":1,"item":[{"media_id":"m1","name":"a.jpg"}]}`)
		}
		return response{}
	}}
	if got := collect(t, s.client().AllMaterials(t.Context(), MediaImage)); len(got) != 1 {
		t.Errorf("%d pieces of material, want 1", len(got))
	}
	if n := len(s.to("/cgi-bin/material/batchget_material")); n != 2 {
		t.Errorf("%d pages, want 2", n)
	}
}

func TestAllKfMessages(t *testing.T) {
	full := make([]KfMessage, 10_000)
	s := &server{reply: func(r request) response {
		if r.path != "/customservice/msgrecord/getmsglist" {
			return response{}
		}
		page := ListKfMessagesReply{RecordList: full, Number: len(full), MsgID: 20165267}
		if r.n == 1 {
			page = ListKfMessagesReply{RecordList: full[:3], Number: 3, MsgID: 20165270}
		}
		body, _ := json.Marshal(page)
		return jsonBody(string(body))
	}}
	start := time.Unix(1700000000, 0)
	if got := collect(t, s.client().AllKfMessages(t.Context(), start, start.Add(time.Hour))); len(got) != 10_003 {
		t.Errorf("%d messages, want 10003", len(got))
	}
	got := s.to("/customservice/msgrecord/getmsglist")
	if len(got) != 2 || got[0].body != `{"starttime":1700000000,"endtime":1700003600,"msgid":1,"number":10000}` ||
		got[1].body != `{"starttime":1700000000,"endtime":1700003600,"msgid":20165267,"number":10000}` {
		t.Errorf("asked %+v", got)
	}
}

// The platform sends a page of one message without the list around it, and ids as numbers.
func TestAllBlockedTemplateMessages(t *testing.T) {
	s := &server{reply: func(r request) response {
		if r.path != "/wxa/sec/queryblocktmplmsg" {
			return response{}
		}
		switch r.n {
		case 0:
			return jsonBody(`{"errcode":0,"msginfo":[{"id":1,"openid":"o1"},{"id":"7","openid":"o2"}]}`)
		case 1:
			return jsonBody(`{"errcode":0,"msginfo":{"id":9,"openid":"o3"}}`)
		}
		return jsonBody(`{"errcode":0}`)
	}}
	got := collect(t, s.client().AllBlockedTemplateMessages(t.Context(), "T1"))
	if len(got) != 3 || got[2].OpenID != "o3" || got[2].ID != "9" {
		t.Errorf("got %+v", got)
	}
	asked := s.to("/wxa/sec/queryblocktmplmsg")
	if len(asked) != 3 || asked[2].body != `{"tmpl_msg_id":"T1","largest_id":9,"limit":100}` {
		t.Errorf("asked %+v", asked)
	}
}
