package mock_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/officialaccount"
)

func openIDs(from, to int) []string {
	var ids []string
	for n := from; n <= to; n++ {
		ids = append(ids, openID(n))
	}
	return ids
}

func TestFollowersInPages(t *testing.T) {
	s, oa := official()
	all := openIDs(1, 25_000)
	s.Followers(oaApp.ID, all...)
	if got := collect(t, oa.AllFollowers(t.Context())); !slices.Equal(got, all) {
		t.Errorf("%d followers, want %d in order", len(got), len(all))
	}
	wantEqual(t, "pages", len(s.Calls("ListFollowers")), 4)

	page := func(next string) *officialaccount.OpenIDPage {
		return must[*officialaccount.OpenIDPage](t)(oa.ListFollowers(t.Context(), &officialaccount.ListFollowersRequest{NextOpenID: next}))
	}
	for i, want := range []int{10_000, 10_000, 5_000, 0} {
		next := ""
		if i > 0 {
			next = all[min(i*10_000, len(all))-1]
		}
		p := page(next)
		last := ""
		if want > 0 {
			last = p.Data.OpenID[want-1]
		}
		if p.Total != 25_000 || p.Count != want || len(p.Data.OpenID) != want || p.NextOpenID != last {
			t.Errorf("page %d: total %d, count %d, %d openids, next %q", i, p.Total, p.Count, len(p.Data.OpenID), p.NextOpenID)
		}
	}
	_, err := oa.ListFollowers(t.Context(), &officialaccount.ListFollowersRequest{NextOpenID: "nobody"})
	wantCode(t, err, 40003)

	// Data is missing on an empty page, and there is no errcode on any.
	s.AcceptToken(oaApp.ID, "T")
	if _, _, body := request(t, s, "GET", "/cgi-bin/user/get?access_token=T&next_openid="+openID(25_000), "", ""); body != `{"count":0,"next_openid":"","total":25000}` {
		t.Errorf("the empty page is %s", body)
	}

	// Somebody who leaves in the middle of a walk takes nobody else along.
	s.Unfollow(all[9_999], all[10_000])
	p := page(all[9_999])
	if p.Total != 24_998 || p.Data.OpenID[0] != all[10_001] {
		t.Errorf("after the one who left: total %d, first %s", p.Total, p.Data.OpenID[0])
	}
}

func TestFollowing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, oa := official(once)
		ctx := t.Context()
		info := func(n int) *officialaccount.UserInfo {
			return must[*officialaccount.UserInfo](t)(oa.GetUserInfo(ctx, &officialaccount.GetUserInfoRequest{OpenID: openID(n)}))
		}
		send := func(n int) error {
			_, err := oa.SendTemplateMessage(ctx, &officialaccount.TemplateMessage{ToUser: openID(n), TemplateID: "t", Data: noData})
			return err
		}
		wantEqual(t, "before anything is told everybody follows", info(9).Subscribe, 1)
		wantCode(t, send(9), 0)

		time.Sleep(time.Hour)
		s.Followers(oaApp.ID, openID(1), openID(2))
		began := time.Now().Unix()
		if u := info(1); u.Subscribe != 1 || u.OpenID != openID(1) || u.SubscribeTime != began || u.TagIDList == nil {
			t.Errorf("a follower is %+v", u)
		}
		wantEqual(t, "somebody else", info(9).Subscribe, 0)
		wantCode(t, send(9), 43004)
		wantCode(t, oa.SendSubscribeNotice(ctx, &officialaccount.SubscribeNotice{ToUser: openID(9), TemplateID: "t", Data: map[string]officialaccount.NoticeValue{}}), 0)

		wantCode(t, oa.UpdateUserRemark(ctx, &officialaccount.UpdateUserRemarkRequest{OpenID: openID(2), Remark: "VIP"}), 0)
		wantEqual(t, "remark", info(2).Remark, "VIP")
		s.Unfollow(openID(2))
		if u := info(2); u.Subscribe != 0 || u.OpenID != openID(2) || u.Remark != "" || u.SubscribeTime != 0 {
			t.Errorf("somebody who left is %+v", u)
		}
		wantCode(t, send(2), 43004)
		wantCode(t, oa.UpdateUserRemark(ctx, &officialaccount.UpdateUserRemarkRequest{OpenID: openID(2), Remark: "VIP"}), 43004)
		if got := collect(t, oa.AllFollowers(ctx)); !slices.Equal(got, openIDs(1, 1)) {
			t.Errorf("followers are %v", got)
		}
		batch := must[*officialaccount.BatchGetUserInfoReply](t)(oa.BatchGetUserInfo(ctx,
			&officialaccount.BatchGetUserInfoRequest{UserList: []officialaccount.UserQuery{{OpenID: openID(2)}, {OpenID: openID(1)}}}))
		if l := batch.UserInfoList; len(l) != 2 || l[0].Subscribe != 0 || l[0].OpenID != openID(2) || l[1].Subscribe != 1 {
			t.Errorf("both are %+v", l)
		}

		time.Sleep(time.Hour)
		s.Follow(openID(1), openID(2))
		if u := info(2); u.Subscribe != 1 || u.Remark != "VIP" || u.SubscribeTime != time.Now().Unix() {
			t.Errorf("somebody who came back is %+v", u)
		}
		wantEqual(t, "since when the other follows", info(1).SubscribeTime, began)
		wantCode(t, send(2), 0)

		many := make([]officialaccount.UserQuery, 101)
		for i := range many {
			many[i].OpenID = openID(i)
		}
		_, err := oa.BatchGetUserInfo(ctx, &officialaccount.BatchGetUserInfoRequest{UserList: many})
		wantCode(t, err, 40032)
		wantCode(t, oa.UpdateUserRemark(ctx, &officialaccount.UpdateUserRemarkRequest{OpenID: openID(1), Remark: strings.Repeat("r", 30)}), 40092)
		wantCode(t, oa.UpdateUserRemark(ctx, &officialaccount.UpdateUserRemarkRequest{OpenID: openID(1)}), 0)
	})
}

