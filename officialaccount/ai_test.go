package officialaccount

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/seed175cf469/wechat"
)

// answering answers one path with body and the rest with success.
func answering(path, body string) *server {
	return &server{reply: func(r request) response {
		if r.path != path {
			return response{}
		}
		return jsonBody(body)
	}}
}

// pictureCalls are the calls that take a Picture.
func pictureCalls(t *testing.T, oa *Client) map[string]func(*Picture) error {
	return map[string]func(*Picture) error{
		"/cv/ocr/idcard":          func(p *Picture) error { _, err := oa.OCRIDCard(t.Context(), p); return err },
		"/cv/ocr/bankcard":        func(p *Picture) error { _, err := oa.OCRBankCard(t.Context(), p); return err },
		"/cv/ocr/driving":         func(p *Picture) error { _, err := oa.OCRVehicleLicense(t.Context(), p); return err },
		"/cv/ocr/drivinglicense":  func(p *Picture) error { _, err := oa.OCRDriverLicense(t.Context(), p); return err },
		"/cv/ocr/bizlicense":      func(p *Picture) error { _, err := oa.OCRBusinessLicense(t.Context(), p); return err },
		"/cv/ocr/comm":            func(p *Picture) error { _, err := oa.OCRPrintedText(t.Context(), p); return err },
		"/cv/ocr/menu":            func(p *Picture) error { _, err := oa.OCRMenu(t.Context(), p); return err },
		"/cv/ocr/platenum":        func(p *Picture) error { _, err := oa.OCRPlateNumber(t.Context(), p); return err },
		"/cv/img/qrcode":          func(p *Picture) error { _, err := oa.ScanImageCodes(t.Context(), p); return err },
		"/cv/img/superresolution": func(p *Picture) error { _, err := oa.EnhanceImage(t.Context(), p); return err },
		"/cv/img/aicrop": func(p *Picture) error {
			_, err := oa.CropImage(t.Context(), &CropImageRequest{Picture: *p})
			return err
		},
	}
}

func TestPictureByAddress(t *testing.T) {
	const address = "https://example.invalid/a b?x=1&y=%2F"
	s := &server{}
	for path, call := range pictureCalls(t, s.client()) {
		if err := call(&Picture{ImgURL: address}); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		r := s.to(path)[0]
		if got := r.query.Get("img_url"); r.method != "POST" || got != address {
			t.Errorf("%s: got %s with the address %q, want POST with %q", path, r.method, got, address)
		}
		if r.body != "" || r.length != 0 {
			t.Errorf("%s: the body is %q of %d bytes, want none", path, r.body, r.length)
		}
	}
}

func TestPictureAsFile(t *testing.T) {
	s := &server{}
	for path, call := range pictureCalls(t, s.client()) {
		if err := call(&Picture{Img: file("card.jpg", "JPEG")}); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		r := s.to(path)[0]
		if got := parts(t, r); len(got) != 1 || !strings.HasSuffix(got["img"], "JPEG") || !strings.HasPrefix(got["img"], "card.jpg") {
			t.Errorf("%s: the form is %q", path, got)
		}
		if r.query.Has("img_url") {
			t.Errorf("%s: the query has an empty img_url", path)
		}
	}
}

func TestPictureRefused(t *testing.T) {
	for want, p := range map[string]*Picture{
		"neither an img_url nor a file": {},
		"only one of them":              {ImgURL: "https://example.invalid/a.jpg", Img: file("a.jpg", "JPEG")},
	} {
		s := &server{}
		for path, call := range pictureCalls(t, s.client()) {
			err := call(p)
			if !errors.Is(err, wechat.ErrInvalidRequest) || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %v, want an invalid request: %s", path, err, want)
			}
		}
		if len(s.requests) != 0 {
			t.Errorf("%d requests went out", len(s.requests))
		}
	}
}

