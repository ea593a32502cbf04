package callback

import (
	"encoding/json"
	"encoding/xml"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"
)

// answered is the clear answer to a push, and what was reported.
func answered(t *testing.T, p Product, push string, reply Reply) (body, said string) {
	t.Helper()
	b := inbox{reply: reply}
	var tr troubles
	c := secure(p)
	c.Report = tr.report
	if p == SuiteData {
		c.Accept = func(id string) bool { return id == testID }
	}
	h := newHandler(t, c, b.receive)
	w := serve(h, sealed(t, c, push))
	if w.Code != 200 {
		return w.Body.String(), tr.text()
	}
	if strings.HasPrefix(w.Body.String(), "<") {
		if got := w.Header().Get("Content-Type"); !strings.HasPrefix(got, "application/xml") {
			t.Errorf("content type %q", got)
		}
		return unsealed(t, c, w.Body.String()), tr.text()
	}
	return w.Body.String(), tr.text()
}

const pushXML = "<xml><ToUserName>gh_1</ToUserName><FromUserName>o1</FromUserName><CreateTime>1</CreateTime><MsgType>text</MsgType><MsgId>1</MsgId></xml>"

func TestReplies(t *testing.T) {
	for _, v := range []struct {
		product Product
		reply   Reply
		want    string // after the common fields
	}{
		{OfficialAccount, TextReply{"a<b>&"}, "<MsgType><![CDATA[text]]></MsgType><Content><![CDATA[a<b>&]]></Content>"},
		{OfficialAccount, ImageReply{"m"}, "<MsgType><![CDATA[image]]></MsgType><Image><MediaId><![CDATA[m]]></MediaId></Image>"},
		{Work, VoiceReply{"m"}, "<MsgType><![CDATA[voice]]></MsgType><Voice><MediaId><![CDATA[m]]></MediaId></Voice>"},
		{Platform, VideoReply{"m", "t", "d"}, "<MsgType><![CDATA[video]]></MsgType><Video><MediaId><![CDATA[m]]></MediaId><Title><![CDATA[t]]></Title><Description><![CDATA[d]]></Description></Video>"},
		{OfficialAccount, MusicReply{"t", "d", "u", "h", "m"}, "<MsgType><![CDATA[music]]></MsgType><Music><Title><![CDATA[t]]></Title><Description><![CDATA[d]]></Description><MusicUrl><![CDATA[u]]></MusicUrl><HQMusicUrl><![CDATA[h]]></HQMusicUrl><ThumbMediaId><![CDATA[m]]></ThumbMediaId></Music>"},
		{SuiteData, NewsReply{[]Article{{"t", "d", "p", "u"}, {Title: "t2"}}}, "<MsgType><![CDATA[news]]></MsgType><ArticleCount>2</ArticleCount><Articles><item><Title><![CDATA[t]]></Title><Description><![CDATA[d]]></Description><PicUrl><![CDATA[p]]></PicUrl><Url><![CDATA[u]]></Url></item><item><Title><![CDATA[t2]]></Title></item></Articles>"},
		{MiniProgram, TransferReply{}, "<MsgType><![CDATA[transfer_customer_service]]></MsgType>"},
		{OfficialAccount, TransferReply{"kf@x"}, "<MsgType><![CDATA[transfer_customer_service]]></MsgType><TransInfo><KfAccount><![CDATA[kf@x]]></KfAccount></TransInfo>"},
		{Work, UpdateButtonReply{"done"}, "<MsgType><![CDATA[update_button]]></MsgType><Button><ReplaceName><![CDATA[done]]></ReplaceName></Button>"},
		{Work, UpdateTaskCardReply{"done"}, "<MsgType><![CDATA[update_taskcard]]></MsgType><TaskCard><ReplaceName><![CDATA[done]]></ReplaceName></TaskCard>"},
		{Work, UpdateTemplateCardReply{TemplateCard{CardType: "text_notice", MainTitle: CardTitle{"t", "d"}, HorizontalContentList: []CardLine{{KeyName: "k", Value: "v"}, {KeyName: "k2"}}, CardAction: CardJump{Type: 1, URL: "u"}}},
			"<MsgType><![CDATA[update_template_card]]></MsgType><TemplateCard><CardType><![CDATA[text_notice]]></CardType><MainTitle><Title><![CDATA[t]]></Title><Desc><![CDATA[d]]></Desc></MainTitle><HorizontalContentList><KeyName><![CDATA[k]]></KeyName><Value><![CDATA[v]]></Value></HorizontalContentList><HorizontalContentList><KeyName><![CDATA[k2]]></KeyName></HorizontalContentList><CardAction><Type>1</Type><Url><![CDATA[u]]></Url></CardAction></TemplateCard>"},
	} {
		body, said := answered(t, v.product, pushXML, v.reply)
		const head = "<xml><ToUserName><![CDATA[o1]]></ToUserName><FromUserName><![CDATA[gh_1]]></FromUserName><CreateTime>"
		_, rest, _ := strings.Cut(body, "</CreateTime>")
		if !strings.HasPrefix(body, head) || rest != v.want+"</xml>" || said != "" {
			t.Errorf("%T: %s\nwant %s%s", v.reply, body, head, v.want)
		}
	}
}