func TestTags(t *testing.T) {
	s, oa := official(once)
	ctx := t.Context()
	s.Followers(oaApp.ID, openIDs(1, 60)...)
	create := func(name string) (int64, error) {
		r, err := oa.CreateTag(ctx, &officialaccount.CreateTagRequest{Tag: officialaccount.TagName{Name: name}})
		if err != nil {
			return 0, err
		}
		return r.Tag.ID, nil
	}
	tag := func(id int64, people ...string) error {
		_, err := oa.TagUsers(ctx, &officialaccount.TagUsersRequest{OpenIDList: people, TagID: id})
		return err
	}
	tagsOf := func(n int) []int64 {
		return must[*officialaccount.ListUserTagIDsReply](t)(oa.ListUserTagIDs(ctx, &officialaccount.ListUserTagIDsRequest{OpenID: openID(n)})).TagIDList
	}
	counts := func() map[string]int64 {
		m := map[string]int64{}
		for _, tag := range must[*officialaccount.ListTagsReply](t)(oa.ListTags(ctx)).Tags {
			m[tag.Name] = tag.Count
		}
		return m
	}
	gold, silver := must[int64](t)(create("gold")), must[int64](t)(create("silver"))
	wantCode(t, tag(gold, openIDs(1, 50)...), 0)
	wantCode(t, tag(gold, openIDs(1, 50)...), 0)
	wantCode(t, tag(silver, openID(2)), 0)
	if c := counts(); c["gold"] != 50 || c["silver"] != 1 || len(c) != 3 {
		t.Errorf("counts are %v", c)
	}
	if got := tagsOf(2); !slices.Equal(got, []int64{gold, silver}) {
		t.Errorf("tags of the second are %v", got)
	}
	if got := collect(t, oa.AllTagFollowers(ctx, gold)); !slices.Equal(got, openIDs(1, 50)) {
		t.Errorf("%d people are tagged", len(got))
	}
	_, err := oa.UntagUsers(ctx, &officialaccount.TagUsersRequest{OpenIDList: openIDs(3, 50), TagID: gold})
	wantCode(t, err, 0)
	wantCode(t, oa.UpdateTag(ctx, &officialaccount.UpdateTagRequest{Tag: officialaccount.Tag{ID: gold, Name: "platinum"}}), 0)
	if c := counts(); c["platinum"] != 2 {
		t.Errorf("counts are %v", c)
	}

	s.Unfollow(openID(2))
	err = tag(silver, openID(1), openID(2))
	wantCode(t, err, 45171)
	var e *wechat.Error
	var failed officialaccount.TagUsersReply
	if !errors.As(err, &e) || e.Reply(&failed) != nil || !slices.Equal(failed.FailOpenIDList, openIDs(2, 2)) {
		t.Errorf("failed for %v", failed.FailOpenIDList)
	}
	if got := tagsOf(1); !slices.Equal(got, []int64{gold, silver}) {
		t.Errorf("the other was tagged all the same: %v", got)
	}
	wantEqual(t, "those who left count", counts()["silver"], 1)

	wantCode(t, oa.DeleteTag(ctx, &officialaccount.DeleteTagRequest{Tag: officialaccount.TagID{ID: gold}}), 0)
	if got := tagsOf(1); !slices.Equal(got, []int64{silver}) {
		t.Errorf("tags after one was deleted: %v", got)
	}
	_, err = oa.ListTagFollowers(ctx, &officialaccount.ListTagFollowersRequest{TagID: gold})
	wantCode(t, err, 45159)
	wantCode(t, tag(gold, openID(1)), 45159)
	wantCode(t, tag(silver, openIDs(1, 51)...), 40032)
	wantCode(t, tag(silver, openID(1), "stranger"), 49003)
	wantCode(t, oa.DeleteTag(ctx, &officialaccount.DeleteTagRequest{Tag: officialaccount.TagID{ID: gold}}), 45159)
	wantCode(t, oa.DeleteTag(ctx, &officialaccount.DeleteTagRequest{Tag: officialaccount.TagID{ID: 2}}), 45058)
	wantCode(t, oa.UpdateTag(ctx, &officialaccount.UpdateTagRequest{Tag: officialaccount.Tag{ID: 1, Name: "x"}}), 45058)

	for name, code := range map[string]wechat.Code{"": 45157, "silver": 45157, strings.Repeat("标", 31): 45158, strings.Repeat("标", 30): 0} {
		_, err := create(name)
		wantCode(t, err, code)
	}
	made := []int64{silver}
	for i := range 98 {
		made = append(made, must[int64](t)(create(fmt.Sprintf("t%d", i))))
	}
	_, err = create("one more")
	wantCode(t, err, 45056)
	for _, id := range made[1:20] {
		wantCode(t, tag(id, openID(1)), 0)
	}
	wantCode(t, tag(made[20], openID(3), openID(1)), 45059)
	if got := tagsOf(3); len(got) != 0 {
		t.Errorf("a refused call has tagged %v", got)
	}
}

