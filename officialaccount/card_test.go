package officialaccount

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/seed175cf469/wechat"
)

// answer plays one path and leaves the rest to the server.
func answer(path string, bodies ...string) *server {
	return &server{reply: func(r request) response {
		if r.path != path {
			return response{}
		}
		return jsonBody(bodies[min(r.n, len(bodies)-1)])
	}}
}

// sameJSON compares two texts by what they say.
func sameJSON(t *testing.T, got, want string) {
	t.Helper()
	var g, w any
	if err := json.Unmarshal([]byte(got), &g); err != nil {
		t.Fatalf("%v in %s", err, got)
	}
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		t.Fatalf("%v in %s", err, want)
	}
	if !reflect.DeepEqual(g, w) {
		t.Errorf("the body is %s, want %s", got, want)
	}
}

// sentTo is the body of the only request to a path.
func sentTo(t *testing.T, s *server, path string) string {
	t.Helper()
	list := s.to(path)
	if len(list) != 1 {
		t.Fatalf("%d requests to %s, want 1", len(list), path)
	}
	return list[0].body
}

// notRepeated checks that a call whose reply is lost is made once, and that its outcome is said to be unknown.
func notRepeated(t *testing.T, path string, call func(context.Context, *Client) error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &server{reply: func(r request) response { return response{lost: r.path == path} }}
		if err := call(t.Context(), s.client()); !errors.Is(err, wechat.ErrOutcomeUnknown) {
			t.Errorf("err %v, want an unknown outcome", err)
		}
		if n := len(s.to(path)); n != 1 {
			t.Errorf("%d requests, want 1", n)
		}
	})
}

// A zero that means something travels: valid from the day it is taken, not to be shared. The cover is an object that
// has a field of its own name, and its pictures are a list.
func TestCreateCardBody(t *testing.T) {
	no := false
	s := answer("/card/create", `{"errcode":0,"errmsg":"ok","card_id":"p1"}`)
	got, err := s.client().CreateCard(t.Context(), &CreateCardRequest{Card: Card{
		CardType: CardDiscount,
		Discount: &DiscountCoupon{
			BaseInfo: CardBaseInfo{
				LogoURL: "http://mmbiz.qpic.cn/l", CodeType: CardCodeQRCode, BrandName: "Shop", Title: "30% off", Color: "Color010",
				Notice: "Show it", Description: "Once", SKU: CardSKU{Quantity: 100}, DateInfo: CardValidFor(30, 0),
				CardLinks: CardLinks{CustomURLName: "Go", CustomURL: "https://example.com/?a=1&b=2"}, CanShare: &no,
			},
			AdvancedInfo: &CardAdvancedInfo{
				UseCondition: &CardUseCondition{CanUseWithOtherDiscount: &no},
				Abstract:     &CardAbstract{Abstract: "New", IconURLList: []string{"http://mmbiz.qpic.cn/i"}},
			},
			Discount: 30,
		},
	}})
	if err != nil || got.CardID != "p1" {
		t.Fatalf("got %+v, %v", got, err)
	}
	sameJSON(t, sentTo(t, s, "/card/create"), `{"card":{"card_type":"DISCOUNT","discount":{
		"base_info":{"logo_url":"http://mmbiz.qpic.cn/l","code_type":"CODE_TYPE_QRCODE","brand_name":"Shop","title":"30% off",
			"color":"Color010","notice":"Show it","description":"Once","sku":{"quantity":100},
			"date_info":{"type":"DATE_TYPE_FIX_TERM","fixed_term":30,"fixed_begin_term":0},
			"custom_url_name":"Go","custom_url":"https://example.com/?a=1&b=2","can_share":false},
		"advanced_info":{"use_condition":{"can_use_with_other_discount":false},
			"abstract":{"abstract":"New","icon_url_list":["http://mmbiz.qpic.cn/i"]}},
		"discount":30}}}`)
}

