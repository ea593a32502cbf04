package work

import (
	"context"
	"strings"
	"testing"

	"github.com/seed175cf469/wechat/internal/stub"
)

// An update leaves out what stays, and sends what is cleared.
func TestUpdateUser(t *testing.T) {
	empty, disabled := "", 0
	s := stub.JSON(`{"errcode":0,"errmsg":"updated"}`)
	err := clientOf(s).UpdateUser(context.Background(), &UpdateUserRequest{UserID: "a", Alias: &empty, Enable: &disabled, BizMailAlias: &BizMailAlias{}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := s.Requests()[0].Body, `{"userid":"a","alias":"","biz_mail_alias":{},"enable":0}`; got != want {
		t.Errorf("body %s, want %s", got, want)
	}
}

// Objects that are empty come as lists or texts.
func TestGetUser(t *testing.T) {
	s := stub.JSON(`{"errcode":0,"errmsg":"ok","userid":"zhangsan","name":"张三","department":[1,2],"gender":1,"status":1,` +
		`"extattr":{"attrs":[{"type":0,"name":"n","text":{"value":"v"}}]},"external_profile":{"external_attr":[],"wechat_channels":""}}`)
	got, err := clientOf(s).GetUser(context.Background(), &UserID{UserID: "ZhangSan"})
	if err != nil {
		t.Fatal(err)
	}
	if got.UserID != "zhangsan" || got.Gender != "1" || got.Status != UserActive || len(got.ExtAttr.Attrs) != 1 || got.ExtAttr.Attrs[0].Text.Value != "v" {
		t.Errorf("got %+v", got)
	}
}

// The walk ends with an empty cursor, and with one that stands still.
func TestAllUserIDs(t *testing.T) {
	for name, last := range map[string]string{"empty cursor": "", "cursor that stands still": "2"} {
		t.Run(name, func(t *testing.T) {
			s := &stub.Server{Answer: func(r stub.Request) stub.Reply {
				if strings.Contains(r.Body, `"cursor":"2"`) {
					return stub.Reply{Body: `{"errcode":0,"next_cursor":"` + last + `","dept_user":[{"userid":"b","department":1}]}`}
				}
				return stub.Reply{Body: `{"errcode":0,"next_cursor":"2","dept_user":[{"userid":"a","department":1},{"userid":"a","department":2}]}`}
			}}
			var got []string
			for user, err := range clientOf(s).AllUserIDs(context.Background()) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, user.UserID)
			}
			if all := strings.Join(got, ""); all != "aab" {
				t.Errorf("got %s, want aab", all)
			}
			if n := len(s.Requests()); n != 2 {
				t.Errorf("%d requests, want 2", n)
			}
		})
	}
}