// TestNoReply is P114: nothing to say is the bare word success, in every mode.
func TestNoReply(t *testing.T) {
	for _, reply := range []Reply{nil, TextReply{}, RawReply(nil), RawReply("")} {
		if body, _ := answered(t, OfficialAccount, pushXML, reply); body != "success" {
			t.Errorf("%T: %q", reply, body)
		}
	}
	c := Config{Product: OfficialAccount, Token: testToken}
	w := serve(newHandler(t, c, new(inbox).receive), clearly(c, pushXML))
	if w.Body.String() != "success" || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") {
		t.Errorf("plain mode: %q, %s", w.Body, w.Header())
	}
	c = secure(Bot)
	w = serve(newHandler(t, c, new(inbox).receive), sealed(t, c, `{"msgid":"1","msgtype":"text"}`))
	if w.Code != 200 || w.Body.Len() != 0 {
		t.Errorf("bot: %q", w.Body)
	}
}

// TestWrongReply: what an account cannot be answered with is reported, and success is answered.
func TestWrongReply(t *testing.T) {
	info := `<xml><SuiteId>s</SuiteId><InfoType>create_auth</InfoType><TimeStamp>1</TimeStamp></xml>`
	for _, v := range []struct {
		product Product
		push    string
		reply   Reply
	}{
		{MiniProgram, pushXML, TextReply{"a"}},
		{Work, pushXML, MusicReply{ThumbMediaID: "m"}},
		{Work, pushXML, TransferReply{}},
		{OfficialAccount, pushXML, UpdateButtonReply{"a"}},
		{Suite, info, RawReply("a")},
		{Platform, info, TextReply{"a"}},
		{OfficialAccount, pushXML, BotTextReply{"a"}},
	} {
		body, said := answered(t, v.product, v.push, v.reply)
		if body != "success" || !strings.Contains(said, "cannot be answered") {
			t.Errorf("%v, %T: %q, %q", v.product, v.reply, body, said)
		}
	}
	for _, reply := range []Reply{ImageReply{}, VoiceReply{}, VideoReply{}, MusicReply{}, NewsReply{}, NewsReply{make([]Article, 9)}} {
		body, said := answered(t, OfficialAccount, pushXML, reply)
		if body != http.StatusText(500) || !strings.Contains(said, errIncomplete.Error()) {
			t.Errorf("%T: %q, %q", reply, body, said)
		}
	}
}

// TestCDATA is P115: the end of a CDATA section in a text does not end it; P116: forbidden characters do not go out.
func TestCDATA(t *testing.T) {
	const text = "a]]></Content><MsgType><![CDATA[news]]></MsgType>]]"
	body, _ := answered(t, OfficialAccount, pushXML, TextReply{text + "\x1d"})
	var got struct{ MsgType, Content []string }
	if err := xml.Unmarshal([]byte(body), &got); err != nil {
		t.Fatal(err)
	}
	equal(t, "MsgType", got.MsgType, []string{"text"})
	equal(t, "Content", got.Content, []string{text})
}

