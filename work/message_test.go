package work

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/internal/stub"
	"github.com/seed175cf469/wechat/ratelimit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const corpID = "ww0123456789abcdef"

// clientOf is a client of s that has a token already.
func clientOf(s *stub.Server, opts ...wechat.Option) *Client {
	return New(s.Client(opts...), wechat.App{ID: corpID, AgentID: 1000002, TokenSource: wechat.StaticToken("FAKE_TOKEN")})
}

const sent = `{"errcode":0,"errmsg":"ok","msgid":"MSG"}`

func TestToken(t *testing.T) {
	s := stub.JSON(`{"errcode":0,"errmsg":"ok","access_token":"FRESH","expires_in":7200,"ip_list":[]}`)
	c := New(s.Client(), wechat.App{ID: corpID, Secret: "FAKE_SECRET"})
	if _, err := c.GetCallbackIPs(context.Background()); err != nil {
		t.Fatal(err)
	}
	r := s.Requests()
	if len(r) != 2 || r[0].Path != "/cgi-bin/gettoken" || r[0].Query.Encode() != "corpid="+corpID+"&corpsecret=FAKE_SECRET" {
		t.Fatalf("requests %+v, want one for a token first", r)
	}
	if got := r[1].Query.Get("access_token"); got != "FRESH" {
		t.Errorf("the call has the token %q", got)
	}
}

