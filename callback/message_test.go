package callback

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/seed175cf469/wechat"
)

// fill gives every field of a struct that goes into a body a value of its own.
func fill(v reflect.Value, n *int) {
	*n++
	switch v.Kind() {
	case reflect.Struct:
		for _, f := range fields(v.Type()) {
			fill(v.FieldByIndex(f.index), n)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), n)
		fill(v.Index(1), n)
	case reflect.String:
		v.SetString(fmt.Sprintf("text %d <&]]>", *n))
	case reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Float64:
		v.SetFloat(float64(*n) + 0.5)
	case reflect.Bool:
		v.SetBool(true)
	default:
		panic(v.Kind())
	}
}

// TestKinds: every type of every key survives XML and JSON with all its fields.
func TestKinds(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range kinds() {
		for _, key := range k.keys {
			if seen[key] || key != strings.ToLower(key) {
				t.Errorf("key %q is there twice, or not in lower case", key)
			}
			seen[key] = true
			t.Run(key, func(t *testing.T) {
				product := OfficialAccount
				if strings.HasPrefix(key, botPrefix) {
					product = Bot
				}
				for _, f := range []format{formatXML, formatJSON} {
					if product == Bot && f == formatXML {
						continue
					}
					m := k.make()
					n := 0
					fill(reflect.ValueOf(m).Elem(), &n)
					addressed(m, key)
					body := render(m, f)
					got, err := Parse(product, body)
					if err != nil {
						t.Fatalf("%v: %s", err, body)
					}
					if string(got.Head().Raw()) != string(body) {
						t.Errorf("Raw is %q", got.Head().Raw())
					}
					if b, ok := m.(interface{ adopt() }); ok {
						b.adopt()
					}
					got.Head().src = nil
					aligned(m, got)
					if !reflect.DeepEqual(m, got) {
						t.Errorf("%s\n got %+v\nwant %+v", body, got, m)
					}
				}
			})
		}
	}
	if len(seen) < 150 {
		t.Errorf("only %d kinds of pushes", len(seen))
	}
}

// addressed sets the fields that key stands for.
func addressed(m Message, key string) {
	h := m.Head()
	if name, ok := strings.CutPrefix(key, botPrefix); ok {
		v := reflect.ValueOf(m).Elem().FieldByName("BotHeader")
		msgType, event, _ := strings.Cut(name, "/")
		v.FieldByName("MsgType").SetString(msgType)
		v.FieldByName("EventType").SetString(event)
		return
	}
	h.MsgType, h.Event, h.ChangeType, h.InfoType = key, "", "", ""
	if name, ok := strings.CutPrefix(key, infoPrefix); ok {
		h.MsgType, h.InfoType = "", name
	} else if name, ok := strings.CutPrefix(key, eventPrefix); ok {
		h.MsgType = "event"
		h.Event, h.ChangeType, _ = strings.Cut(name, "/")
	}
}

// aligned evens out the header's fields that a type has a field of the same name but for its case for.
func aligned(want, got Message) {
	want.Head().MsgID, got.Head().MsgID = 0, 0
	want.Head().AppID, got.Head().AppID = "", ""
	want.Head().CreateTime, got.Head().CreateTime = 0, 0
}

func parsed[M Message](t *testing.T, p Product, body string) M {
	t.Helper()
	m, err := Parse(p, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	got, ok := m.(M)
	if !ok {
		t.Fatalf("%T: %+v", m, m)
	}
	return got
}

func equal[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %+v, want %+v", what, got, want)
	}
}

