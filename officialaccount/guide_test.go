package officialaccount

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed175cf469/wechat"
)

// Ids of groups are text with zeros in front, and numbers in some replies.
func TestGuideGroupIDs(t *testing.T) {
	created, err := answer("/cgi-bin/guide/newguidegroup", `{"errcode":0,"group_id":"0012"}`).client().
		CreateGuideGroup(t.Context(), &CreateGuideGroupRequest{GroupName: "g"})
	if err != nil || created.GroupID != "0012" {
		t.Errorf("got %+v, %v", created, err)
	}
	list, err := answer("/cgi-bin/guide/getguidegrouplist", `{"errcode":0,"group_list":[{"id":1562,"name":"g","create_time":1,"update_time":2}]}`).
		client().ListGuideGroups(t.Context())
	if err != nil || !slices.Equal(list.GroupList, []GuideGroup{{"1562", "g", 1, 2}}) {
		t.Errorf("got %+v, %v", list, err)
	}
	of, err := answer("/cgi-bin/guide/getgroupbyguide", `{"errcode":0,"group_id_list":[1562,"0012"]}`).client().
		ListGroupsOfGuide(t.Context(), &ListGroupsOfGuideRequest{GuideAccount: "w1"})
	if err != nil || !slices.Equal(of.GroupIDList, []string{"1562", "0012"}) {
		t.Errorf("got %+v, %v", of, err)
	}
	s := answer("/cgi-bin/guide/delguidegroup", `{"errcode":0}`)
	if err := s.client().DeleteGuideGroup(t.Context(), &GuideGroupID{GroupID: "0012"}); err != nil {
		t.Error(err)
	}
	sameJSON(t, sentTo(t, s, "/cgi-bin/guide/delguidegroup"), `{"group_id":"0012"}`)
}

// A call for many buyers succeeds although it fails for some: that is told, to the caller and to the observer.
func TestGuideBuyersFailOneByOne(t *testing.T) {
	const rows = `{"errcode":0,"errmsg":"ok","buyer_resp":[{"errcode":0,"errmsg":"ok","openid":"o1"},
		{"errcode":43004,"errmsg":"require subscribe","openid":"o2"},{"errcode":"9300806","openid":"o3"}]}`
	list := GuideBuyers{OpenIDList: []string{"o1", "o2", "o3"}}
	guide := GuideRef{GuideAccount: "w1"}
	for _, tt := range []struct {
		path string
		call func(context.Context, *Client) (*GuideBuyersReply, error)
	}{
		{"addguidebuyerrelation", func(ctx context.Context, c *Client) (*GuideBuyersReply, error) {
			return c.AddGuideBuyers(ctx, &AddGuideBuyersRequest{GuideRef: guide,
				BuyerList: []NewGuideBuyer{{OpenID: "o1"}, {OpenID: "o2"}, {OpenID: "o3"}}})
		}},
		{"delguidebuyerrelation", func(ctx context.Context, c *Client) (*GuideBuyersReply, error) {
			return c.RemoveGuideBuyers(ctx, &RemoveGuideBuyersRequest{GuideRef: guide, GuideBuyers: list})
		}},
		{"rebindguideacctforbuyer", func(ctx context.Context, c *Client) (*GuideBuyersReply, error) {
			return c.TransferGuideBuyers(ctx, &TransferGuideBuyersRequest{OldGuideAccount: "w1", NewGuideAccount: "w2", GuideBuyers: list})
		}},
		{"addguidebuyertag", func(ctx context.Context, c *Client) (*GuideBuyersReply, error) {
			return c.TagGuideBuyers(ctx, &TagGuideBuyersRequest{GuideRef: guide, TagValue: "vip", GuideBuyers: list})
		}},
		{"delguidebuyertag", func(ctx context.Context, c *Client) (*GuideBuyersReply, error) {
			return c.UntagGuideBuyers(ctx, &TagGuideBuyersRequest{GuideRef: guide, TagValue: "vip", GuideBuyers: list})
		}},
	} {
		t.Run(tt.path, func(t *testing.T) {
			var reached []string
			partial := 0
			c := answer("/cgi-bin/guide/"+tt.path, rows).client(wechat.WithObserver(func(_ context.Context, e wechat.Event) {
				if e.Type == wechat.EventPartial {
					partial++
					reached = e.Call.Recipients
				}
			}))
			got, err := tt.call(t.Context(), c)
			if err != nil || !slices.Equal(got.Failed(), []string{"o2", "o3"}) || got.BuyerResp[2].ErrCode != 9300806 {
				t.Errorf("got %+v, %v", got, err)
			}
			if partial != 1 || !slices.Equal(reached, []string{"o1", "o2", "o3"}) {
				t.Errorf("%d events, of %v", partial, reached)
			}
		})
	}
	one, err := answer("/cgi-bin/guide/delguidebuyerrelation", `{"errcode":0}`).client().RemoveGuideBuyers(t.Context(),
		&RemoveGuideBuyersRequest{GuideRef: guide, GuideBuyers: GuideBuyers{OpenID: "o1"}})
	if err != nil || len(one.Failed()) != 0 {
		t.Errorf("one buyer: %+v, %v", one, err)
	}
}

