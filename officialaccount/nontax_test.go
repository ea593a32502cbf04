package officialaccount

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/seed175cf469/wechat"
)

func TestNonTaxOrder(t *testing.T) {
	const path = "/nontax/unifiedorder"
	s := answering(path, `{"errcode":0,"errmsg":"success","order_id":"o1","pay_url":"https://example.invalid/pay"}`)
	got, err := s.client().CreateNonTaxOrder(t.Context(), &CreateNonTaxOrderRequest{ // nobody is named: a browser outside WeChat
		NonTaxBill: NonTaxBill{
			Desc: "fine", Fee: 100, Items: []NonTaxItem{{No: 1, ItemID: "i1", ItemName: "n", Fee: 100}}, OrderNo: "n1",
			PaymentNoticeCreateTime: 1709251200, DepartmentCode: "d", DepartmentName: "D", RegionCode: "r",
		},
		IP: "192.0.2.1", Scene: NonTaxCityService, TradeType: NonTaxMWEB,
	})
	if err != nil || got.OrderID != "o1" || got.PayURL != "https://example.invalid/pay" {
		t.Fatalf("got %+v, %v", got, err)
	}
	want := `{"appid":"` + testApp.ID + `","desc":"fine","fee":100,"items":[{"no":1,"item_id":"i1","item_name":"n","fee":100}],` +
		`"payment_notice_create_time":1709251200,"order_no":"n1","department_code":"d","department_name":"D","region_code":"r",` +
		`"ip":"192.0.2.1","scene":"ctiyservice","trade_type":"MWEB"}`
	if got := s.to(path)[0].body; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestNonTaxWithoutNumber(t *testing.T) {
	s := &server{}
	oa := s.client()
	_, err1 := oa.CreateNonTaxOrder(t.Context(), &CreateNonTaxOrderRequest{})
	_, err2 := oa.PayNonTaxByCode(t.Context(), &PayNonTaxByCodeRequest{})
	_, err3 := oa.ListNonTaxOrders(t.Context(), &ListNonTaxOrdersRequest{})
	for _, err := range []error{err1, err2, err3} {
		if !errors.Is(err, wechat.ErrInvalidRequest) || !strings.Contains(err.Error(), "order_no") {
			t.Errorf("got %v, want an invalid request", err)
		}
	}
	if len(s.requests) != 0 {
		t.Errorf("%d requests went out", len(s.requests))
	}
}

// A payment whose reply is lost may have been made: it is never sent again by itself.
func TestNonTaxPaymentLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const path = "/nontax/micropay"
		s := &server{reply: func(r request) response { return response{lost: r.path == path} }}
		_, err := s.client().PayNonTaxByCode(t.Context(), &PayNonTaxByCodeRequest{
			NonTaxBill: NonTaxBill{PaymentNoticeNo: "n1"}, AuthCode: "131234567890123456",
		})
		if !errors.Is(err, wechat.ErrOutcomeUnknown) || len(s.to(path)) != 1 {
			t.Errorf("got %v after %d requests, want an unknown outcome after 1", err, len(s.to(path)))
		}
		if strings.Contains(err.Error(), "131234567890123456") {
			t.Errorf("the error has the payment code: %v", err)
		}
	})
}

// Refunds come as a list or as a single object, with numbers as text, and the errcode of a callback is not the reply's.
func TestGetNonTaxOrder(t *testing.T) {
	const refund = `{"refund_order_id":"r1","refund_fee":50,"refund_status":%s}`
	for _, body := range []string{
		`[` + fmt.Sprintf(refund, "5") + `]`, `[` + fmt.Sprintf(refund, `"5"`) + `]`, fmt.Sprintf(refund, "5"), fmt.Sprintf(refund, `"5"`),
	} {
		s := answering("/nontax/getorder", `{"errcode":0,"errmsg":"success","order_id":"o1","status":4,"partial_refund_info":`+body+`,
			"notify_history":[{"name":"bank","notify_cnt":2,"notify_detail":[{"status":3,"cost_time":120,"errcode":299,"errmsg":"system error"}]}]}`)
		got, err := s.client().GetNonTaxOrder(t.Context(), &GetNonTaxOrderRequest{OrderID: "o1"})
		want := &GetNonTaxOrderReply{
			OrderID: "o1", Status: NonTaxPaid4,
			PartialRefundInfo: []NonTaxRefund{{RefundOrderID: "r1", RefundFee: 50, RefundStatus: NonTaxRefunded}},
			NotifyHistory: []NonTaxNotifyHistory{{Name: "bank", NotifyCnt: 2,
				NotifyDetail: []NonTaxNotify{{Status: NonTaxPaid, CostTime: 120, ErrCode: 299, ErrMsg: "system error"}}}},
		}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, %v, want %+v", body, got, err, want)
		}
	}
}

