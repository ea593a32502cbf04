package officialaccount

import (
	"context"
	"testing"
)

// One path serves six actions: a set carries its own branch, a get an empty object.
func TestSetInvoiceBizAttr(t *testing.T) {
	const path = "/card/invoice/setbizattr"
	for _, tt := range []struct {
		req  SetInvoiceBizAttrRequest
		body string
	}{
		{SetInvoiceBizAttrRequest{Action: InvoiceGetContact}, `{}`},
		{SetInvoiceBizAttrRequest{Action: InvoiceSetContact,
			InvoiceBizAttr: InvoiceBizAttr{Contact: &InvoiceContact{TimeOut: 12345, Phone: "123"}}},
			`{"contact":{"time_out":12345,"phone":"123"}}`},
		{SetInvoiceBizAttrRequest{Action: InvoiceSetPayMch,
			InvoiceBizAttr: InvoiceBizAttr{PayMchInfo: &InvoicePayMch{MchID: "1234", SPAppID: "d3x"}}},
			`{"paymch_info":{"mchid":"1234","s_pappid":"d3x"}}`},
	} {
		s := answer(path, `{"errcode":0,"errmsg":"ok","contact":{"time_out":"12345","phone":"123"}}`)
		got, err := s.client().SetInvoiceBizAttr(t.Context(), &tt.req)
		if err != nil || got.AuthField != nil || got.Contact == nil || *got.Contact != (InvoiceContact{12345, "123"}) {
			t.Errorf("%s: got %+v, %v", tt.req.Action, got, err)
		}
		sameJSON(t, sentTo(t, s, path), tt.body)
		if action := s.to(path)[0].query.Get("action"); action != string(tt.req.Action) {
			t.Errorf("the action is %q, want %q", action, tt.req.Action)
		}
	}
}

// The errcode of this page is text.
func TestGetInvoicePlatformURL(t *testing.T) {
	s := answer("/card/invoice/seturl", `{"errcode":"0","errmsg":"ok","invoice_url":"https://mp.weixin.qq.com/?s_pappid=d3x"}`)
	got, err := s.client().GetInvoicePlatformURL(t.Context())
	if err != nil || got.InvoiceURL != "https://mp.weixin.qq.com/?s_pappid=d3x" {
		t.Errorf("got %+v, %v", got, err)
	}
}

// The id of a PDF can be a number, which no float keeps, and its link is asked for by an action in the query.
func TestInvoicePDF(t *testing.T) {
	s := answer("/card/invoice/platform/setpdf", `{"errcode":0,"errmsg":"ok","s_media_id":4324363860661076972}`)
	up, err := s.client().UploadInvoicePDF(t.Context(), &UploadInvoicePDFRequest{PDF: file("i.pdf", "%PDF-1.4")})
	if err != nil || up.SMediaID != "4324363860661076972" {
		t.Fatalf("got %+v, %v", up, err)
	}
	if sent := parts(t, s.to("/card/invoice/platform/setpdf")[0]); sent["pdf"] != "i.pdf:%PDF-1.4" || len(sent) != 1 {
		t.Errorf("the parts are %q", sent)
	}
	s = answer("/card/invoice/platform/getpdf", `{"errcode":0,"pdf_url":"https://x.example/p","pdf_url_expire_time":7200}`)
	got, err := s.client().GetInvoicePDF(t.Context(), &GetInvoicePDFRequest{SMediaID: up.SMediaID})
	if err != nil || *got != (GetInvoicePDFReply{"https://x.example/p", 7200}) {
		t.Errorf("got %+v, %v", got, err)
	}
	r := s.to("/card/invoice/platform/getpdf")[0]
	sameJSON(t, r.body, `{"s_media_id":"4324363860661076972"}`)
	if r.query.Get("action") != "get_url" {
		t.Errorf("the query is %v", r.query)
	}
}

