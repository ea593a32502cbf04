package wechat

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
)

type describedID struct {
	OpenID string    `json:"openid"`
	At     time.Time `json:"at,omitzero"`
	Number int       `json:"number,string,omitempty"`
}

type describedPage struct {
	Offset int `json:"offset"`
	Count  int `json:"count,omitempty"`
}

type describedButton struct {
	Name string            `json:"name"`
	Sub  []describedButton `json:"sub_button,omitempty"`
}

type describedFlag bool

func (f describedFlag) MarshalJSON() ([]byte, error) {
	if f {
		return []byte("1"), nil
	}
	return []byte("0"), nil
}

type describedRequest struct {
	describedPage
	Lang    string                 `query:"lang,omitempty"`
	To      []describedID          `json:"to_list"`
	Payer   *describedID           `json:"payer,omitempty"`
	Data    map[string]describedID `json:"data"`
	Weight  float64                `json:"weight,omitempty"`
	Safe    bool                   `json:"safe,omitempty"`
	Flag    describedFlag          `json:"flag,omitempty"`
	Any     any                    `json:"any,omitempty"`
	Raw     json.RawMessage        `json:"raw,omitempty"`
	Buttons []describedButton      `json:"button,omitempty"`
	Hidden  string                 `json:"-"`
	note    string
}

type describedReply struct {
	ErrCode int    `json:"errcode"`
	ErrMsg  string `json:"errmsg"`
	MsgID   int64  `json:"msgid"`
	Media   Blob   `json:"-"`
}

type describedUpload struct {
	Type  string `query:"type"`
	Title string `form:"title,omitempty"`
	Media File   `form:"media"`
}

type describedRaw []int

func TestDescribe(t *testing.T) {
	_ = describedRequest{}.note
	tests := []struct {
		name string
		spec Spec
		want string
	}{
		{"JSON", (&Endpoint[describedRequest, describedReply]{
			Name: "Send", Pattern: "POST /send", Effect: EffectSend,
			Const: map[string]string{"?type": "2", "agentid": ConstAgentID, "action": "go", "appid": ConstAppID},
			To: func(r *describedRequest) []string {
				var to []string
				for _, id := range r.To {
					to = append(to, strings.ToUpper("id-"+id.OpenID))
				}
				if r.Payer != nil && len(to) == 0 {
					to = append(to, r.Payer.OpenID)
				}
				return to
			},
		}).Spec(), `{"product":"","name":"Send","method":"POST","path":"/send","effect":"send","recipient":"to_list.openid, payer.openid",
			"query":{"lang":{"type":"string"},"type":{"type":"int","required":true}},
			"request":{
				"offset":{"type":"int","required":true},"count":{"type":"int"},
				"to_list":{"type":"list","required":true,"elem":{"type":"object","fields":{"openid":{"type":"string","required":true},"at":{"type":"string"},"number":{"type":"string"}}}},
				"payer":{"type":"object","fields":{"openid":{"type":"string","required":true},"at":{"type":"string"},"number":{"type":"string"}}},
				"data":{"type":"map","required":true,"elem":{"type":"object","fields":{"openid":{"type":"string","required":true},"at":{"type":"string"},"number":{"type":"string"}}}},
				"weight":{"type":"float"},"safe":{"type":"bool"},"flag":{"type":"int"},"any":{"type":"any"},"raw":{"type":"any"},
				"button":{"type":"list","elem":{"type":"object","fields":{"name":{"type":"string","required":true},"sub_button":{"type":"list","elem":{"type":"any"}}}}},
				"agentid":{"type":"int","required":true},"action":{"type":"string","required":true},"appid":{"type":"string","required":true}},
			"reply":{"msgid":{"type":"int"},"$":{"type":"bytes"}}}`},
		{"form on another host", (&Endpoint[describedUpload, None]{
			Name: "Upload", Pattern: "POST files.example.invalid/upload", Effect: EffectUpload,
		}).Spec(), `{"product":"","name":"Upload","method":"POST","path":"https://files.example.invalid/upload","effect":"upload",
			"query":{"type":{"type":"string","required":true}},
			"request":{"title":{"type":"string"},"media":{"type":"file","required":true}}}`},
		{"whole body", (&Endpoint[describedRaw, Blob]{
			Name: "Raw", Pattern: "POST /raw", Effect: EffectRead,
		}).Spec(), `{"product":"","name":"Raw","method":"POST","path":"/raw","effect":"read",
			"request":{"$":{"type":"list","required":true,"elem":{"type":"int"}}},"reply":{"$":{"type":"bytes"}}}`},
		{"constants of a GET", (&Endpoint[None, map[string]any]{
			Name: "Get", Pattern: "GET /get", Effect: EffectRead, Const: map[string]string{"grant_type": "x", "secret": ConstSecret},
		}).Spec(), `{"product":"","name":"Get","method":"GET","path":"/get","effect":"read",
			"query":{"grant_type":{"type":"string","required":true},"secret":{"type":"string","required":true}},
			"reply":{"$":{"type":"map","elem":{"type":"any"}}}}`},
		{"made by hand", Spec{Name: "Hand", Pattern: "POST /hand", New: func() (any, any) { return new(describedID), new(None) }},
			`{"product":"","name":"Hand","method":"POST","path":"/hand","effect":"send",
			"request":{"openid":{"type":"string","required":true},"at":{"type":"string"},"number":{"type":"string"}}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b, err := json.Marshal(tt.spec.Describe())
			if err != nil {
				t.Fatal(err)
			}
			var got, want any
			if err := json.Unmarshal(b, &got); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(tt.want), &want); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got  %s\nwant %s", b, tt.want)
			}
		})
	}
}
