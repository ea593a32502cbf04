package mock_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/mock"
)

// once is a policy without repeats, to see each answer.
var once = wechat.WithRetry(wechat.RetryPolicy{MaxAttempts: 1})

func wantCode(t *testing.T, err error, code wechat.Code) {
	t.Helper()
	if code == 0 && err != nil || code != 0 && !errors.Is(err, code) {
		t.Errorf("error is %v, want code %d", err, int(code))
	}
}

func fileOf(name, content string) wechat.File {
	return wechat.File{Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(content)), nil }}
}

// everything calls each endpoint of the account once.
func everything(t *testing.T, a *account) {
	t.Helper()
	ctx := t.Context()
	if r, err := a.SendMessage(ctx, hello(openID(1))); err != nil || r.MsgID == 0 {
		t.Errorf("SendMessage: %+v, %v", r, err)
	}
	if r, err := a.SendMass(ctx, &mass{ToUser: []string{openID(1), openID(2)}, Text: "x"}); err != nil || r.MsgID == 0 {
		t.Errorf("SendMass: %+v, %v", r, err)
	}
	if u, err := a.GetUser(ctx, &userRequest{OpenID: openID(1)}); err != nil || len(u.OpenID) != 28 || u.Nickname == "" ||
		!u.Subscribed || u.Time == 0 || u.Score == 0 || len(u.Tags) != 1 || len(u.Invalid) != 0 || !strings.HasPrefix(u.Link.URL, "https://") {
		t.Errorf("GetUser: %+v, %v", u, err)
	}
	n := 0
	for id, err := range a.AllUsers(ctx) {
		if err != nil || len(id) != 28 {
			t.Errorf("AllUsers: %q, %v", id, err)
		}
		n++
	}
	if n != 1 {
		t.Errorf("AllUsers: %d users, want 1", n)
	}
	if r, err := a.UploadMedia(ctx, &upload{Type: "image", Title: "t", Media: fileOf("a.png", "content")}); err != nil || r.MediaID == "" {
		t.Errorf("UploadMedia: %+v, %v", r, err)
	}
	if b, err := a.GetMedia(ctx, &mediaRequest{MediaID: "m"}); err != nil || b.ContentType != "image/png" || b.Name == "" || len(b.Data) == 0 {
		t.Errorf("GetMedia: %+v, %v", b, err)
	}
	if err := a.ApplyPlugin(ctx, &plugin{AppID: "wx9"}); err != nil {
		t.Errorf("ApplyPlugin: %v", err)
	}
	if p, err := a.ListPlugins(ctx); err != nil || len(p.List) != 1 {
		t.Errorf("ListPlugins: %+v, %v", p, err)
	}
}

func TestEverythingAnswers(t *testing.T) {
	t.Run("in memory", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s, a := platform()
			everything(t, a)
			checkEverything(t, s)
		})
	})
	t.Run("over HTTP", func(t *testing.T) {
		s := mock.NewServer(specs()...)
		url, err := s.Listen("127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		everything(t, newAccount(wechat.New(wechat.WithBaseURL("officialaccount", url)), oaApp))
		checkEverything(t, s)
	})
}