// Whom a call reaches must be named, in one way or the other.
func TestGuideCallsToNobody(t *testing.T) {
	s := &server{}
	c := s.client()
	for _, err := range []error{
		c.AddGuide(t.Context(), &GuideInfo{}),
		func() error { _, err := c.AddGuideBuyers(t.Context(), &AddGuideBuyersRequest{}); return err }(),
		func() error { _, err := c.AddGuideMassJob(t.Context(), &AddGuideMassJobRequest{}); return err }(),
	} {
		if !errors.Is(err, wechat.ErrInvalidRequest) {
			t.Errorf("err %v", err)
		}
	}
	if len(s.requests) != 0 {
		t.Errorf("%d requests were made", len(s.requests))
	}
	for _, guide := range []GuideRef{{GuideAccount: "w1"}, {GuideOpenID: "o1"}} {
		if err := c.AddGuide(t.Context(), &GuideInfo{GuideRef: guide}); err != nil {
			t.Errorf("%+v: %v", guide, err)
		}
	}
}

// Ids of tasks have 19 digits, as a number or as text, and go back as the same number.
func TestGuideMassJobIDs(t *testing.T) {
	const id = 1332519773019865089 // a float64 ends in ...5088
	for _, sent := range []string{`1332519773019865089`, `"1332519773019865089"`} {
		added, err := answer("/cgi-bin/guide/addguidemassendjob", `{"errcode":0,"task_result":[{"task_id":`+sent+`,"openid":["o1"]}]}`).
			client().AddGuideMassJob(t.Context(), &AddGuideMassJobRequest{GuideRef: GuideRef{GuideAccount: "w1"}, TaskName: "t", OpenID: []string{"o1"}})
		if err != nil || added.TaskResult[0].TaskID != id {
			t.Errorf("%s: got %+v, %v", sent, added, err)
		}
		s := answer("/cgi-bin/guide/getguidemassendjob", `{"errcode":0,"job":{"task_id":`+sent+`,"task_status":2,
			"buyer_info":[{"openid":"o1","send_status":4}],"material":[{"type":3,"pic_url":"http://x.example/p"}]}}`)
		got, err := s.client().GetGuideMassJob(t.Context(), &GuideMassJobID{TaskID: id})
		if err != nil {
			t.Fatal(err)
		}
		if job := got.Job; job.TaskID != id || job.TaskStatus != GuideMassSending || job.BuyerInfo[0].SendStatus != GuideMassNoQuota ||
			job.Material[0] != (StoredGuideMassMaterial{Type: GuideMassImage, PicURL: "http://x.example/p"}) {
			t.Errorf("%s: got %+v", sent, job)
		}
		if body := sentTo(t, s, "/cgi-bin/guide/getguidemassendjob"); !strings.Contains(body, `:1332519773019865089}`) {
			t.Errorf("the body is %s", body)
		}
	}
	notRepeated(t, "/cgi-bin/guide/addguidemassendjob", func(ctx context.Context, c *Client) error {
		_, err := c.AddGuideMassJob(ctx, &AddGuideMassJobRequest{TaskName: "t", OpenID: []string{"o1"}})
		return err
	})
}

