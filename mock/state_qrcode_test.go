package mock_test

import (
	"bytes"
	"errors"
	"image/jpeg"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed175cf469/wechat"
	oa "github.com/seed175cf469/wechat/officialaccount"
)

func TestQRCodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c := official(once)
		ctx := t.Context()
		create := func(r *oa.CreateQRCodeRequest) *oa.CreateQRCodeReply {
			return must[*oa.CreateQRCodeReply](t)(c.CreateQRCode(ctx, r))
		}
		show := func(ticket string) (*wechat.Blob, error) {
			return c.ShowQRCode(ctx, &oa.ShowQRCodeRequest{Ticket: ticket})
		}
		wantGone := func(ticket string) {
			t.Helper()
			var e *wechat.Error
			if _, err := show(ticket); !errors.As(err, &e) || e.Status != 404 {
				t.Errorf("ticket %q: %v, want status 404", ticket, err)
			}
		}
		brief := create(oa.TempStrQRCode("order-7", time.Minute))
		if brief.ExpireSeconds != 60 || brief.URL == "" || brief.Ticket == "" {
			t.Errorf("a temporary code is %+v", brief)
		}
		wantEqual(t, "the default life", create(oa.TempQRCode(1, 0)).ExpireSeconds, 60)
		wantEqual(t, "the longest life", create(oa.TempQRCode(1, 31*24*time.Hour)).ExpireSeconds, 2_592_000)
		lasting := create(oa.PermanentStrQRCode("poster"))
		wantEqual(t, "the life of a permanent code", lasting.ExpireSeconds, 0)
		wantEqual(t, "the code of the same scene", create(oa.PermanentStrQRCode("poster")).Ticket, lasting.Ticket)
		if other := create(oa.PermanentQRCode(7)); other.Ticket == lasting.Ticket || other.URL == lasting.URL {
			t.Errorf("two scenes have one code: %+v", other)
		}
		picture := must[*wechat.Blob](t)(show(brief.Ticket))
		if _, err := jpeg.Decode(bytes.NewReader(picture.Data)); err != nil || picture.ContentType != "image/jpeg" {
			t.Errorf("the picture is %q, %v", picture.ContentType, err)
		}
		wantGone("nothing")
		time.Sleep(time.Minute)
		wantGone(brief.Ticket)
		must[*wechat.Blob](t)(show(lasting.Ticket))
	})
}

func TestQRCodesThatAreRefused(t *testing.T) {
	_, c := official(once)
	for name, tt := range map[string]struct {
		code    wechat.Code
		request *oa.CreateQRCodeRequest
	}{
		"action":         {40052, &oa.CreateQRCodeRequest{ActionName: "QR_DANCE"}},
		"no number":      {40053, oa.TempQRCode(0, time.Hour)},
		"large number":   {40053, oa.PermanentQRCode(100_001)},
		"largest number": {0, oa.PermanentQRCode(100_000)},
		"no text":        {40053, oa.PermanentStrQRCode("")},
		"long text":      {40053, oa.TempStrQRCode(strings.Repeat("场", 65), time.Hour)},
		"longest text":   {0, oa.TempStrQRCode(strings.Repeat("场", 64), time.Hour)},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := c.CreateQRCode(t.Context(), tt.request)
			wantCode(t, err, tt.code)
		})
	}
}

func TestShortKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c := official(once)
		ctx := t.Context()
		generate := func(text string, seconds int) (*oa.ShortKey, error) {
			return c.GenerateShortKey(ctx, &oa.GenerateShortKeyRequest{LongData: text, ExpireSeconds: seconds})
		}
		key := must[*oa.ShortKey](t)(generate("a & <b>", 60))
		wantEqual(t, "length of the key", len(key.ShortKey), 15)
		made := time.Now().Unix()
		time.Sleep(20 * time.Second)
		if got := must[*oa.FetchShortKeyReply](t)(c.FetchShortKey(ctx, key)); *got != (oa.FetchShortKeyReply{LongData: "a & <b>", CreateTime: made, ExpireSeconds: 40}) {
			t.Errorf("behind the key is %+v", got)
		}
		time.Sleep(40 * time.Second)
		_, err := c.FetchShortKey(ctx, key)
		wantCode(t, err, 9410012)
		_, err = generate("", 60)
		wantCode(t, err, 47003)
		_, err = generate(strings.Repeat("x", 4097), 60)
		wantCode(t, err, 9410010)
		_, err = generate("x", 2_592_001)
		wantCode(t, err, 9410011)
	})
}

func TestAgents(t *testing.T) {
	_, c := official(once)
	ctx := t.Context()
	add := func(account, nickname string) error {
		return c.AddKfAccount(ctx, &oa.AddKfAccountRequest{KfAccount: account, Nickname: nickname})
	}
	list := func() []oa.KfAccount {
		return must[*oa.ListKfAccountsReply](t)(c.ListKfAccounts(ctx, &oa.KfBusiness{})).KfList
	}
	wantEqual(t, "agents", len(list()), 0)
	wantCode(t, add("anna@shop", "Anna"), 0)
	wantCode(t, add("anna@shop", "Anna"), 65406)
	wantCode(t, add("anna", "Anna"), 65404)
	wantCode(t, add("a_name_too_long@shop", "Anna"), 65404)
	wantCode(t, add("bert@shop", ""), 65403)
	wantCode(t, c.UpdateKfAccount(ctx, &oa.UpdateKfAccountRequest{KfAccount: "anna@shop", Nickname: "安娜"}), 0)
	wantCode(t, c.InviteKfWorker(ctx, &oa.InviteKfWorkerRequest{KfAccount: "anna@shop", InviteWX: "anna_wx"}), 0)
	wantCode(t, c.UploadKfHeadImage(ctx, &oa.UploadKfHeadImageRequest{KfAccount: "anna@shop", Media: fileOf("a.jpg", "x")}), 0)
	if l := list(); len(l) != 1 || l[0].KfNick != "安娜" || l[0].InviteWX != "anna_wx" || l[0].InviteStatus != "waiting" || l[0].KfID == "" || l[0].KfHeadImgURL == "" {
		t.Errorf("agents are %+v", l)
	}
	wantCode(t, c.DeleteKfAccount(ctx, &oa.DeleteKfAccountRequest{KfAccount: "anna@shop"}), 0)
	wantCode(t, c.DeleteKfAccount(ctx, &oa.DeleteKfAccountRequest{KfAccount: "anna@shop"}), 65401)
	wantCode(t, c.UpdateKfAccount(ctx, &oa.UpdateKfAccountRequest{KfAccount: "anna@shop", Nickname: "x"}), 65401)
}