func checkEverything(t *testing.T, s *mock.Server) {
	t.Helper()
	var names []string
	for _, c := range s.Calls("") {
		names = append(names, c.Endpoint)
		if c.App != oaApp.ID || c.Status != 200 || c.Code != 0 || c.Product != "officialaccount" {
			t.Errorf("%s is recorded with app %q, status %d, code %d, product %q", c.Endpoint, c.App, c.Status, c.Code, c.Product)
		}
	}
	want := "GetStableAccessToken SendMessage SendMass GetUser ListUsers UploadMedia GetMedia ApplyPlugin ListPlugins"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("calls were %s\nwant %s", got, want)
	}
	c := s.Calls("UploadMedia")[0]
	request := c.Request.(*upload)
	if request.Type != "image" || request.Title != "t" || request.Media.Name != "a.png" {
		t.Errorf("the upload is decoded as %+v", request)
	}
	f, err := request.Media.Open()
	if err != nil {
		t.Fatal(err)
	}
	content, _ := io.ReadAll(f)
	if string(content) != "content" {
		t.Errorf("the file has %q", content)
	}
	m := s.Calls("SendMessage")[0]
	if m.Request.(*message).Data["first"].Value != "hello" || m.Recipients[0] != openID(1) || m.Token == "" || m.Query.Has("access_token") {
		t.Errorf("the message is recorded as %+v", m)
	}
	if got := s.Delivered(openID(1)); len(got) != 2 || got[0].Call.Endpoint != "SendMessage" || got[1].Call.Endpoint != "SendMass" {
		t.Errorf("delivered were %+v", got)
	}
	if len(s.Delivered("")) != 3 || len(s.Duplicates()) != 0 || s.TokensIssued(oaApp.ID) != 1 {
		t.Errorf("%d messages, %d duplicates, %d tokens", len(s.Delivered("")), len(s.Duplicates()), s.TokensIssued(oaApp.ID))
	}
}

func TestScriptAndHandle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, a := platform(once)
		s.Handle("GetUser", func(c mock.Call) mock.Reply {
			return mock.Reply{JSON: &user{Nickname: "of " + c.Request.(*userRequest).OpenID}}
		})
		s.Script("GetUser", mock.Reply{Code: 40003}, mock.Reply{Code: 40003, Message: "my text"})
		s.Script("GetUser", mock.Reply{JSON: map[string]any{"nickname": "<a&b>"}}, mock.Reply{Body: []byte(`{"nickname":"raw"}`)}, mock.Reply{})
		get := func() (*user, error) { return a.GetUser(t.Context(), &userRequest{OpenID: "o1"}) }
		_, err := get()
		wantCode(t, err, 40003)
		var e *wechat.Error
		if !errors.As(err, &e) || !strings.HasPrefix(e.Message, "invalid openid rid: ") || e.RequestID == "" {
			t.Errorf("error is %#v", e)
		}
		if _, err = get(); !errors.As(err, &e) || e.Message != "my text" {
			t.Errorf("error is %v", err)
		}
		for _, want := range []string{"<a&b>", "raw", "nickname", "of o1", "of o1"} {
			if u, err := get(); err != nil || u.Nickname != want {
				t.Errorf("got %+v, %v, want %q", u, err, want)
			}
		}
		s.Handle("GetUser", nil)
		if u, err := get(); err != nil || u.Nickname != "nickname" {
			t.Errorf("without handler: %+v, %v", u, err)
		}
	})
}

func TestUnknownEndpointPanics(t *testing.T) {
	defer func() {
		if p, _ := recover().(string); !strings.Contains(p, "SendMesage") {
			t.Errorf("panic is %q", p)
		}
	}()
	s, _ := platform()
	s.Script("SendMesage", mock.Reply{})
}

// request sends by hand what no client would.
func request(t *testing.T, s *mock.Server, method, target, contentType, body string) (int, http.Header, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, "https://any.example.invalid"+target, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	resp, err := s.Transport().RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(b)
}

