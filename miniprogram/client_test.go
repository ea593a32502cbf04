package miniprogram

import (
	"context"
	"strings"
	"testing"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/internal/stub"
)

// The token comes from the stable channel unless the app asks for the classic one, and no token call is made with one.
func TestToken(t *testing.T) {
	tests := []struct {
		name    string
		classic bool
		path    string
	}{
		{"stable", false, "/cgi-bin/stable_token"},
		{"classic", true, "/cgi-bin/token"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := stub.JSON(`{"access_token":"FRESH","expires_in":7200,"ip_list":["203.0.113.0/24"]}`)
			c := New(s.Client(), wechat.App{ID: appID, Secret: "FAKE_SECRET", Classic: tt.classic})
			for range 2 {
				if _, err := c.GetCallbackIPs(context.Background()); err != nil {
					t.Fatal(err)
				}
			}
			r := s.Requests()
			if len(r) != 3 {
				t.Fatalf("%d requests, want one for the token and two calls", len(r))
			}
			if r[0].Path != tt.path || r[0].Query.Has("access_token") {
				t.Errorf("the token was asked for at %s?%s, want %s", r[0].Path, r[0].Query.Encode(), tt.path)
			}
			if got := r[2].Query.Get("access_token"); got != "FRESH" {
				t.Errorf("the call has the token %q", got)
			}
			if strings.Contains(r[0].Body, "force_refresh") {
				t.Errorf("the first token was forced: %s", r[0].Body)
			}
		})
	}
}

// Tickets are kept: a second one costs no call, and has what is left of its time.
func TestGetTicketIsKept(t *testing.T) {
	s := stub.JSON(`{"errcode":0,"errmsg":"ok","ticket":"FAKE_TICKET","expires_in":7200}`)
	c := clientOf(s)
	for range 2 {
		ticket, err := c.GetTicket(context.Background(), &GetTicketRequest{Type: TicketCard})
		if err != nil {
			t.Fatal(err)
		}
		if ticket.Ticket != "FAKE_TICKET" || ticket.ExpiresIn < 7100 || ticket.ExpiresIn > 7200 {
			t.Errorf("ticket %+v", ticket)
		}
	}
	if n := len(s.Requests()); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
}

// P093: the codes are pictures on success and JSON on failure, with whatever content type.
func TestQRCode(t *testing.T) {
	const png = "\x89PNG\r\n\x1a\n...."
	type call func(*Client) (*wechat.Blob, error)
	calls := map[string]call{
		"GetQRCode": func(c *Client) (*wechat.Blob, error) {
			return c.GetQRCode(context.Background(), &QRCodeRequest{Path: "pages/a?b=1&c=2"})
		},
		"GetUnlimitedQRCode": func(c *Client) (*wechat.Blob, error) {
			return c.GetUnlimitedQRCode(context.Background(), &UnlimitedQRCodeRequest{Scene: "a=1&b=2", CheckPath: new(bool)})
		},
		"CreateQRCode": func(c *Client) (*wechat.Blob, error) {
			return c.CreateQRCode(context.Background(), &SquareQRCodeRequest{Path: "pages/a"})
		},
	}
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			reply := stub.Reply{ContentType: "text/plain", Body: png}
			s := &stub.Server{Answer: func(stub.Request) stub.Reply { return reply }}
			blob, err := call(clientOf(s))
			if err != nil {
				t.Fatal(err)
			}
			if string(blob.Data) != png || blob.ContentType != "image/png" {
				t.Errorf("got %q of type %s", blob.Data, blob.ContentType)
			}
			reply = stub.Reply{ContentType: "image/jpeg", Body: `{"errcode":41030,"errmsg":"invalid page rid: 65000000-0badcafe-00000001"}`}
			if blob, err := call(clientOf(s)); !isCode(err, 41030) {
				t.Errorf("got %v, %v, want errcode 41030", blob, err)
			}
		})
	}
	s := stub.JSON(png)
	if _, err := calls["GetUnlimitedQRCode"](clientOf(s)); err != nil {
		t.Fatal(err)
	}
	if got, want := s.Requests()[0].Body, `{"scene":"a=1&b=2","check_path":false}`; got != want {
		t.Errorf("body %s, want %s", got, want)
	}
}

// The kind of check is a number that the caller is not asked for, and bad content is a verdict and no error.
func TestCheckText(t *testing.T) {
	s := stub.JSON(`{"errcode":0,"errmsg":"ok","result":{"suggest":"risky","label":20001},` +
		`"detail":[{"strategy":"content_model","errcode":0,"suggest":"risky","label":20006,"prob":90}],"trace_id":"60ae120f"}`)
	got, err := clientOf(s).CheckText(context.Background(), &TextCheckRequest{Content: "<b>&", Scene: SceneForum, OpenID: "oFAKE"})
	if err != nil {
		t.Fatal(err)
	}
	if got.Result.Suggest != SuggestRisky || got.Result.Label != LabelPolitics || len(got.Detail) != 1 || got.Detail[0].Label != LabelCrime {
		t.Errorf("got %+v", got)
	}
	if got, want := s.Requests()[0].Body, `{"version":2,"content":"<b>&","scene":3,"openid":"oFAKE"}`; got != want {
		t.Errorf("body %s, want %s", got, want)
	}
}

// Titles come in pages of 30; a page that is empty ends the walk whatever the count says.
func TestAllPublicTemplateTitles(t *testing.T) {
	pages := map[string]string{
		"0": `{"errcode":0,"count":9,"data":[{"tid":1,"title":"a","type":2,"categoryId":307},{"tid":2,"title":"b","type":3,"categoryId":"308"}]}`,
		"2": `{"errcode":0,"count":9,"data":[{"tid":3,"title":"c","type":2,"categoryId":"307"}]}`,
		"3": `{"errcode":0,"count":9,"data":[]}`,
	}
	s := &stub.Server{Answer: func(r stub.Request) stub.Reply { return stub.Reply{Body: pages[r.Query.Get("start")]} }}
	var got []string
	for title, err := range clientOf(s).AllPublicTemplateTitles(context.Background(), "307,308") {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, title.Title+title.CategoryID)
	}
	if all := strings.Join(got, " "); all != "a307 b308 c307" {
		t.Errorf("got %s", all)
	}
	if n := len(s.Requests()); n != 3 {
		t.Errorf("%d requests, want 3", n)
	}
}