// A list is walked until all have come, though a page may have less than it was asked for, and until an empty page
// though the total may be wrong.
func TestAllGuides(t *testing.T) {
	for _, tt := range []struct {
		name  string
		total int
		pages []int // how many each has
		calls int
	}{
		{"none", 0, []int{0}, 1},
		{"short pages", 5, []int{2, 2, 1}, 3},
		{"a total that is too large", 9, []int{2, 0}, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n := 0
			s := &server{reply: func(r request) response {
				if r.path != "/cgi-bin/guide/getguideacctlist" {
					return response{}
				}
				var rows []string
				for range tt.pages[r.n] {
					rows = append(rows, fmt.Sprintf(`{"guide_account":"w%d","status":2}`, n))
					n++
				}
				return jsonBody(fmt.Sprintf(`{"errcode":0,"total_num":%d,"list":[%s]}`, tt.total, strings.Join(rows, ",")))
			}}
			for i, guide := range collect(t, s.client().AllGuides(t.Context())) {
				if guide.GuideAccount != fmt.Sprintf("w%d", i) || guide.Status != GuideReady {
					t.Errorf("guide %d is %+v", i, guide)
				}
			}
			calls := s.to("/cgi-bin/guide/getguideacctlist")
			if len(calls) != tt.calls {
				t.Fatalf("%d calls, want %d", len(calls), tt.calls)
			}
			for i, call := range calls {
				sameJSON(t, call.body, fmt.Sprintf(`{"page":%d,"num":100}`, i))
			}
		})
	}
}

func TestAllGuideMassJobs(t *testing.T) {
	s := answer("/cgi-bin/guide/getguidemassendjoblist", `{"errcode":0,"list":[{"task_id":1},{"task_id":2}],"total_count":3}`,
		`{"errcode":0,"list":[{"task_id":3}],"total_count":3}`)
	var ids []int64
	for _, job := range collect(t, s.client().AllGuideMassJobs(t.Context(), GuideRef{GuideOpenID: "o1"}, GuideMassWaiting, GuideMassDone)) {
		ids = append(ids, job.TaskID)
	}
	if !slices.Equal(ids, []int64{1, 2, 3}) {
		t.Errorf("the jobs are %v", ids)
	}
	sameJSON(t, s.to("/cgi-bin/guide/getguidemassendjoblist")[1].body,
		`{"guide_openid":"o1","task_status":[1,3],"offset":2,"limit":50}`)
}

func TestAllGuideChats(t *testing.T) {
	s := answer("/cgi-bin/guide/getguidebuyerchatrecord", `{"errcode":0,"total_num":2,"msg_list":[{"content":"a"}]}`,
		`{"errcode":0,"total_num":2,"msg_list":[{"content":"b"}]}`)
	chats := collect(t, s.client().AllGuideChats(t.Context(), ListGuideChatsRequest{GuideRef: GuideRef{GuideAccount: "w1"}, OpenID: "o1"}))
	if len(chats) != 2 || chats[1].Content != "b" {
		t.Errorf("the chats are %+v", chats)
	}
	sameJSON(t, s.to("/cgi-bin/guide/getguidebuyerchatrecord")[1].body, `{"guide_account":"w1","openid":"o1","page":1,"num":100}`)
}

// Nobody left to send to is a filter too.
func TestFindGuideBuyersByTag(t *testing.T) {
	zero := 0
	s := answer("/cgi-bin/guide/queryguidebuyerbytag", `{"errcode":0,"openid_list":["o1"]}`)
	got, err := s.client().FindGuideBuyersByTag(t.Context(), &FindGuideBuyersByTagRequest{GuideRef: GuideRef{GuideAccount: "w1"}, PushCount: &zero})
	if err != nil || !slices.Equal(got.OpenIDList, []string{"o1"}) {
		t.Errorf("got %+v, %v", got, err)
	}
	sameJSON(t, sentTo(t, s, "/cgi-bin/guide/queryguidebuyerbytag"), `{"guide_account":"w1","push_count":0}`)
}