// What the platform adds to a card takes the place of what was sent, in each branch.
func TestGetCard(t *testing.T) {
	const base = `"base_info":{"id":"p1","status":"CARD_STATUS_VERIFY_OK","logo_url":"l","title":"t",
		"sku":{"quantity":7,"total_quantity":100},"date_info":{"type":"DATE_TYPE_PERMANENT"},"can_share":false,
		"sub_merchant_info":{"merchant_id":"12"}}`
	for _, tt := range []struct {
		kind   CardType
		branch string
	}{
		{CardGroupon, "groupon"}, {CardCash, "cash"}, {CardDiscount, "discount"}, {CardGift, "gift"},
		{CardGeneralCoupon, "general_coupon"}, {CardMember, "member_card"},
	} {
		t.Run(tt.branch, func(t *testing.T) {
			s := answer("/card/get", fmt.Sprintf(`{"errcode":0,"card":{"card_type":%q,%q:{%s}}}`, tt.kind, tt.branch, base))
			got, err := s.client().GetCard(t.Context(), &CardID{CardID: "p1"})
			if err != nil {
				t.Fatal(err)
			}
			info := got.Card.BaseInfo()
			if got.Card.CardType != tt.kind || info == nil {
				t.Fatalf("got %+v", got.Card)
			}
			if info.ID != "p1" || info.Status != CardVerified || info.Title != "t" || info.SKU != (CardStock{7, 100}) ||
				info.DateInfo.Type != CardDatePermanent || info.CanShare == nil || *info.CanShare ||
				info.SubMerchantInfo == nil || info.SubMerchantInfo.MerchantID != 12 {
				t.Errorf("the base info is %+v", info)
			}
		})
	}
	s := answer("/card/get", `{"errcode":0,"card":{"card_type":"MOVIE_TICKET","movie_ticket":{}}}`)
	got, err := s.client().GetCard(t.Context(), &CardID{CardID: "p1"})
	if err != nil || got.Card.BaseInfo() != nil {
		t.Errorf("a kind that is not known: %+v, %v", got, err)
	}
}

func TestUpdateCardBody(t *testing.T) {
	no := false
	s := answer("/card/update", `{"errcode":0,"errmsg":"ok","send_check":true}`)
	got, err := s.client().UpdateCard(t.Context(), &UpdateCardRequest{CardID: "p1", MemberCard: &MemberCardUpdate{
		CardUpdate:  CardUpdate{BaseInfo: &CardBaseInfoUpdate{Title: "t", CanGiveFriend: &no}},
		SupplyBonus: &no,
	}})
	if err != nil || !got.SendCheck {
		t.Fatalf("got %+v, %v", got, err)
	}
	sameJSON(t, sentTo(t, s, "/card/update"),
		`{"card_id":"p1","member_card":{"base_info":{"title":"t","can_give_friend":false},"supply_bonus":false}}`)
}

// Relative numbers count twice when they are sent twice.
func TestRelativeChangesAreNotRepeated(t *testing.T) {
	notRepeated(t, "/card/modifystock", func(ctx context.Context, c *Client) error {
		return c.ModifyCardStock(ctx, &ModifyCardStockRequest{CardID: "p1", IncreaseStockValue: 10})
	})
	notRepeated(t, "/card/membercard/updateuser", func(ctx context.Context, c *Client) error {
		_, err := c.UpdateMemberCardUser(ctx, &UpdateMemberCardUserRequest{CardID: "p1", Code: "1", AddBonus: -5})
		return err
	})
}

// A lost reply is no reason to redeem again: the repeat would be told that it is done, whoever did it.
func TestConsumeCardCode(t *testing.T) {
	notRepeated(t, "/card/code/consume", func(ctx context.Context, c *Client) error {
		_, err := c.ConsumeCardCode(ctx, &CardCode{Code: "1"})
		return err
	})
}

func TestDepositCardCodes(t *testing.T) {
	for _, tt := range []struct {
		body string
		want DepositCardCodesReply
	}{
		{`{"errcode":0,"succ_code":["1","2"],"duplicate_code":["3"],"fail_code":[]}`,
			DepositCardCodesReply{SuccCode: []string{"1", "2"}, DuplicateCode: []string{"3"}, FailCode: []string{}}},
		{`{"errcode":0,"succ_code":2,"duplicate_code":1,"fail_code":0}`,
			DepositCardCodesReply{SuccCode: []string{"2"}, DuplicateCode: []string{"1"}, FailCode: []string{"0"}}},
	} {
		got, err := answer("/card/code/deposit", tt.body).client().DepositCardCodes(t.Context(),
			&CardCodesRequest{CardID: "p1", Code: []string{"1", "2", "3"}})
		if err != nil || !reflect.DeepEqual(*got, tt.want) {
			t.Errorf("%s: got %+v, %v", tt.body, got, err)
		}
	}
}