func TestRefusals(t *testing.T) {
	s := mock.NewServer(specs()...)
	s.CheckOpenIDs(nil)
	s.AcceptToken(oaApp.ID, "T")
	s.AcceptToken(workApp.ID, "W")
	const form = "application/x-www-form-urlencoded"
	sendPath := "/cgi-bin/message/template/send?access_token=T"
	good := `{"touser":"` + openID(1) + `","data":{"first":{"value":"x"}}}`
	tests := []struct {
		name, method, target, contentType, body string
		status                                  int
		want                                    string
	}{
		{"unknown path", "GET", "/nothing", "", "", 404, "<html>"},
		{"GET for POST", "GET", sendPath, "", "", 200, `{"errcode":43002,"errmsg":"require POST method rid: `},
		{"POST for GET", "POST", "/cgi-bin/person/info?access_token=T", "", "", 200, `{"errcode":43001,`},
		{"no token", "POST", "/cgi-bin/message/template/send", "", good, 200, `{"errcode":41001,`},
		{"foreign token", "POST", "/cgi-bin/message/template/send?access_token=X", "", good, 200, `{"errcode":40014,`},
		{"old token of ours", "POST", "/cgi-bin/message/template/send?access_token=mock_9_x", "", good, 200, `{"errcode":40001,`},
		{"token of WeCom", "POST", "/cgi-bin/message/template/send?access_token=W", "", good, 200, `{"errcode":40014,`},
		{"no body", "POST", sendPath, "", "", 200, `{"errcode":44002,`},
		{"no JSON", "POST", sendPath, "", `{"touser":`, 200, `{"errcode":47001,`},
		{"two values", "POST", sendPath, "", good + good, 200, `{"errcode":47001,`},
		{"a list", "POST", sendPath, "", `[]`, 200, `{"errcode":47001,`},
		{"field missing", "POST", sendPath, "", `{"touser":"x"}`, 200, `{"errcode":40035,"errmsg":"invalid args, data is missing"`},
		{"field null", "POST", sendPath, "", `{"touser":"x","data":null}`, 200, `{"errcode":40035,`},
		{"recipient missing", "POST", sendPath, "", `{"data":{}}`, 200, `{"errcode":40003,`},
		{"inner field missing", "POST", sendPath, "", `{"touser":"x","data":{"first":{}}}`, 200, `{"errcode":40035,"errmsg":"invalid args, data.first.value is missing"`},
		{"other type", "POST", sendPath, "", `{"touser":7,"data":{}}`, 200, `{"errcode":47001,"errmsg":"data format error, touser is no string"`},
		{"openid of other shape", "POST", sendPath, "", `{"touser":"x","data":{}}`, 200, `{"errcode":40003,`},
		{"all right", "POST", sendPath, "", good, 200, `{"errcode":0,"errmsg":"ok","msgid":`},
		{"query missing", "GET", "/cgi-bin/media/get?access_token=T", "", "", 200, `{"errcode":40035,"errmsg":"invalid args, media_id is missing"`},
		{"file missing", "POST", "/cgi-bin/media/upload?access_token=T&type=image", form, "title=x", 200, `{"errcode":41005,`},
		{"broken form", "POST", "/cgi-bin/media/upload?access_token=T&type=image", "multipart/form-data; boundary=b", "x", 200, `{"errcode":47001,`},
		{"constant unknown", "POST", "/wxa/plugin?access_token=T", "", `{"action":"dance"}`, 200, `{"errcode":40035,`},
		{"grant_type", "GET", "/cgi-bin/token?grant_type=x&appid=a&secret=b", "", "", 200, `{"errcode":40002,`},
		{"no secret", "GET", "/cgi-bin/token?grant_type=client_credential&appid=a", "", "", 200, `{"errcode":41004,`},
		{"no appid", "GET", "/cgi-bin/token?grant_type=client_credential&secret=a", "", "", 200, `{"errcode":41002,`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			status, header, body := request(t, s, tt.method, tt.target, tt.contentType, tt.body)
			if status != tt.status || !strings.HasPrefix(body, tt.want) {
				t.Errorf("got %d %s\nwant %d %s", status, body, tt.status, tt.want)
			}
			if kind := header.Get("Content-Type"); status == 200 && kind != "application/json; encoding=utf-8" {
				t.Errorf("content type is %q", kind)
			}
		})
	}
	t.Run("chunked", func(t *testing.T) {
		r, _ := http.NewRequestWithContext(t.Context(), "POST", "https://x.invalid/cgi-bin/media/upload?access_token=T&type=image", io.MultiReader(bytes.NewReader([]byte("x"))))
		r.ContentLength = -1
		resp, err := s.Transport().RoundTrip(r)
		if err != nil || resp.StatusCode != http.StatusPreconditionFailed {
			t.Errorf("got %v, %v", resp, err)
		}
	})
}

