package officialaccount

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed175cf469/wechat"
)

func TestCustomMessages(t *testing.T) {
	for _, tt := range []struct {
		message *CustomMessage
		want    string
	}{
		{TextMessage("o1", `你好😀 <a href="https://example.invalid/?a=1&b=2">open</a>`), // P079, P080
			`{"touser":"o1","msgtype":"text","text":{"content":"你好😀 <a href=\"https://example.invalid/?a=1&b=2\">open</a>"}}`},
		{ImageMessage("o1", "m1"), `{"touser":"o1","msgtype":"image","image":{"media_id":"m1"}}`},
		{VoiceMessage("o1", "m1"), `{"touser":"o1","msgtype":"voice","voice":{"media_id":"m1"}}`},
		{VideoMessage("o1", VideoContent{MediaID: "m1", ThumbMediaID: "m2", Title: "t"}),
			`{"touser":"o1","msgtype":"video","video":{"media_id":"m1","thumb_media_id":"m2","title":"t"}}`},
		{MusicMessage("o1", MusicContent{Title: "t", Description: "d", MusicURL: "u", ThumbMediaID: "m1"}),
			`{"touser":"o1","msgtype":"music","music":{"title":"t","description":"d","musicurl":"u","thumb_media_id":"m1"}}`},
		{NewsMessage("o1", NewsArticle{Title: "t", URL: "u", PicURL: "p"}),
			`{"touser":"o1","msgtype":"news","news":{"articles":[{"title":"t","url":"u","picurl":"p"}]}}`},
		{MPNewsMessage("o1", "m1"), `{"touser":"o1","msgtype":"mpnews","mpnews":{"media_id":"m1"}}`},
		{ArticleMessage("o1", "a1"), `{"touser":"o1","msgtype":"mpnewsarticle","mpnewsarticle":{"article_id":"a1"}}`},
		{MenuMessage("o1", MenuContent{HeadContent: "h", List: []MenuAnswer{{"101", "yes"}}, TailContent: "t"}),
			`{"touser":"o1","msgtype":"msgmenu","msgmenu":{"head_content":"h","list":[{"id":"101","content":"yes"}],"tail_content":"t"}}`},
		{CardMessage("o1", "c1"), `{"touser":"o1","msgtype":"wxcard","wxcard":{"card_id":"c1"}}`},
		{MiniProgramMessage("o1", MiniProgramPageContent{Title: "t", AppID: "wx1", PagePath: "p", ThumbMediaID: "m1"}),
			`{"touser":"o1","msgtype":"miniprogrampage","miniprogrampage":{"title":"t","appid":"wx1","pagepath":"p","thumb_media_id":"m1"}}`},
		{TextMessage("o1", "hi").From("test1@kftest"),
			`{"touser":"o1","msgtype":"text","text":{"content":"hi"},"customservice":{"kf_account":"test1@kftest"}}`},
	} {
		t.Run(string(tt.message.MsgType), func(t *testing.T) {
			s := &server{}
			if err := s.client().SendCustomMessage(t.Context(), tt.message); err != nil {
				t.Fatal(err)
			}
			if got := s.to("/cgi-bin/message/custom/send")[0].body; got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestFromCopies(t *testing.T) {
	m := TextMessage("o1", "hi")
	if m.From("a@b"); m.CustomService != nil {
		t.Error("From changed the message")
	}
}

func TestCustomMessageWithoutItsPart(t *testing.T) {
	for _, kind := range []CustomMsgType{CustomText, CustomImage, CustomVoice, CustomVideo, CustomMusic, CustomNews,
		CustomMPNews, CustomMPNewsArticle, CustomMenu, CustomCard, CustomMiniProgram} {
		s := &server{}
		err := s.client().SendCustomMessage(t.Context(), &CustomMessage{ToUser: "o1", MsgType: kind})
		if !errors.Is(err, wechat.ErrInvalidRequest) || !strings.Contains(err.Error(), string(kind)) || len(s.requests) != 0 {
			t.Errorf("%s: err %v, %d requests", kind, err, len(s.requests))
		}
	}
	s := &server{} // a kind of tomorrow
	if err := s.client().SendCustomMessage(t.Context(), &CustomMessage{ToUser: "o1", MsgType: "hologram"}); err != nil {
		t.Errorf("a kind that is not known was refused: %v", err)
	}
}

// P044, P047: a template message whose reply is lost is sent again under the same id, which makes the server drop it.
func TestDedupe(t *testing.T) {
	const mass = "/cgi-bin/message/mass/sendall"
	const template = "/cgi-bin/message/template/send"
	for _, tt := range []struct {
		path, field string
		send        func(context.Context, *Client) (id string, err error)
	}{
		{template, "client_msg_id", func(ctx context.Context, oa *Client) (string, error) {
			m := &TemplateMessage{ToUser: "o1", TemplateID: "T1", Data: map[string]TemplateValue{"thing1": {Value: "a"}}}
			_, err := oa.SendTemplateMessage(ctx, m)
			return m.ClientMsgID, err
		}},
		{mass, "clientmsgid", func(ctx context.Context, oa *Client) (string, error) {
			m := &MassMessageByTag{Filter: MassFilter{IsToAll: true}, MassContent: MassText("a")}
			_, err := oa.SendMassMessageByTag(ctx, m)
			return m.ClientMsgID, err
		}},
	} {
		t.Run(tt.field, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &server{reply: func(r request) response {
					return response{lost: r.path == tt.path && r.n == 0}
				}}
				left, err := tt.send(t.Context(), s.client())
				if err != nil {
					t.Fatal(err)
				}
				if left != "" {
					t.Errorf("the caller's message was given the id %q", left)
				}
				got := s.to(tt.path)
				if len(got) != 2 || got[0].body != got[1].body {
					t.Fatalf("the attempts were %+v", got)
				}
				var body map[string]any
				if err := json.Unmarshal([]byte(got[0].body), &body); err != nil {
					t.Fatal(err)
				}
				if id, _ := body[tt.field].(string); id == "" || len(id) > 32 {
					t.Errorf("the id is %q", id)
				}
			})
		})
	}
}

// P046: the second sending under one id gives the first one's receipt.
func TestMassAlreadySent(t *testing.T) {
	s := &server{reply: func(r request) response {
		if r.path == "/cgi-bin/message/mass/send" {
			return jsonBody(`{"errcode":45065,"errmsg":"clientmsgid exist rid: 65000000-0badcafe-00000001","msg_id":3000000001}`)
		}
		return response{}
	}}
	receipt, err := s.client().SendMassMessageByOpenIDs(t.Context(), &MassMessageByOpenIDs{
		ToUser: []string{"o1", "o2"}, MassContent: MassArticles("m1"), ClientMsgID: "campaign-7",
	})
	if err != nil {
		t.Fatal(err)
	}
	if receipt.MsgID != 3000000001 || !receipt.AlreadySent() {
		t.Errorf("the receipt is %+v", receipt)
	}
	if got, want := s.to("/cgi-bin/message/mass/send")[0].body, `{"touser":["o1","o2"],"msgtype":"mpnews","mpnews":{"media_id":"m1"},"clientmsgid":"campaign-7"}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// P072: ids are beyond 32 bits.
func TestMassReceipt(t *testing.T) {
	s := &server{reply: func(r request) response {
		if r.path == "/cgi-bin/message/mass/sendall" {
			return jsonBody(`{"errcode":0,"errmsg":"send job submission success","msg_id":3000000002,"msg_data_id":2147483648}`)
		}
		return response{}
	}}
	receipt, err := s.client().SendMassMessageByTag(t.Context(), &MassMessageByTag{Filter: MassFilter{TagID: 2}, MassContent: MassPictures(MassImages{MediaIDs: []string{"m1"}})})
	if err != nil {
		t.Fatal(err)
	}
	if *receipt != (MassReceipt{MsgID: 3000000002, MsgDataID: 2147483648}) || receipt.AlreadySent() {
		t.Errorf("the receipt is %+v", receipt)
	}
	if body := s.to("/cgi-bin/message/mass/sendall")[0].body; !strings.HasPrefix(body, `{"filter":{"tag_id":2},"msgtype":"image","images":{"media_ids":["m1"]}`) {
		t.Errorf("the body is %s", body)
	}
}

func TestMassMessageToNobody(t *testing.T) {
	s := &server{}
	_, err := s.client().SendMassMessageByTag(t.Context(), &MassMessageByTag{MassContent: MassText("a")})
	if !errors.Is(err, wechat.ErrInvalidRequest) || len(s.requests) != 0 {
		t.Errorf("err %v, %d requests", err, len(s.requests))
	}
}

func TestPreviewNamesOnePerson(t *testing.T) {
	for _, tt := range []struct {
		preview MassPreview
		want    string
	}{
		{MassPreview{ToUser: "o1"}, "o1"},
		{MassPreview{ToWXName: "w1"}, "w1"},
		{MassPreview{ToUser: "o1", ToWXName: "w1"}, "w1"},
	} {
		if got := tt.preview.to(); len(got) != 1 || got[0] != tt.want {
			t.Errorf("%+v reaches %v, want %s", tt.preview, got, tt.want)
		}
	}
}

func TestWaitMassMessage(t *testing.T) {
	for _, tt := range []struct {
		last string
		want error
	}{{"SEND_SUCCESS", nil}, {"SEND_FAIL", ErrJobFailed}, {"DELETE", ErrJobFailed}} {
		t.Run(tt.last, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &server{reply: func(r request) response {
					if r.path != "/cgi-bin/message/mass/get" {
						return response{}
					}
					status := "SENDING"
					if r.n == 8 {
						status = tt.last
					}
					return jsonBody(fmt.Sprintf(`{"msg_id":"201053012","msg_status":%q}`, status))
				}}
				began := time.Now()
				got, err := s.client().WaitMassMessage(t.Context(), 201053012)
				if !errors.Is(err, tt.want) || (tt.want == nil) != (err == nil) {
					t.Errorf("err = %v, want %v", err, tt.want)
				}
				if got == nil || string(got.MsgStatus) != tt.last || got.MsgID != 201053012 {
					t.Errorf("the last status is %+v", got)
				}
				// 1, 2, 4, 8, 16, 30, 30, 30
				if took := time.Since(began); took != 121*time.Second {
					t.Errorf("it took %v, want 2m1s", took)
				}
				if body := s.to("/cgi-bin/message/mass/get")[0].body; body != `{"msg_id":"201053012"}` {
					t.Errorf("asked %s", body)
				}
			})
		})
	}
}

func TestWaitEndsWithContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{reply: func(r request) response {
			if r.path == "/cgi-bin/freepublish/get" {
				return jsonBody(`{"publish_id":"100000001","publish_status":1}`)
			}
			return response{}
		}}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		began := time.Now()
		got, err := s.client().WaitPublish(ctx, 100000001)
		if !errors.Is(err, ctx.Err()) || err == nil || time.Since(began) != 10*time.Second {
			t.Errorf("err %v after %v", err, time.Since(began))
		}
		if got == nil || got.PublishID != 100000001 {
			t.Errorf("the last status is %+v", got)
		}
	})
}

func TestWaitPublish(t *testing.T) {
	s := &server{reply: func(r request) response {
		if r.path == "/cgi-bin/freepublish/get" {
			return jsonBody(`{"publish_id":100000001,"publish_status":2,"fail_idx":[1,2]}`)
		}
		return response{}
	}}
	got, err := s.client().WaitPublish(t.Context(), 100000001)
	if !errors.Is(err, ErrJobFailed) || got == nil || got.PublishStatus != PublishOriginalityFailed || len(got.FailIdx) != 2 {
		t.Errorf("got %+v, %v", got, err)
	}
}