func TestBlacklist(t *testing.T) {
	s, oa := official(once)
	ctx := t.Context()
	s.Followers(oaApp.ID, openIDs(1, 1_100)...)
	for n := 1; n <= 1_100; n += 20 {
		wantCode(t, oa.BlockUsers(ctx, &officialaccount.OpenIDsRequest{OpenIDList: openIDs(n, n+19)}), 0)
	}
	if got := collect(t, oa.AllBlacklist(ctx)); !slices.Equal(got, openIDs(1, 1_100)) {
		t.Errorf("%d people are blocked", len(got))
	}
	wantEqual(t, "pages", len(s.Calls("ListBlacklist")), 3)
	wantCode(t, oa.UnblockUsers(ctx, &officialaccount.OpenIDsRequest{OpenIDList: openIDs(1, 20)}), 0)
	if p := must[*officialaccount.OpenIDPage](t)(oa.ListBlacklist(ctx, &officialaccount.ListBlacklistRequest{})); p.Total != 1_080 || p.Data.OpenID[0] != openID(21) {
		t.Errorf("%d are left, first %v", p.Total, p.Data.OpenID[0])
	}
	wantCode(t, oa.BlockUsers(ctx, &officialaccount.OpenIDsRequest{OpenIDList: openIDs(1, 21)}), 40032)
	wantCode(t, oa.BlockUsers(ctx, &officialaccount.OpenIDsRequest{OpenIDList: []string{"stranger"}}), 49003)
}

func TestStateFromManyGoroutines(t *testing.T) {
	s, oa := official()
	ctx := t.Context()
	s.Followers(oaApp.ID, openIDs(1, 20)...)
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			tag, err := oa.CreateTag(ctx, &officialaccount.CreateTagRequest{Tag: officialaccount.TagName{Name: fmt.Sprint(i)}})
			if err != nil {
				t.Error(err)
				return
			}
			_, err = oa.TagUsers(ctx, &officialaccount.TagUsersRequest{OpenIDList: openIDs(1, 20), TagID: tag.Tag.ID})
			if err != nil && !errors.Is(err, wechat.Code(45171)) { // somebody may just have left
				t.Error(err)
			}
			s.Unfollow(openID(i + 1))
			_, err = oa.ListTags(ctx)
			wantCode(t, err, 0)
			s.Follow(openID(i + 1))
		})
	}
	wg.Wait()
	wantEqual(t, "tags", len(must[*officialaccount.ListTagsReply](t)(oa.ListTags(ctx)).Tags), 21)
}
