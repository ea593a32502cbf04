package mock_test

import (
	"context"
	"errors"
	"iter"
	"reflect"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/mock"
	"github.com/seed175cf469/wechat/officialaccount"
)

// official is a platform that knows an official account, and the account's client.
func official(opts ...wechat.Option) (*mock.Server, *officialaccount.Client) {
	s := mock.NewServer(officialaccount.Endpoints()...)
	s.App(oaApp)
	return s, officialaccount.New(wechat.New(append(s.Options(), opts...)...), oaApp)
}

// noData is the content of a message that says nothing.
var noData = map[string]officialaccount.TemplateValue{}

// collect drains a list.
func collect[T any](t *testing.T, list iter.Seq2[T, error]) []T {
	t.Helper()
	var all []T
	for element, err := range list {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, element)
	}
	return all
}

// must is the value of a call that has to succeed.
func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func wantEqual[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func TestStateIsPerApp(t *testing.T) {
	s, one := official(once)
	other := wechat.App{ID: "wx0000000000000002", Secret: "other"}
	s.App(other)
	two := officialaccount.New(wechat.New(append(s.Options(), once)...), other)
	ctx := t.Context()
	s.Followers(oaApp.ID, openID(1), openID(2))
	s.Followers(other.ID, openID(2))
	menu := &officialaccount.Menu{Button: []officialaccount.Button{{Type: officialaccount.ButtonClick, Name: "A", Key: "a"}}}
	wantCode(t, one.CreateMenu(ctx, menu), 0)
	_, err := two.GetMenu(ctx)
	wantCode(t, err, 46003)
	uploaded := must[*officialaccount.UploadTempMediaReply](t)(one.UploadTempMedia(ctx,
		&officialaccount.UploadTempMediaRequest{Type: officialaccount.MediaImage, Media: fileOf("a.png", "a")}))
	_, err = two.GetTempMedia(ctx, &officialaccount.TempMediaID{MediaID: uploaded.MediaID})
	wantCode(t, err, 40007)
	if got := collect(t, two.AllFollowers(ctx)); !slices.Equal(got, []string{openID(2)}) {
		t.Errorf("followers of the second are %v", got)
	}
	tag := must[*officialaccount.CreateTagReply](t)(one.CreateTag(ctx, &officialaccount.CreateTagRequest{Tag: officialaccount.TagName{Name: "x"}}))
	_, err = two.TagUsers(ctx, &officialaccount.TagUsersRequest{OpenIDList: []string{openID(2)}, TagID: tag.Tag.ID})
	wantCode(t, err, 45159)
}

func TestScriptAndHandleComeBeforeTheState(t *testing.T) {
	s, oa := official(once)
	ctx := t.Context()
	s.Followers(oaApp.ID, openID(1))
	total := func() int64 {
		return must[*officialaccount.OpenIDPage](t)(oa.ListFollowers(ctx, &officialaccount.ListFollowersRequest{})).Total
	}
	s.Handle("ListFollowers", func(mock.Call) mock.Reply { return mock.Reply{JSON: map[string]any{"total": 7}} })
	s.Script("ListFollowers", mock.Reply{Code: 48001}, mock.Reply{JSON: map[string]any{"total": 8}})
	_, err := oa.ListFollowers(ctx, &officialaccount.ListFollowersRequest{})
	wantCode(t, err, 48001)
	wantEqual(t, "scripted", total(), 8)
	wantEqual(t, "handled", total(), 7)
	s.Handle("ListFollowers", nil)
	wantEqual(t, "state", total(), 1)
}

// An account that nobody has made known can create and read, and is not refused what there is not.
func TestStateOfUnknownAccount(t *testing.T) {
	s := mock.NewServer(officialaccount.Endpoints()...)
	oa := officialaccount.New(wechat.New(append(s.Options(), once)...), oaApp)
	ctx := t.Context()
	if _, err := oa.GetMenu(ctx); err != nil {
		t.Errorf("no menu: %v", err)
	}
	if m, err := oa.GetTempMedia(ctx, &officialaccount.TempMediaID{MediaID: "mine"}); err != nil || len(m.File.Data) == 0 {
		t.Errorf("any media: %+v, %v", m, err)
	}
	uploaded := must[*officialaccount.UploadTempMediaReply](t)(oa.UploadTempMedia(ctx,
		&officialaccount.UploadTempMediaRequest{Type: officialaccount.MediaVoice, Media: fileOf("a.amr", "voice")}))
	if m, err := oa.GetTempMedia(ctx, &officialaccount.TempMediaID{MediaID: uploaded.MediaID}); err != nil || string(m.File.Data) != "voice" {
		t.Errorf("uploaded media: %+v, %v", m, err)
	}
	s.Unfollow(openID(1))
	wantCode(t, oa.UpdateUserRemark(ctx, &officialaccount.UpdateUserRemarkRequest{OpenID: openID(1)}), 43004)
	_, err := oa.TagUsers(ctx, &officialaccount.TagUsersRequest{OpenIDList: []string{openID(1)}, TagID: 2})
	wantCode(t, err, 45171)
}

func TestGetAPIQuota(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, oa := official(once)
		ctx := t.Context()
		s.Limit("GetUserInfo", mock.PerSecond(5), mock.PerMinute(60), mock.PerDay(3), mock.PerDay(9), mock.PerMinute(1).EachRecipient())
		const path = "/cgi-bin/user/info"
		quota := func(path string) *officialaccount.GetAPIQuotaReply {
			return must[*officialaccount.GetAPIQuotaReply](t)(oa.GetAPIQuota(ctx, &officialaccount.APIPath{CGIPath: path}))
		}
		check := func(what string, used int64) {
			t.Helper()
			q := quota(path)
			if q.Quota.DailyLimit != 3 || q.Quota.Used != used || q.Quota.Remain != 3-used || q.RateLimit.CallCount != 60 || q.RateLimit.RefreshSecond != 60 {
				t.Errorf("%s: %+v, want %d of 3 used", what, q, used)
			}
		}
		get := func(n int) error {
			_, err := oa.GetUserInfo(ctx, &officialaccount.GetUserInfoRequest{OpenID: openID(n)})
			return err
		}
		check("before", 0)
		wantCode(t, get(1), 0)
		wantCode(t, get(2), 0)
		check("after two", 2)
		wantCode(t, oa.ClearAPIQuota(ctx, &officialaccount.APIPath{CGIPath: path}), 0)
		check("cleared", 0)
		wantCode(t, get(3), 0)
		time.Sleep(24 * time.Hour)
		check("the next day", 0)
		if q := quota("/cgi-bin/menu/get"); q.Quota.Remain == 0 || q.Quota.Remain != q.Quota.DailyLimit || q.RateLimit != (officialaccount.APIRate{}) {
			t.Errorf("without limits: %+v", q)
		}
		for path, code := range map[string]wechat.Code{
			"cgi-bin/user/info": 76003, "https://api.weixin.qq.com/x": 76003, "/cgi-bin/nothing": 76021, "/sns/userinfo": 76022,
		} {
			_, err := oa.GetAPIQuota(ctx, &officialaccount.APIPath{CGIPath: path})
			wantCode(t, err, code)
		}
	})
}