// TestShapes: bodies as the platform writes them, where their shape is a trap.
func TestShapes(t *testing.T) {
	t.Run("P112 MsgID with a capital D", func(t *testing.T) {
		m := parsed[*TemplateSendJobFinish](t, OfficialAccount, `<xml><ToUserName>gh_fake000001</ToUserName><FromUserName>oFAKE1</FromUserName><CreateTime>1648200000</CreateTime><MsgType>event</MsgType><Event>TEMPLATESENDJOBFINISH</Event><MsgID>2200000000000000001</MsgID><Status>success</Status></xml>`)
		equal(t, "MsgID", m.MsgID, 2200000000000000001)
		equal(t, "header's MsgID", m.Head().MsgID, 2200000000000000001)
		equal(t, "Status", m.Status, "success")
	})
	t.Run("subscribe by QR code", func(t *testing.T) {
		m := parsed[*Subscribe](t, OfficialAccount, `<xml><MsgType><![CDATA[event]]></MsgType><Event><![CDATA[subscribe]]></Event><EventKey><![CDATA[qrscene_123]]></EventKey><Ticket><![CDATA[T]]></Ticket></xml>`)
		equal(t, "EventKey", m.EventKey, "qrscene_123")
	})
	choices := []SubscribeMsgChoice{{"t1", "accept", "2"}, {"t2", "reject", "2"}}
	for name, body := range map[string]string{
		"XML, repeated":     `<xml><MsgType>event</MsgType><Event>subscribe_msg_popup_event</Event><SubscribeMsgPopupEvent><List><TemplateId>t1</TemplateId><SubscribeStatusString>accept</SubscribeStatusString><PopupScene>2</PopupScene></List><List><TemplateId>t2</TemplateId><SubscribeStatusString>reject</SubscribeStatusString><PopupScene>2</PopupScene></List></SubscribeMsgPopupEvent></xml>`,
		"JSON, array":       `{"MsgType":"event","Event":"subscribe_msg_popup_event","CreateTime":"1620973045","List":[{"TemplateId":"t1","SubscribeStatusString":"accept","PopupScene":"2"},{"TemplateId":"t2","SubscribeStatusString":"reject","PopupScene":2}]}`,
		"JSON, below":       `{"MsgType":"event","Event":"subscribe_msg_popup_event","SubscribeMsgPopupEvent":{"List":[{"TemplateId":"t1","SubscribeStatusString":"accept","PopupScene":"2"},{"TemplateId":"t2","SubscribeStatusString":"reject","PopupScene":2}]}}`,
		"JSON, array below": `{"MsgType":"event","Event":"subscribe_msg_popup_event","SubscribeMsgPopupEvent":[{"TemplateId":"t1","SubscribeStatusString":"accept","PopupScene":"2"},{"TemplateId":"t2","SubscribeStatusString":"reject","PopupScene":2}]}`,
	} {
		t.Run("subscription popup, "+name, func(t *testing.T) {
			equal(t, "List", parsed[*SubscribeMsgPopup](t, MiniProgram, body).List, choices)
		})
	}
	t.Run("subscription popup, JSON, one object", func(t *testing.T) {
		m := parsed[*SubscribeMsgPopup](t, MiniProgram, `{"MsgType":"event","Event":"subscribe_msg_popup_event","List":{"TemplateId":"t1","SubscribeStatusString":"accept","PopupScene":"2"}}`)
		equal(t, "List", m.List, choices[:1])
	})
	t.Run("subscription change under the popup's name", func(t *testing.T) {
		m := parsed[*SubscribeMsgChange](t, OfficialAccount, `<xml><MsgType>event</MsgType><Event>subscribe_msg_change_event</Event><SubscribeMsgPopupEvent><List><TemplateId>t2</TemplateId><SubscribeStatusString>reject</SubscribeStatusString></List></SubscribeMsgPopupEvent></xml>`)
		equal(t, "List", m.List, []SubscribeMsgChoice{{"t2", "reject", ""}})
	})
	t.Run("subscription sent", func(t *testing.T) {
		m := parsed[*SubscribeMsgSent](t, OfficialAccount, `<xml><MsgType>event</MsgType><Event>subscribe_msg_sent_event</Event><SubscribeMsgSentEvent><List><TemplateId>t</TemplateId><MsgID>1700827132819554304</MsgID><ErrorCode>0</ErrorCode><ErrorStatus>success</ErrorStatus></List></SubscribeMsgSentEvent></xml>`)
		equal(t, "List", m.List, []SubscribeMsgResult{{"t", 1700827132819554304, 0, "success"}})
	})
	t.Run("pictures", func(t *testing.T) {
		m := parsed[*Pictures](t, OfficialAccount, `<xml><MsgType>event</MsgType><Event>pic_weixin</Event><EventKey>6</EventKey><SendPicsInfo><Count>1</Count><PicList><item><PicMd5Sum>5a75</PicMd5Sum></item></PicList></SendPicsInfo></xml>`)
		equal(t, "SendPicsInfo", m.SendPicsInfo, SendPicsInfo{1, []PicItem{{"5a75"}}})
		m = parsed[*Pictures](t, OfficialAccount, `{"MsgType":"event","Event":"pic_weixin","SendPicsInfo":{"Count":2,"PicList":[{"PicMd5Sum":"a"},{"PicMd5Sum":"b"}]}}`)
		equal(t, "SendPicsInfo", m.SendPicsInfo, SendPicsInfo{2, []PicItem{{"a"}, {"b"}}})
		m = parsed[*Pictures](t, OfficialAccount, "<xml><MsgType>event</MsgType><Event>pic_weixin</Event><SendPicsInfo><Count>0</Count><PicList>\n</PicList></SendPicsInfo></xml>")
		equal(t, "empty list", m.SendPicsInfo, SendPicsInfo{})
	})
	t.Run("mass message", func(t *testing.T) {
		m := parsed[*MassSendJobFinish](t, OfficialAccount, `<xml><MsgType>event</MsgType><Event>MASSSENDJOBFINISH</Event><MsgID>1000001625</MsgID><Status>err(30003)</Status><TotalCount>5</TotalCount><CopyrightCheckResult><Count>2</Count><ResultList><item><ArticleIdx>1</ArticleIdx><OriginalArticleUrl>u1</OriginalArticleUrl></item><item><ArticleIdx>2</ArticleIdx></item></ResultList><CheckState>2</CheckState></CopyrightCheckResult><ArticleUrlResult><Count>1</Count><ResultList><item><ArticleIdx>1</ArticleIdx><ArticleUrl>u</ArticleUrl></item></ResultList></ArticleUrlResult></xml>`)
		equal(t, "checks", len(m.CopyrightCheckResult.ResultList), 2)
		equal(t, "first URL", m.CopyrightCheckResult.ResultList[0].OriginalArticleURL, "u1")
		equal(t, "articles", m.ArticleURLResult.ResultList, []ArticleURL{{1, "u"}})
	})
	t.Run("publication", func(t *testing.T) {
		m := parsed[*PublishJobFinish](t, OfficialAccount, `<xml><MsgType>event</MsgType><Event>PUBLISHJOBFINISH</Event><PublishEventInfo><publish_id>2247503051</publish_id><publish_status>2</publish_status><fail_idx>1</fail_idx><fail_idx>3</fail_idx></PublishEventInfo></xml>`)
		equal(t, "info", m.PublishEventInfo, PublishEventInfo{PublishID: "2247503051", PublishStatus: 2, FailIdx: []int64{1, 3}})
	})
	t.Run("media check", func(t *testing.T) {
		m := parsed[*WxaMediaCheck](t, MiniProgram, `{"MsgType":"event","Event":"wxa_media_check","appid":"wx8","trace_id":"t","version":2,"detail":[{"strategy":"content_model","errcode":0,"suggest":"risky","label":20006,"prob":90}],"errcode":-1008,"errmsg":"x","result":{"suggest":"risky","label":20006}}`)
		equal(t, "detail", m.Detail, []MediaCheckDetail{{"content_model", 0, "risky", 20006, 90}})
		equal(t, "errcode", m.ErrCode, -1008)
		equal(t, "appid", m.AppID, "wx8")
	})
	t.Run("member", func(t *testing.T) {
		m := parsed[*UserChange](t, Work, `<xml><ToUserName>ww</ToUserName><FromUserName>sys</FromUserName><CreateTime>1403610513</CreateTime><MsgType>event</MsgType><Event>change_contact</Event><ChangeType>create_user</ChangeType><UserID>zhangsan</UserID><Department>1,2, 3</Department><IsLeaderInDept>1,0,0</IsLeaderInDept><DirectLeader>lisi,wangwu</DirectLeader><ExtAttr><Item><Name>hobby</Name><Type>0</Type><Text><Value>travel</Value></Text></Item><Item><Name>page</Name><Type>1</Type><Web><Title>t</Title><Url>u</Url></Web></Item></ExtAttr></xml>`)
		equal(t, "Department", m.Department, []int64{1, 2, 3})
		equal(t, "DirectLeader", m.DirectLeader, []string{"lisi", "wangwu"})
		equal(t, "ExtAttr", m.ExtAttr, []ExtAttr{{Name: "hobby", Text: ExtText{"travel"}}, {Name: "page", Type: 1, Web: ExtWeb{"t", "u"}}})
	})
	t.Run("member, told to a suite", func(t *testing.T) {
		m := parsed[*UserChange](t, Suite, `<xml><SuiteId>ss</SuiteId><AuthCorpId>ww</AuthCorpId><InfoType>change_contact</InfoType><TimeStamp>1403610513</TimeStamp><ChangeType>update_user</ChangeType><UserID>zhangsan</UserID></xml>`)
		equal(t, "SuiteID", m.SuiteID, "ss")
		equal(t, "Time", m.Time().Unix(), 1403610513)
	})
	t.Run("tag", func(t *testing.T) {
		m := parsed[*TagChange](t, Work, `<xml><MsgType>event</MsgType><Event>change_contact</Event><ChangeType>update_tag</ChangeType><TagId>1</TagId><AddUserItems>a,b</AddUserItems><DelPartyItems>3,4</DelPartyItems><AddPartyItems/></xml>`)
		equal(t, "added", m.AddUserItems, []string{"a", "b"})
		equal(t, "departments", m.DelPartyItems, []int64{3, 4})
		equal(t, "none", m.AddPartyItems, nil)
	})
	t.Run("approval", func(t *testing.T) {
		m := parsed[*SysApprovalChange](t, Work, `<xml><MsgType>event</MsgType><Event>sys_approval_change</Event><AgentID>3010040</AgentID><ApprovalInfo><SpNo>201909270001</SpNo><SpStatus>1</SpStatus><Applyer><UserId>WangXiaoMing</UserId><Party>1</Party></Applyer><SpRecord><SpStatus>1</SpStatus><ApproverAttr>2</ApproverAttr><Details><Approver><UserId>W</UserId></Approver><SpTime>0</SpTime></Details><Details><Approver><UserId>X</UserId></Approver></Details></SpRecord><SpRecord><SpStatus>2</SpStatus></SpRecord><Notifyer><UserId>Y</UserId></Notifyer><StatuChangeEvent>1</StatuChangeEvent></ApprovalInfo></xml>`)
		equal(t, "records", len(m.ApprovalInfo.SpRecord), 2)
		equal(t, "second who approves", m.ApprovalInfo.SpRecord[0].Details[1].Approver.UserID, "X")
		equal(t, "AgentID", m.AgentID, 3010040)
	})
	t.Run("card", func(t *testing.T) {
		m := parsed[*TemplateCardEvent](t, Work, `<xml><MsgType>event</MsgType><Event>template_card_event</Event><EventKey>k</EventKey><TaskId>t</TaskId><ResponseCode>r</ResponseCode><SelectedItems><SelectedItem><QuestionKey>q1</QuestionKey><OptionIds><OptionId>o1</OptionId><OptionId>o2</OptionId></OptionIds></SelectedItem><SelectedItem><QuestionKey>q2</QuestionKey><OptionIds><OptionId>o3</OptionId></OptionIds></SelectedItem></SelectedItems></xml>`)
		equal(t, "answers", m.SelectedItems, []SelectedItem{{"q1", []string{"o1", "o2"}}, {"q2", []string{"o3"}}})
	})
	t.Run("school", func(t *testing.T) {
		m := parsed[*ChangeSchoolContact](t, Work, `<xml><MsgType>event</MsgType><Event>change_school_contact</Event><ChangeType>subscribe</ChangeType><Id>xiaoming</Id></xml>`)
		equal(t, "Id", m.ID, "xiaoming")
	})
	t.Run("platform's ticket", func(t *testing.T) {
		m := parsed[*ComponentVerifyTicket](t, Platform, `<xml><AppId>wxp</AppId><CreateTime>1413192605</CreateTime><InfoType>component_verify_ticket</InfoType><ComponentVerifyTicket>ticket@@@x</ComponentVerifyTicket></xml>`)
		equal(t, "ticket", m.ComponentVerifyTicket, wechat.Secret("ticket@@@x"))
		for _, shown := range []string{fmt.Sprintf("%v", m), fmt.Sprintf("%+v", m), fmt.Sprintf("%#v", m)} {
			if strings.Contains(shown, "ticket@@@x") {
				t.Errorf("the ticket is printed: %s", shown)
			}
		}
	})
	t.Run("registered mini program", func(t *testing.T) {
		m := parsed[*NotifyThirdFastRegister](t, Platform, `<xml><AppId>wxp</AppId><InfoType>notify_third_fasteregister</InfoType><appid>wxnew</appid><status>0</status><info><name>n</name><code_type>1</code_type></info></xml>`)
		equal(t, "AppID", m.AppID, "wxp")
		equal(t, "appid", m.RegisteredAppID, "wxnew")
		equal(t, "code type", m.Info.CodeType, 1)
	})
	t.Run("bot", func(t *testing.T) {
		m := parsed[*BotText](t, Bot, `{"msgid":"CAIQ","create_time":1700000000,"aibotid":"B","chatid":"C","chattype":"group","from":{"userid":"u"},"response_url":"https://x.invalid","msgtype":"text","text":{"content":"@B hi"},"quote":{"msgtype":"mixed","mixed":{"msg_item":[{"msgtype":"text","text":{"content":"q"}},{"msgtype":"image","image":{"url":"p"}}]}}}`)
		equal(t, "Content", m.Text.Content, "@B hi")
		equal(t, "MsgID", m.MsgID, "CAIQ")
		equal(t, "quoted picture", m.Quote.Mixed.MsgItem[1].Image.URL, "p")
		equal(t, "header", m.FromUserName+" "+m.ToUserName+" "+m.Head().MsgType, "u B text")
		equal(t, "time", m.Time().Unix(), 1700000000)
	})
	t.Run("bot's event", func(t *testing.T) {
		m := parsed[*BotTemplateCardEvent](t, Bot, `{"msgid":"x","msgtype":"event","event":{"eventtype":"template_card_event","template_card_event":{"card_type":"vote_interaction","event_key":"k","task_id":"t","selected_items":{"selected_item":[{"question_key":"q","option_ids":{"option_id":["a","b"]}}]}}}}`)
		equal(t, "answers", m.Card.SelectedItems, []BotSelectedItem{{"q", []string{"a", "b"}}})
		equal(t, "Event", m.Event, "template_card_event")
	})
	t.Run("unknown", func(t *testing.T) {
		m := parsed[*Raw](t, OfficialAccount, `<xml><FromUserName>o</FromUserName><MsgType>event</MsgType><Event>brand_new</Event><New_Thing><Part_ID>7</Part_ID></New_Thing></xml>`)
		var v struct {
			NewThing struct{ PartID int }
		}
		if err := m.Decode(&v); err != nil || v.NewThing.PartID != 7 {
			t.Errorf("%+v, error %v", v, err)
		}
		equal(t, "Event", m.Event, "brand_new")
		equal(t, "from", m.FromUserName, "o")
		b := parsed[*Raw](t, Bot, `{"msgtype":"event","from":{"userid":"u"},"event":{"eventtype":"brand_new"}}`)
		equal(t, "bot", b.Event+b.FromUserName, "brand_newu")
		for _, body := range []string{`<xml/>`, `{}`, `<xml><MsgType>event</MsgType></xml>`, `{"MsgType":["a","b"]}`} {
			parsed[*Raw](t, OfficialAccount, body)
		}
	})
	t.Run("Decode wants a struct", func(t *testing.T) {
		m := parsed[*Raw](t, OfficialAccount, `<xml><A>1</A></xml>`)
		n := 0
		for _, v := range []any{nil, n, &n, struct{}{}, (*struct{})(nil)} {
			if m.Decode(v) == nil {
				t.Errorf("%T: no error", v)
			}
		}
		if (&Header{}).Decode(&struct{}{}) == nil {
			t.Error("a message without a body: no error")
		}
	})
}