func TestQueryNonTaxFee(t *testing.T) {
	s := answering("/nontax/queryfee", `{"errcode":0,"errmsg":"success","fee":100,"payment_expire_date":20240301}`)
	got, err := s.client().QueryNonTaxFee(t.Context(), &QueryNonTaxFeeRequest{ServiceID: 1, PaymentNoticeNo: "n1"})
	if err != nil || got.Fee != 100 || got.PaymentExpireDate != "20240301" {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestDownloadNonTaxBill(t *testing.T) {
	const csv = "交易时间,订单号\n`2024-03-01 10:00:00,`o1\n"
	s := &server{reply: func(r request) response {
		if r.path != "/nontax/downloadbill" {
			return response{}
		}
		return response{contentType: "text/plain", body: csv}
	}}
	bill, err := s.client().DownloadNonTaxBill(t.Context(), &DownloadNonTaxBillRequest{MchID: "m1", BillDate: Date("2024-03-01").Compact()})
	if err != nil || string(bill.Data) != csv {
		t.Errorf("got %+v, %v", bill, err)
	}
	if got, want := s.to("/nontax/downloadbill")[0].body, `{"appid":"`+testApp.ID+`","mch_id":"m1","bill_date":"20240301"}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	bill, err = answering("/nontax/downloadbill", `{"errcode":268,"errmsg":"no bill"}`).client().DownloadNonTaxBill(t.Context(), &DownloadNonTaxBillRequest{})
	if !errors.Is(err, wechat.Code(268)) {
		t.Errorf("got %+v, %v, want the code 268", bill, err)
	}
}

func TestMockNonTax(t *testing.T) {
	s := &server{}
	oa := s.client()
	if err := errors.Join(
		oa.MockNonTaxNotification(t.Context(), &NonTaxCallbackURL{"https://example.invalid"}),
		oa.MockNonTaxFeeQuery(t.Context(), &NonTaxCallbackURL{"https://example.invalid"}),
	); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/nontax/mocknotification", "/nontax/mockqueryfee"} {
		var got map[string]any
		if err := json.Unmarshal([]byte(s.to(path)[0].body), &got); err != nil {
			t.Fatal(err)
		}
		if want := map[string]any{"appid": testApp.ID, "url": "https://example.invalid", "version": 1.0}; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, want %v", path, got, want)
		}
	}
}

// The first code of an order has the index 0, which must be sent; the code itself may begin with zeros.
func TestMarketCode(t *testing.T) {
	const path = "/intp/marketcode/codeactivequery"
	for reply, want := range map[string]string{`"0000000008"`: "0000000008", `"8"`: "8", `8`: "8"} {
		s := answering(path, `{"errcode":0,"code":`+reply+`,"application_id":581865877,"code_start":0,"code_end":200}`)
		got, err := s.client().GetMarketCode(t.Context(), MarketCodeAt(581865877, 0))
		if err != nil || got.Code != want || got.CodeEnd != 200 {
			t.Errorf("%s: got %+v, %v, want the code %s", reply, got, err, want)
		}
		if got, want := s.to(path)[0].body, `{"application_id":581865877,"code_index":0}`; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	s := &server{}
	if _, err := s.client().GetMarketCode(t.Context(), &GetMarketCodeRequest{Code: "0000000008"}); err != nil {
		t.Fatal(err)
	}
	if got, want := s.to(path)[0].body, `{"code":"0000000008"}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// An order of codes can be sent again, as the caller's id makes it the same order.
func TestApplyMarketCodesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const path = "/intp/marketcode/applycode"
		s := &server{reply: func(r request) response {
			switch {
			case r.path != path:
				return response{}
			case r.n == 0:
				return response{lost: true}
			}
			return jsonBody(`{"errcode":0,"errmsg":"ok","application_id":581865877}`)
		}}
		got, err := s.client().ApplyMarketCodes(t.Context(), &ApplyMarketCodesRequest{CodeCount: 10000, ISVApplicationID: "i1"})
		if err != nil || got.ApplicationID != 581865877 || len(s.to(path)) != 2 {
			t.Errorf("got %+v, %v after %d requests, want the order after 2", got, err, len(s.to(path)))
		}
	})
}