// Official account and WeCom share paths: the token tells which is meant.
func TestTokenTellsProduct(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, a := platform(once)
		c := newCompany(wechat.New(append(s.Options(), once)...), workApp)
		if m, err := c.GetMember(t.Context(), &memberRequest{UserID: "u"}); err != nil || m.Name == "" {
			t.Errorf("%+v, %v", m, err)
		}
		if _, err := a.ListUsers(t.Context(), &pageRequest{}); err != nil {
			t.Error(err)
		}
		if m, l := s.Calls("GetMember"), s.Calls("ListUsers"); len(m) != 1 || len(l) != 1 || m[0].App != workApp.ID || l[0].App != oaApp.ID {
			t.Errorf("calls were %+v", s.Calls(""))
		}
		s.Script("GetMember", mock.Reply{Code: 60011})
		_, err := c.GetMember(t.Context(), &memberRequest{UserID: "u"})
		var e *wechat.Error
		if !errors.As(err, &e) || !strings.Contains(e.Message, "hint: [") || e.RequestID == "" {
			t.Errorf("error is %#v", e)
		}
	})
}

func TestAppTellsProduct(t *testing.T) {
	mini := getUser.Spec()
	mini.Product, mini.Name = "miniprogram", "GetMiniUser"
	list := append(specs(), mini)
	s := mock.NewServer(list...)
	s.App(wechat.App{ID: "wxmini", Secret: "m"}, "miniprogram")
	s.App(oaApp, "officialaccount")
	a := newAccount(wechat.New(s.Options()...), oaApp)
	b := newAccount(wechat.New(s.Options()...), wechat.App{ID: "wxmini", Secret: "m"})
	for _, c := range []*account{a, b} {
		if _, err := c.GetUser(t.Context(), &userRequest{OpenID: "o"}); err != nil {
			t.Error(err)
		}
	}
	if len(s.Calls("GetUser")) != 1 || len(s.Calls("GetMiniUser")) != 1 {
		t.Errorf("calls were %+v", s.Calls(""))
	}
}

func TestUnfollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, a := platform()
		s.Unfollow(openID(1))
		_, err := a.SendMessage(t.Context(), hello(openID(1)))
		if !errors.Is(err, wechat.ErrUnreachable) {
			t.Errorf("error is %v", err)
		}
		if _, err = a.SendMass(t.Context(), &mass{ToUser: []string{openID(1), openID(2)}, Text: "x"}); err != nil {
			t.Error(err)
		}
		if len(s.Delivered(openID(1))) != 0 || len(s.Delivered(openID(2))) != 1 {
			t.Errorf("delivered were %+v", s.Delivered(""))
		}
		s.Follow(openID(1))
		_, err = a.SendMessage(t.Context(), hello(openID(1)))
		wantCode(t, err, 0)
	})
}