// The app fills in the agent, and texts go out as they are.
func TestMessages(t *testing.T) {
	tests := []struct {
		name    string
		message *Message
		want    string
	}{
		{"text", TextMessage("a|b", `<a href="https://example.com?a=1&b=2">中</a>`),
			`{"agentid":1000002,"touser":"a|b","msgtype":"text","text":{"content":"<a href=\"https://example.com?a=1&b=2\">中</a>"}}`},
		{"markdown", MarkdownMessage(All, "**b**"), `{"agentid":1000002,"touser":"@all","msgtype":"markdown","markdown":{"content":"**b**"}}`},
		{"image", ImageMessage("a", "M"), `{"agentid":1000002,"touser":"a","msgtype":"image","image":{"media_id":"M"}}`},
		{"voice", VoiceMessage("a", "M"), `{"agentid":1000002,"touser":"a","msgtype":"voice","voice":{"media_id":"M"}}`},
		{"file", FileMessage("a", "M"), `{"agentid":1000002,"touser":"a","msgtype":"file","file":{"media_id":"M"}}`},
		{"video", VideoMessage("a", Video{MediaID: "M", Title: "t"}),
			`{"agentid":1000002,"touser":"a","msgtype":"video","video":{"media_id":"M","title":"t"}}`},
		{"text card", TextCardMessage("a", TextCard{Title: "t", Description: "d", URL: "u"}),
			`{"agentid":1000002,"touser":"a","msgtype":"textcard","textcard":{"title":"t","description":"d","url":"u"}}`},
		{"news", NewsMessage("a", Article{Title: "t", AppID: "wx", PagePath: "p"}),
			`{"agentid":1000002,"touser":"a","msgtype":"news","news":{"articles":[{"title":"t","appid":"wx","pagepath":"p"}]}}`},
		{"mpnews", MPNewsMessage("a", MPArticle{Title: "t", ThumbMediaID: "M", Content: "c"}),
			`{"agentid":1000002,"touser":"a","msgtype":"mpnews","mpnews":{"articles":[{"title":"t","thumb_media_id":"M","content":"c"}]}}`},
		{"notice", MiniProgramNoticeMessage("a", MiniProgramNotice{AppID: "wx", Title: "t", ContentItem: []NoticeContent{{"k", "v"}}}),
			`{"agentid":1000002,"touser":"a","msgtype":"miniprogram_notice","miniprogram_notice":{"appid":"wx","title":"t","content_item":[{"key":"k","value":"v"}]}}`},
		{"card", TemplateCardMessage("a", TemplateCard{CardType: CardTextNotice, MainTitle: &CardTitle{Title: "t"}, CardAction: &CardAction{Type: JumpURL, URL: "u"}}),
			`{"agentid":1000002,"touser":"a","msgtype":"template_card","template_card":{"card_type":"text_notice","main_title":{"title":"t"},"card_action":{"type":1,"url":"u"}}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := stub.JSON(sent)
			if _, err := clientOf(s).SendMessage(context.Background(), tt.message); err != nil {
				t.Fatal(err)
			}
			if got := s.Requests()[0].Body; got != tt.want {
				t.Errorf("body\n%s, want\n%s", got, tt.want)
			}
		})
	}
}

// A message that reached some is a success; those it missed stand in the receipt, and an event tells.
func TestPartialFailure(t *testing.T) {
	s := stub.JSON(`{"errcode":0,"errmsg":"ok","invaliduser":"userid1|userid2","invalidparty":"7","invalidtag":"","unlicenseduser":"userid3","msgid":"MSG","response_code":"CODE"}`)
	var events []wechat.Event
	c := clientOf(s, wechat.WithObserver(func(_ context.Context, e wechat.Event) { events = append(events, e) }))
	r, err := c.SendMessage(context.Background(), TextMessage("UserID1|userid2|userid3|userid4", "hi"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := r.InvalidUsers(), []string{"userid1", "userid2"}; !slices.Equal(got, want) {
		t.Errorf("InvalidUsers = %v, want %v", got, want)
	}
	if got, want := r.InvalidParties(), []string{"7"}; !slices.Equal(got, want) {
		t.Errorf("InvalidParties = %v, want %v", got, want)
	}
	if got := r.InvalidTags(); len(got) != 0 {
		t.Errorf("InvalidTags = %v, want none", got)
	}
	if got, want := r.UnlicensedUsers(), []string{"userid3"}; !slices.Equal(got, want) {
		t.Errorf("UnlicensedUsers = %v, want %v", got, want)
	}
	if r.MsgID != "MSG" || r.ResponseCode != "CODE" {
		t.Errorf("receipt %+v", r)
	}
	partial := slices.IndexFunc(events, func(e wechat.Event) bool { return e.Type == wechat.EventPartial })
	if partial < 0 || !strings.Contains(events[partial].Err.Error(), "4 of its recipients") {
		t.Errorf("events %+v, want one of %d recipients missed", events, 4)
	}
}

// P144: sizes count bytes, and the error names the limit and the size.
func TestSizes(t *testing.T) {
	articles := make([]Article, 9)
	tests := []struct {
		name    string
		message *Message
		want    []string // "": it is sent
	}{
		{"text that fits", TextMessage("a", strings.Repeat("中", 682)+"ab"), nil},
		{"text", TextMessage("a", strings.Repeat("中", 683)), []string{"text.content", "2049", "2048"}},
		{"markdown", MarkdownMessage("a", strings.Repeat("x", 2050)), []string{"markdown.content", "2050", "2048"}},
		{"articles", NewsMessage("a", articles...), []string{"news.articles", "9", "8"}},
		{"no article", MPNewsMessage("a"), []string{"mpnews.articles", "0", "1"}},
		{"mpnews", MPNewsMessage("a", MPArticle{Content: strings.Repeat("x", 666<<10+1)}), []string{"content", "681985", "681984"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := stub.JSON(sent)
			_, err := clientOf(s).SendMessage(context.Background(), tt.message)
			if tt.want == nil {
				if err != nil {
					t.Errorf("refused: %v", err)
				}
				return
			}
			if !errors.Is(err, wechat.ErrInvalidRequest) || len(s.Requests()) != 0 {
				t.Fatalf("error %v after %d requests, want ErrInvalidRequest after none", err, len(s.Requests()))
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not name %s", err, want)
				}
			}
		})
	}
}

func TestCutText(t *testing.T) {
	tests := []struct {
		text  string
		limit int
		want  string
	}{
		{"abc", 3, "abc"},
		{"abcd", 3, "abc"},
		{"中文", 6, "中文"},
		{"中文", 5, "中"},
		{"中文", 4, "中"},
		{"中文", 3, "中"},
		{"中文", 2, ""},
		{"a😀", 4, "a"},
		{"a", 0, ""},
		{"a", -1, ""},
		{"", 0, ""},
	}
	for _, tt := range tests {
		if got := CutText(tt.text, tt.limit); got != tt.want {
			t.Errorf("CutText(%q, %d) = %q, want %q", tt.text, tt.limit, got, tt.want)
		}
	}
}

func TestRecipients(t *testing.T) {
	tests := []struct {
		name    string
		message Message
		want    []string
	}{
		{"users", Message{ToUser: "ZhangSan|lisi"}, []string{"zhangsan", "lisi"}},
		{"empty ids", Message{ToUser: "|a||b|"}, []string{"a", "b"}},
		{"department", Message{ToParty: "2"}, []string{"@party:2"}},
		{"all three", Message{ToUser: "A", ToParty: "2|3", ToTag: "4"}, []string{"a", "@party:2", "@party:3", "@tag:4"}},
		{"everybody hides the rest", Message{ToUser: "@all", ToParty: "2"}, []string{"@all"}},
		{"nobody", Message{}, nil},
	}
	for _, tt := range tests {
		if got := tt.message.recipients(); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestMessageToNobody(t *testing.T) {
	s := stub.JSON(sent)
	_, err := clientOf(s).SendMessage(context.Background(), TextMessage("", "hi"))
	if !errors.Is(err, wechat.ErrInvalidRequest) || len(s.Requests()) != 0 {
		t.Errorf("error %v after %d requests, want ErrInvalidRequest after none", err, len(s.Requests()))
	}
}

// A member gets 30 messages a minute, whatever the case of the userid; a thirty-first waits.
func TestMemberLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := stub.JSON(sent)
		c := clientOf(s)
		send := func(to string) error {
			_, err := c.SendMessage(t.Context(), TextMessage(to, "hi"))
			return err
		}
		for i := range 30 {
			if err := send([]string{"ZhangSan", "zhangsan"}[i%2]); err != nil {
				t.Fatal(err)
			}
		}
		err := send("zhangsan|lisi")
		if !errors.Is(err, ratelimit.ErrExceeded) || !errors.Is(err, wechat.ErrRateLimited) {
			t.Errorf("the 31st: %v, want ErrExceeded", err)
		}
		if err := send("lisi"); err != nil {
			t.Errorf("to another: %v", err)
		}
	})
}

// P047: the server drops a repeat only where it was asked to look for one.
func TestDuplicateCheck(t *testing.T) {
	tests := []struct {
		name     string
		set      func(*Message)
		requests int
	}{
		{"off", func(*Message) {}, 1},
		{"interval alone", func(m *Message) { m.DuplicateCheckInterval = 600 }, 1},
		{"on", func(m *Message) { m.EnableDuplicateCheck = 1 }, 2},
		{"on with an interval", func(m *Message) { m.EnableDuplicateCheck, m.DuplicateCheckInterval = 1, 600 }, 2},
		{"interval too short", func(m *Message) { m.EnableDuplicateCheck, m.DuplicateCheckInterval = 1, 1 }, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var s *stub.Server
				s = &stub.Server{Answer: func(stub.Request) stub.Reply {
					if len(s.Requests()) == 1 {
						time.Sleep(2 * time.Second)
						return stub.Reply{Err: io.ErrUnexpectedEOF}
					}
					return stub.Reply{Body: sent}
				}}
				m := TextMessage("a", "hi")
				tt.set(m)
				_, err := clientOf(s).SendMessage(t.Context(), m)
				r := s.Requests()
				if len(r) != tt.requests {
					t.Fatalf("%d requests, want %d: %v", len(r), tt.requests, err)
				}
				if len(r) == 1 && !errors.Is(err, wechat.ErrOutcomeUnknown) {
					t.Errorf("error %v, want ErrOutcomeUnknown", err)
				}
				if len(r) == 2 && (err != nil || r[0].Body != r[1].Body) {
					t.Errorf("error %v, bodies\n%s\n%s", err, r[0].Body, r[1].Body)
				}
			})
		})
	}
}

// A card that is updated for everybody names nobody else.
func TestUpdateTemplateCard(t *testing.T) {
	s := stub.JSON(`{"errcode":0,"errmsg":"ok","invaliduser":["x"]}`)
	got, err := clientOf(s).UpdateTemplateCard(context.Background(),
		&CardUpdate{AtAll: 1, ResponseCode: "CODE", Button: &CardUpdateButton{ReplaceName: "Done"}})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.InvalidUser, []string{"x"}) {
		t.Errorf("InvalidUser = %v", got.InvalidUser)
	}
	want := `{"agentid":1000002,"atall":1,"response_code":"CODE","button":{"replace_name":"Done"}}`
	if body := s.Requests()[0].Body; body != want {
		t.Errorf("body %s, want %s", body, want)
	}
}

// What stands in a queue comes back as it was.
func TestMessageRoundTrip(t *testing.T) {
	m := TemplateCardMessage("a", TemplateCard{CardType: CardVoteInteraction, TaskID: "t",
		CheckBox: &CardCheckBox{QuestionKey: "q", OptionList: []CardCheckOption{{ID: "1", Text: "x", IsChecked: true}}}})
	first, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var back Message
	if err := json.Unmarshal(first, &back); err != nil {
		t.Fatal(err)
	}
	second, err := json.Marshal(&back)
	if err != nil || string(first) != string(second) {
		t.Errorf("%s became %s, %v", first, second, err)
	}
}