// A client that looks quotas up keeps to the rate that the server enforces.
func TestQuotaLookupOfTheClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, oa := official(wechat.WithQuotaLookup())
		s.Limit("GetUserInfo", mock.Limit{Rate: 10, Window: 5 * time.Second})
		for i := range 25 {
			if _, err := oa.GetUserInfo(t.Context(), &officialaccount.GetUserInfoRequest{OpenID: openID(i)}); err != nil {
				t.Fatal(err)
			}
		}
		wantEqual(t, "lookups", len(s.Calls("GetAPIQuota")), 1)
	})
}

// A repeat of a message that has arrived is not refused for the recipient's quota, and does not use it up.
func TestRepeatComesBeforeRecipientLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, oa := official(once)
		s.Limit("SendTemplateMessage", mock.PerMinute(1).EachRecipient(), mock.PerDay(4))
		send := func(id string) (*officialaccount.TemplateReceipt, error) {
			return oa.SendTemplateMessage(t.Context(), &officialaccount.TemplateMessage{ToUser: openID(1), TemplateID: "t", ClientMsgID: id, Data: noData})
		}
		first := must[*officialaccount.TemplateReceipt](t)(send("a"))
		again := must[*officialaccount.TemplateReceipt](t)(send("a"))
		wantEqual(t, "the receipt of the repeat", again.MsgID, first.MsgID)
		_, err := send("b")
		wantCode(t, err, 45047)
		time.Sleep(time.Minute)
		must[*officialaccount.TemplateReceipt](t)(send("b")) // its refusal is not remembered as a message
		time.Sleep(time.Minute)
		must[*officialaccount.TemplateReceipt](t)(send("b")) // the last of the day: a repeat counts for the endpoint
		_, err = send("c")
		wantCode(t, err, 45009)
		wantEqual(t, "delivered", len(s.Delivered(openID(1))), 2)
	})
}

// As long as no account is known, nothing is refused for what is there or not.
func TestEveryEndpointAnswersAnUnknownAccount(t *testing.T) {
	s := mock.NewServer(officialaccount.Endpoints()...)
	client := reflect.ValueOf(officialaccount.New(wechat.New(append(s.Options(), once)...), oaApp))
	n := 0
	for i := range client.NumMethod() {
		name, method := client.Type().Method(i).Name, client.Method(i)
		in := method.Type()
		if in.NumIn() == 0 || in.NumIn() > 2 || in.In(0) != reflect.TypeFor[context.Context]() || in.NumIn() == 2 && in.In(1).Kind() != reflect.Pointer ||
			in.Out(in.NumOut()-1) != reflect.TypeFor[error]() {
			continue
		}
		args := []reflect.Value{reflect.ValueOf(t.Context())}
		if in.NumIn() == 2 {
			args = append(args, reflect.New(in.In(1).Elem()))
		}
		out := method.Call(args)
		var e *wechat.Error
		if err, _ := out[len(out)-1].Interface().(error); errors.As(err, &e) && e.Code != 0 && e.Code != 40035 { // a list that is missing
			t.Errorf("%s: %v", name, err)
		}
		n++
	}
	if n < 200 {
		t.Errorf("%d methods", n)
	}
}