func TestDedupe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, a := platform(once)
		ctx := t.Context()
		one := hello(openID(1))
		one.MsgID = "id-1"
		first, err := a.SendMessage(ctx, one)
		wantCode(t, err, 0)
		second, err := a.SendMessage(ctx, one)
		wantCode(t, err, 0)
		if *first != *second || len(s.Delivered(openID(1))) != 1 {
			t.Errorf("receipts %v and %v, delivered %d times", first, second, len(s.Delivered(openID(1))))
		}
		other := hello(openID(2)) // the same id to somebody else is another message
		other.MsgID = "id-1"
		if _, err = a.SendMessage(ctx, other); err != nil || len(s.Delivered(openID(2))) != 1 {
			t.Errorf("%v, delivered %d times", err, len(s.Delivered(openID(2))))
		}
		if len(s.Duplicates()) != 0 {
			t.Error("a duplicate was delivered")
		}
		time.Sleep(10 * time.Minute)
		if _, err = a.SendMessage(ctx, one); err != nil {
			t.Error(err)
		}
		if d := s.Duplicates(); len(d) != 1 || d[0].First.Recipient != openID(1) || d[0].Second.Call.Time.Sub(d[0].First.Call.Time) != 10*time.Minute {
			t.Errorf("duplicates are %+v", d)
		}

		// A send that failed is not remembered.
		refused := hello(openID(3))
		refused.MsgID = "id-3"
		s.Script("SendMessage", mock.Reply{Code: 43004})
		_, err = a.SendMessage(ctx, refused)
		wantCode(t, err, 43004)
		if _, err = a.SendMessage(ctx, refused); err != nil || len(s.Delivered(openID(3))) != 1 {
			t.Errorf("%v, delivered %d times", err, len(s.Delivered(openID(3))))
		}
	})
}

func TestDedupeOfMassSends(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, a := platform(once)
		m := &mass{ToUser: []string{openID(1), openID(2)}, Text: "x", MsgID: "once"}
		first, err := a.SendMass(t.Context(), m)
		wantCode(t, err, 0)
		_, err = a.SendMass(t.Context(), m)
		wantCode(t, err, 45066)
		time.Sleep(time.Minute)
		_, _, body := request(t, s, "POST", "/cgi-bin/message/mass/send?access_token="+s.Calls("SendMass")[0].Token, "", string(s.Calls("SendMass")[0].Body))
		if !strings.Contains(body, `"errcode":45065`) || !strings.Contains(body, `"msg_id":`) {
			t.Errorf("the repeat after a minute is answered %s, the first had %+v", body, first)
		}
		if len(s.Delivered("")) != 2 {
			t.Errorf("%d messages delivered, want 2", len(s.Delivered("")))
		}
	})
}

func TestDedupeOfWorkMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := mock.NewServer(specs()...)
		c := newCompany(wechat.New(s.Options()...), workApp)
		m := &workMessage{ToUser: "zhang", Text: "x", Check: 1, Interval: 60}
		for range 2 {
			if err := c.SendMessage(t.Context(), m); err != nil {
				t.Error(err)
			}
		}
		if n := len(s.Delivered("zhang")); n != 1 {
			t.Errorf("delivered %d times, want once", n)
		}
		time.Sleep(time.Minute)
		if err := c.SendMessage(t.Context(), m); err != nil || len(s.Delivered("zhang")) != 2 {
			t.Errorf("%v, delivered %d times, want twice", err, len(s.Delivered("zhang")))
		}
	})
}

func TestServerConcurrently(t *testing.T) {
	s, a := platform()
	s.Limit("SendMessage", mock.AtOnce(1000))
	s.Fault("SendMessage", mock.Fault{ContentType: "text/plain", Every: 3})
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			if _, err := a.SendMessage(t.Context(), hello(openID(i))); err != nil {
				t.Error(err)
			}
			s.Calls("")
			s.Duplicates()
		})
	}
	wg.Wait()
	if n := len(s.Delivered("")); n != 50 || len(s.Calls("GetStableAccessToken")) != 1 {
		t.Errorf("%d delivered, %d token requests", n, len(s.Calls("GetStableAccessToken")))
	}
}

func TestCloseEndsCallsUnderWay(t *testing.T) {
	s := mock.NewServer(specs()...)
	s.Fault("GetUser", mock.Fault{Delay: time.Hour})
	url, err := s.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	a := newAccount(wechat.New(wechat.WithBaseURL("officialaccount", url), once), oaApp)
	done := make(chan error)
	go func() {
		_, err := a.GetUser(context.Background(), &userRequest{OpenID: "o"})
		done <- err
	}()
	for len(s.Calls("GetUser")) == 0 {
		time.Sleep(time.Millisecond)
	}
	s.Close()
	if err := <-done; err == nil {
		t.Error("the call succeeded")
	}
	s.Close() // once more does no harm
	if _, err := s.Listen("nowhere.invalid:x"); err == nil {
		t.Error("no error for an address that does not exist")
	}
}