// The invoice is an object inside the request and its time a number. A person would see a second one.
func TestInsertInvoice(t *testing.T) {
	invoice := &InsertInvoiceRequest{OrderID: "20201", CardID: "p1", AppID: "wx1", CardExt: InvoiceCardExt{NonceStr: "n",
		UserCard: InvoiceUserCard{InvoiceUserData: InvoiceData{Fee: 1333, Title: "Xx", BillingTime: 1480342498, BillingNo: "25997200000106503809",
			Info: []InvoiceItem{{Name: "tea", Num: 2, Unit: "cup", Price: 500}}, SPDFMediaID: "42",
			InvoiceParties: InvoiceParties{CheckCode: "69001808340631374774"}}}}}
	s := answer("/card/invoice/insert", `{"errcode":0,"errmsg":"ok","code":"123","openid":"o1","unionid":"u1"}`)
	got, err := s.client().InsertInvoice(t.Context(), invoice)
	if err != nil || *got != (InsertInvoiceReply{"123", "o1", "u1"}) {
		t.Fatalf("got %+v, %v", got, err)
	}
	sameJSON(t, sentTo(t, s, "/card/invoice/insert"), `{"order_id":"20201","card_id":"p1","appid":"wx1","card_ext":{"nonce_str":"n",
		"user_card":{"invoice_user_data":{"fee":1333,"title":"Xx","billing_time":1480342498,"billing_no":"25997200000106503809",
		"info":[{"name":"tea","num":2,"unit":"cup","price":500}],"s_pdf_media_id":"42","check_code":"69001808340631374774"}}}}`)
	notRepeated(t, "/card/invoice/insert", func(ctx context.Context, c *Client) error {
		_, err := c.InsertInvoice(ctx, invoice)
		return err
	})
}

// Numbers of an invoice's lines can have a fraction, and times can be text.
func TestGetInvoiceInfo(t *testing.T) {
	const invoice = `"card_id":"p1","begin_time":"1476068114","end_time":1476168114,"user_card_status":"EXPIRE","openid":"o1",
		"type":"VAT","user_info":{"fee":1333,"billing_time":"1476068114","billing_no":"hello",
		"info":[{"name":"beef","num":1.5,"unit":"kg","price":"880.25"}],"reimburse_status":"INVOICE_REIMBURSE_INIT"}`
	check := func(got *Invoice) {
		t.Helper()
		line := got.UserInfo.Info[0]
		if got.BeginTime != 1476068114 || got.UserInfo.BillingTime != 1476068114 || got.UserInfo.ReimburseStatus != InvoiceInit ||
			line.Num != "1.5" || line.Price != "880.25" {
			t.Errorf("got %+v", got)
		}
	}
	ref := InvoiceRef{CardID: "p1", EncryptCode: "O/mP=="}
	one, err := answer("/card/invoice/reimburse/getinvoiceinfo", `{"errcode":0,`+invoice+`}`).client().GetInvoiceInfo(t.Context(), &ref)
	if err != nil {
		t.Fatal(err)
	}
	check(one)
	list, err := answer("/card/invoice/reimburse/getinvoicebatch", `{"errcode":0,"item_list":[{`+invoice+`}]}`).client().
		BatchGetInvoiceInfo(t.Context(), &BatchGetInvoiceInfoRequest{ItemList: []InvoiceRef{ref}})
	if err != nil || len(list.ItemList) != 1 {
		t.Fatalf("got %+v, %v", list, err)
	}
	check(&list.ItemList[0])
}

// The sample of this page has its errcode twice.
func TestGetInvoiceUserTitleURL(t *testing.T) {
	s := answer("/card/invoice/biz/getusertitleurl", `{"errcode":0,"errmsg":"ok","url":"https://x.example/t","errcode":0}`)
	got, err := s.client().GetInvoiceUserTitleURL(t.Context(), &GetInvoiceUserTitleURLRequest{UserFill: 1})
	if err != nil || got.URL != "https://x.example/t" {
		t.Errorf("got %+v, %v", got, err)
	}
	sameJSON(t, sentTo(t, s, "/card/invoice/biz/getusertitleurl"), `{"user_fill":1}`)
}