func TestMedicalMessage(t *testing.T) {
	const path = "/cityservice/sendchannelmsg"
	for name, tt := range map[string]struct {
		info any
		want string
	}{
		"appointment": {&MedicalAppointment{PatHospitalID: "p1", PatName: "李*龙", DepartmentName: "D", AppointmentTime: "2023-06-07 10:30-11:00"},
			`{"pat_hospital_id":"p1","pat_name":"李*龙","department_name":"D","appointment_time":"2023-06-07 10:30-11:00"}`},
		"another kind": {map[string]string{"report_time": "2023-06-07"}, `{"report_time":"2023-06-07"}`},
	} {
		s := &server{}
		err := s.client().SendMedicalMessage(t.Context(), &MedicalMessage{
			Status: MedicalAppointmentMade, OpenID: "o1", OrderID: "order", MsgID: "m1", BusinessInfo: tt.info,
		})
		if err != nil {
			t.Fatal(err)
		}
		body := s.to(path)[0].body
		var got, want any
		_ = json.Unmarshal([]byte(body), &got)
		_ = json.Unmarshal([]byte(`{"status":1501001,"open_id":"o1","order_id":"order","msg_id":"m1","app_id":"`+testApp.ID+
			`","business_id":150,"business_info":`+tt.want+`}`), &want)
		if want == nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %s, want the info %s", name, body, tt.want)
		}
	}
}

func TestMarketingVersion(t *testing.T) {
	s := &server{}
	oa := s.client()
	_, err1 := oa.CreateUserActionSet(t.Context(), &CreateUserActionSetRequest{Type: UserActionSetWeb})
	_, err2 := oa.ListUserActionSets(t.Context(), &ListUserActionSetsRequest{})
	err3 := oa.AddUserActions(t.Context(), &AddUserActionsRequest{Actions: []UserAction{{
		UserActionSetID: 1, URL: "https://example.invalid", ActionTime: 1709251200, ActionType: UserActionReservation, Trace: &UserActionTrace{"c1"},
	}}})
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	for path, body := range map[string]string{
		"/marketing/user_action_sets/add": `{"type":"WEB"}`,
		"/marketing/user_action_sets/get": ``,
		"/marketing/user_actions/add": `{"actions":[{"user_action_set_id":1,"url":"https://example.invalid","action_time":1709251200,` +
			`"action_type":"RESERVATION","trace":{"click_id":"c1"}}]}`,
	} {
		r := s.to(path)[0]
		if r.query.Get("version") != "v1.0" || r.body != body {
			t.Errorf("%s: got %v with the body %s, want version v1.0 with %s", path, r.query, r.body, body)
		}
	}
}

// Dates and filters are JSON inside the query.
func TestAllAdLeads(t *testing.T) {
	const path = "/marketing/wechat_ad_leads/get"
	s := &server{reply: func(r request) response {
		if r.path != path {
			return response{}
		}
		return jsonBody(fmt.Sprintf(`{"data":{"page_info":{"page":%s,"total_number":2},"list":[{"click_id":"c%[1]s"}]}}`, r.query.Get("page")))
	}}
	got := collect(t, s.client().AllAdLeads(t.Context(), OneDay("2024-03-01"), AdLeadFilter{"campaign_id", "EQUALS", []string{"1"}}))
	if want := []AdLead{{ClickID: "c1"}, {ClickID: "c2"}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for i, r := range s.to(path) {
		for name, want := range map[string]string{
			"date_range": `{"start_date":"2024-03-01","end_date":"2024-03-01"}`,
			"filtering":  `[{"field":"campaign_id","operator":"EQUALS","values":["1"]}]`,
			"page":       fmt.Sprint(i + 1), "page_size": "100", "version": "v1.0",
		} {
			if got := r.query.Get(name); got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
	}
}