// What is known of a member stands beside the card and not in it.
func TestGetCardCode(t *testing.T) {
	s := answer("/card/code/get", `{"errcode":0,"card":{"card_id":"p1","begin_time":1457452800,"end_time":1463155199,
		"code":"12312313","user_card_status":"NORMAL"},"openid":"o1","can_consume":true,"membership_number":"316510891298",
		"bonus":460,"user_info":{"common_field_list":[{"name":"USER_FORM_INFO_FLAG_MOBILE","value":"15500000000"}],
		"custom_field_list":[]},"user_card_status":"NORMAL"}`)
	got, err := s.client().GetCardCode(t.Context(), &GetCardCodeRequest{CardCode: CardCode{Code: "12312313"}})
	if err != nil {
		t.Fatal(err)
	}
	if got.Card != (CardCodeInfo{"p1", 1457452800, 1463155199, "12312313", CardCodeNormal}) || got.Bonus != 460 ||
		got.MembershipNumber != "316510891298" || got.UserInfo.CommonFieldList[0].Value != "15500000000" {
		t.Errorf("got %+v", got)
	}
	sameJSON(t, sentTo(t, s, "/card/code/get"), `{"code":"12312313"}`)
}

func TestAllCards(t *testing.T) {
	s := &server{reply: func(r request) response {
		if r.path != "/card/batchget" {
			return response{}
		}
		ids := []string{`"a","b"`, `"c"`}[r.n]
		return jsonBody(fmt.Sprintf(`{"errcode":0,"card_id_list":[%s],"total_num":3}`, ids))
	}}
	if got := collect(t, s.client().AllCards(t.Context(), CardVerified)); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("the cards are %v", got)
	}
	pages := s.to("/card/batchget")
	if len(pages) != 2 {
		t.Fatalf("%d requests, want 2", len(pages))
	}
	sameJSON(t, pages[1].body, `{"offset":2,"count":50,"status_list":["CARD_STATUS_VERIFY_OK"]}`)
}

// Zero points and a silent change are said, and not left out.
func TestUpdateMemberCardUser(t *testing.T) {
	zero, no := 0, false
	s := answer("/card/membercard/updateuser", `{"errcode":0,"errmsg":"ok","result_bonus":0,"result_balance":"100","openid":"o1"}`)
	got, err := s.client().UpdateMemberCardUser(t.Context(), &UpdateMemberCardUserRequest{
		Code: "1", CardID: "p1", Bonus: &zero, NotifyOptional: &MemberCardNotify{IsNotifyBonus: &no},
	})
	if err != nil || *got != (UpdateMemberCardUserReply{ResultBonus: 0, ResultBalance: 100, OpenID: "o1"}) {
		t.Fatalf("got %+v, %v", got, err)
	}
	sameJSON(t, sentTo(t, s, "/card/membercard/updateuser"),
		`{"code":"1","card_id":"p1","bonus":0,"notify_optional":{"is_notify_bonus":false}}`)
}

func TestGetMemberCardUser(t *testing.T) {
	for _, body := range []string{
		`{"errcode":0,"openid":"o1","bonus":460,"balance":12.5,"has_active":true}`,
		`{"errcode":0,"openid":"o1","bonus":"460","balance":"12.5","has_active":true,"user_info":{"custom_field_list":""}}`,
	} {
		got, err := answer("/card/membercard/userinfo/get", body).client().GetMemberCardUser(t.Context(),
			&GetMemberCardUserRequest{CardID: "p1", Code: "1"})
		if err != nil || got.Bonus != 460 || got.Balance != 12.5 || !got.HasActive {
			t.Errorf("%s: got %+v, %v", body, got, err)
		}
	}
}