func TestJSONReply(t *testing.T) {
	push := `{"ToUserName":"gh_1","FromUserName":"o1","CreateTime":1,"MsgType":"text","MsgId":1}`
	for _, v := range []struct {
		product Product
		reply   Reply
		want    map[string]any
	}{
		{OfficialAccount, TextReply{"a<b>&\"\\"}, map[string]any{"MsgType": "text", "Content": "a<b>&\"\\"}},
		{OfficialAccount, NewsReply{[]Article{{Title: "t"}}}, map[string]any{"MsgType": "news", "ArticleCount": 1.0, "Articles": []any{map[string]any{"Title": "t"}}}},
		{MiniProgram, TransferReply{"kf"}, map[string]any{"MsgType": "transfer_customer_service", "TransInfo": map[string]any{"KfAccount": "kf"}}},
	} {
		body, _ := answered(t, v.product, push, v.reply)
		var got map[string]any
		if err := json.Unmarshal([]byte(body), &got); err != nil {
			t.Fatalf("%v: %s", err, body)
		}
		created, _ := got["CreateTime"].(float64)
		if time.Since(time.Unix(int64(created), 0)) > time.Hour || got["ToUserName"] != "o1" || got["FromUserName"] != "gh_1" {
			t.Errorf("common fields: %s", body)
		}
		for _, k := range []string{"CreateTime", "ToUserName", "FromUserName"} {
			delete(got, k)
		}
		if !reflect.DeepEqual(got, v.want) {
			t.Errorf("%s, want %v", body, v.want)
		}
	}
	for f, v := range map[string][2]string{
		"JSON": {`{"MsgType":"event","Event":"xpay_goods_deliver_notify"}`, `{"ErrCode":0,"ErrMsg":"ok"}`},
		"XML":  {`<xml><MsgType>event</MsgType><Event>xpay_goods_deliver_notify</Event></xml>`, `<xml><ErrCode>0</ErrCode><ErrMsg><![CDATA[ok]]></ErrMsg></xml>`},
	} {
		if body, _ := answered(t, MiniProgram, v[0], ResultReply{ErrMsg: "ok"}); body != v[1] {
			t.Errorf("%s: %s", f, body)
		}
	}
}

func TestBotReplies(t *testing.T) {
	card := map[string]string{"card_type": "text_notice"}
	for _, v := range []struct {
		reply Reply
		want  string
	}{
		{BotTextReply{"hi <b>"}, `{"msgtype":"text","text":{"content":"hi <b>"}}`},
		{BotStreamReply{ID: "s", Content: "part"}, `{"msgtype":"stream","stream":{"id":"s","finish":false,"content":"part"}}`},
		{BotStreamReply{ID: "s", Finish: true, MsgItem: []BotStreamItem{{"image", BotStreamImage{"b", "m"}}}, FeedbackID: "f"}, `{"msgtype":"stream","stream":{"id":"s","finish":true,"msg_item":[{"msgtype":"image","image":{"base64":"b","md5":"m"}}],"feedback":{"id":"f"}}}`},
		{BotStreamReply{ID: "s", Card: card}, `{"msgtype":"stream_with_template_card","stream":{"id":"s","finish":false},"template_card":{"card_type":"text_notice"}}`},
		{BotCardReply{card}, `{"msgtype":"template_card","template_card":{"card_type":"text_notice"}}`},
		{BotUpdateCardReply{[]string{"u"}, card}, `{"response_type":"update_template_card","userids":["u"],"template_card":{"card_type":"text_notice"}}`},
	} {
		b := inbox{reply: v.reply}
		c := Config{Product: Bot, Token: testToken, Key: testKey}
		h := newHandler(t, c, b.receive)
		text := encrypt(t, testKey, `{"msgid":"1","msgtype":"text","text":{"content":"a"}}`, "")
		q := signed(testToken, time.Now(), "msg_signature", text)
		w := serve(h, httptest.NewRequest(http.MethodPost, "/?"+q.Encode(), strings.NewReader(`{"encrypt":"`+text+`"}`)))
		if !strings.HasPrefix(w.Body.String(), `{"encrypt":"`) || !strings.Contains(w.Body.String(), `"msgsignature":"`) ||
			!strings.Contains(w.Body.String(), `"timestamp":`) || !strings.Contains(w.Body.String(), `"nonce":"`) {
			t.Errorf("envelope %s", w.Body)
		}
		if got := unsealed(t, c, w.Body.String()); got != v.want {
			t.Errorf("%T: %s", v.reply, got)
		}
	}
	for _, reply := range []Reply{BotTextReply{}, BotStreamReply{}, BotCardReply{}, BotUpdateCardReply{}} {
		if _, err := reply.body(&Header{}, formatJSON); err == nil {
			t.Errorf("%T: no error", reply)
		}
	}
}