// All kinds of fields, there and back.
func TestKindsOfFields(t *testing.T) {
	type query struct {
		Text   string   `query:"text"`
		N      int      `query:"n"`
		U      uint8    `query:"u"`
		P      *int     `query:"p,omitempty"`
		Flag   bool     `query:"flag"`
		List   []string `query:"list"`
		Absent *int     `query:"absent,omitempty"`
	}
	type answer struct {
		Named   map[string]value `json:"named"`
		Any     any              `json:"any"`
		Anys    []any            `json:"anys"`
		NextKey string           `json:"next_key"`
		HasMore bool             `json:"has_more"`
		Status  int              `json:"status"`
		Ret     int              `json:"ret"`
		TagID   int              `json:"tag_id"`
		Expires int              `json:"expires_in"`
		Token   string           `json:"token"`
	}
	kinds := wechat.Endpoint[query, answer]{Name: "Kinds", Pattern: "GET /kinds", Effect: wechat.EffectRead}
	ids := wechat.Endpoint[wechat.None, map[string]any]{Name: "IDs", Pattern: "GET /ids", Effect: wechat.EffectRead}
	s := mock.NewServer(kinds.Spec(), ids.Spec())
	c := wechat.Bind(wechat.New(s.Options()...), &oaProduct, oaApp)
	five := 5
	sent := &query{Text: "a&b", N: -3, U: 9, P: &five, Flag: true, List: []string{"x", "y"}}
	got, err := kinds.Do(t.Context(), c, sent)
	if err != nil {
		t.Fatal(err)
	}
	if got.Named["key"].Value != "value" || got.Any != nil || len(got.Anys) != 0 || got.NextKey != "" || got.HasMore ||
		got.Status != 0 || got.Ret != 0 || got.TagID == 0 || got.Expires != 7200 || got.Token == "" {
		t.Errorf("the reply is %+v", got)
	}
	if received := s.Calls("Kinds")[0].Request; !reflect.DeepEqual(received, sent) {
		t.Errorf("received %+v, sent %+v", received, sent)
	}
	list, err := ids.Do(t.Context(), c, nil)
	if err != nil || (*list)["errmsg"] != "ok" {
		t.Errorf("%v, %v", list, err)
	}
	s.Script("IDs", mock.Reply{JSON: func() {}})
	if _, err := ids.Do(wechat.ContextWithRetry(t.Context(), wechat.RetryPolicy{MaxAttempts: 1}), c, nil); err == nil || s.Calls("IDs")[1].Status != 500 {
		t.Errorf("what cannot be JSON: %v", err)
	}
}

// A call that carries a user's own token in its query is not asked for the app's.
func TestUserToken(t *testing.T) {
	type info struct {
		Token string `query:"access_token"`
	}
	userInfo := wechat.Endpoint[info, user]{Name: "GetUserInfo", Pattern: "GET /sns/userinfo", Effect: wechat.EffectRead, NoToken: true}
	s := mock.NewServer(userInfo.Spec())
	c := wechat.Bind(wechat.New(s.Options()...), &oaProduct, oaApp)
	if _, err := userInfo.Do(t.Context(), c, &info{Token: "user-token"}); err != nil {
		t.Error(err)
	}
	calls := s.Calls("")
	if len(calls) != 1 || calls[0].Token != "" || calls[0].Query.Get("access_token") != "user-token" {
		t.Errorf("calls were %+v", calls)
	}
	_, header, _ := request(t, s, "GET", "/sns/userinfo?access_token=x", "", "")
	expect(t, "content type", header.Get("Content-Type"), "text/plain")
}