// The ratios are a part of the form whichever way the picture comes.
func TestCropRatios(t *testing.T) {
	const path = "/cv/img/aicrop"
	for name, p := range map[string]Picture{
		"address": {ImgURL: "https://example.invalid/a.jpg"},
		"file":    {Img: file("a.jpg", "JPEG")},
	} {
		s := answering(path, `{"errcode":0,"errmsg":"ok","results":[{"crop_left":112,"crop_right":839,"crop_bottom":727}],"img_size":{"w":966,"h":728}}`)
		got, err := s.client().CropImage(t.Context(), &CropImageRequest{Picture: p, Ratios: "1,2.35"})
		if err != nil {
			t.Fatal(err)
		}
		want := &CropImageReply{Results: []Crop{{CropLeft: 112, CropRight: 839, CropBottom: 727}}, ImgSize: PictureSize{966, 728}}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
		if got := parts(t, s.to(path)[0]); got["ratios"] != "1,2.35" {
			t.Errorf("%s: the form is %q", name, got)
		}
	}
}

func TestOCRBankCard(t *testing.T) {
	for _, body := range []string{`{"number":"622213XXXXXXXXX"}`, `{"id":"622213XXXXXXXXX"}`, `{"number":"","id":"622213XXXXXXXXX"}`} {
		got, err := answering("/cv/ocr/bankcard", body).client().OCRBankCard(t.Context(), &Picture{ImgURL: "u"})
		if err != nil || got.CardNumber() != "622213XXXXXXXXX" {
			t.Errorf("%s: got %+v, %v", body, got, err)
		}
	}
}

func TestOCRMenu(t *testing.T) {
	dishes := []Dish{{"Mapo tofu", 28.5}, {"Rice", 3}}
	for body, want := range map[string][]Dish{
		`{"content":{"menu_items":[{"name":"Mapo tofu","price":28.5},{"name":"Rice","price":3}]}}`:                     dishes,
		`{"content":{"menu_items":[{"name":"Mapo tofu","price":"28.5"},{"name":"Rice","price":"3"}]}}`:                 dishes,
		`{"content":"{\"menu_items\":[{\"name\":\"Mapo tofu\",\"price\":28.5},{\"name\":\"Rice\",\"price\":\"3\"}]}"}`: dishes,
		`{"content":""}`:                    nil,
		`{"content":null}`:                  nil,
		`{"content":"{\"menu_items\":[]}"}`: nil,
	} {
		got, err := answering("/cv/ocr/menu", body).client().OCRMenu(t.Context(), &Picture{ImgURL: "u"})
		if err != nil || len(got.Content.MenuItems) != len(want) || len(want) > 0 && !reflect.DeepEqual(got.Content.MenuItems, want) {
			t.Errorf("%s: got %+v, %v, want %v", body, got, err, want)
		}
	}
	if got, err := answering("/cv/ocr/menu", `{"content":"no JSON"}`).client().OCRMenu(t.Context(), &Picture{ImgURL: "u"}); !errors.Is(err, wechat.ErrBadReply) {
		t.Errorf("got %+v, %v, want a bad reply", got, err)
	}
}

// A bar code has no position, and a side of a licence that was not found has none either.
func TestPositions(t *testing.T) {
	s := answering("/cv/img/qrcode", `{"code_results":[
		{"type_name":"QR_CODE","data":"https://example.invalid","pos":{"left_top":{"x":585.25,"y":378},"left_bottom":{"x":"585","y":700}}},
		{"type_name":"CODE_128","data":"50090500019191"}],"img_size":{"w":1000,"h":900}}`)
	got, err := s.client().ScanImageCodes(t.Context(), &Picture{ImgURL: "u"})
	if err != nil {
		t.Fatal(err)
	}
	want := []ScannedCode{
		{TypeName: "QR_CODE", Data: "https://example.invalid", Pos: Corners{LeftTop: Point{585.25, 378}, LeftBottom: Point{585, 700}}},
		{TypeName: "CODE_128", Data: "50090500019191"},
	}
	if !reflect.DeepEqual(got.CodeResults, want) {
		t.Errorf("got %+v, want %+v", got.CodeResults, want)
	}
}

func TestVoiceForText(t *testing.T) {
	const upload, query = "/cgi-bin/media/voice/addvoicetorecofortext", "/cgi-bin/media/voice/queryrecoresultfortext"
	s := answering(query, `{"result":"你好","is_end":true}`)
	oa := s.client()
	err := oa.UploadVoiceForText(t.Context(), &UploadVoiceForTextRequest{VoiceID: "v1", Lang: VoiceEnglish, Media: file("v.mp3", "ID3")})
	if err != nil {
		t.Fatal(err)
	}
	r := s.to(upload)[0]
	if q := r.query; q.Get("format") != "mp3" || q.Get("voice_id") != "v1" || q.Get("lang") != "en_US" {
		t.Errorf("the query is %v", q)
	}
	if got := parts(t, r); !strings.HasSuffix(got["media"], "ID3") || len(got) != 1 {
		t.Errorf("the form is %q", got)
	}
	text, err := oa.GetVoiceText(t.Context(), &GetVoiceTextRequest{VoiceID: "v1"})
	if err != nil || text.Result != "你好" || !text.IsEnd {
		t.Errorf("got %+v, %v", text, err)
	}
	if r := s.to(query)[0]; r.method != "POST" || r.body != "" || r.query.Get("voice_id") != "v1" || r.query.Has("lang") {
		t.Errorf("got %s %v with the body %q", r.method, r.query, r.body)
	}
}

func TestTranslateText(t *testing.T) {
	const path = "/cgi-bin/media/voice/translatecontent"
	s := answering(path, `{"from_content":"你好","to_content":"Hello"}`)
	oa := s.client()
	got, err := oa.TranslateText(t.Context(), &TranslateTextRequest{From: VoiceChinese, To: VoiceEnglish, Content: "你好"})
	if err != nil || *got != (TranslateTextReply{"你好", "Hello"}) {
		t.Errorf("got %+v, %v", got, err)
	}
	r := s.to(path)[0]
	if r.body != `{"content":"你好"}` || r.query.Get("lfrom") != "zh_CN" || r.query.Get("lto") != "en_US" {
		t.Errorf("got %v with the body %s", r.query, r.body)
	}

	// 600 bytes are 200 Chinese characters.
	if _, err := oa.TranslateText(t.Context(), &TranslateTextRequest{Content: strings.Repeat("好", 200)}); err != nil {
		t.Errorf("600 bytes: %v", err)
	}
	_, err = oa.TranslateText(t.Context(), &TranslateTextRequest{Content: strings.Repeat("好", 200) + "!"})
	if !errors.Is(err, wechat.ErrInvalidRequest) || !strings.Contains(err.Error(), "601") || !strings.Contains(err.Error(), "600") {
		t.Errorf("601 bytes: got %v", err)
	}
	if n := len(s.to(path)); n != 2 {
		t.Errorf("%d requests went out, want 2", n)
	}
}

func TestSearchSemantic(t *testing.T) {
	const path = "/semantic/semproxy/search"
	s := answering(path, `{"ret":0,"type":"flight","semantic":{"intent":"SEARCH","details":{"start_loc":{"city":"北京市"}}},"result":[{"n":12345678901234567890}]}`)
	got, err := s.client().SearchSemantic(t.Context(), &SearchSemanticRequest{Query: "flights", Category: "flight"})
	if err != nil {
		t.Fatal(err)
	}
	if got.Semantic.Intent != "SEARCH" || string(got.Semantic.Details) != `{"start_loc":{"city":"北京市"}}` ||
		len(got.Result) != 1 || string(got.Result[0]) != `{"n":12345678901234567890}` {
		t.Errorf("got %+v", got)
	}
	if got, want := s.to(path)[0].body, `{"appid":"`+testApp.ID+`","query":"flights","category":"flight"}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}

	got, err = answering(path, `{"ret":7000005}`).client().SearchSemantic(t.Context(), &SearchSemanticRequest{})
	var failure *wechat.Error
	if !errors.As(err, &failure) || failure.Code != 7000005 || failure.Endpoint != "SearchSemantic" || got != nil {
		t.Errorf("got %+v, %v, want the code 7000005", got, err)
	}
}
