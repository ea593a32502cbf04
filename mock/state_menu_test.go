package mock_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/seed175cf469/wechat"
	oa "github.com/seed175cf469/wechat/officialaccount"
)

func click(name string) oa.Button {
	return oa.Button{Type: oa.ButtonClick, Name: name, Key: "k"}
}

func TestMenus(t *testing.T) {
	s, c := official(once)
	ctx := t.Context()
	s.Followers(oaApp.ID, openID(1), openID(2))
	_, err := c.GetMenu(ctx)
	wantCode(t, err, 46003)
	_, err = c.TryMatchMenu(ctx, &oa.TryMatchMenuRequest{UserID: openID(1)})
	wantCode(t, err, 46003)
	conditional := func(name string, rule oa.MatchRule) (*oa.ConditionalMenuID, error) {
		return c.AddConditionalMenu(ctx, &oa.ConditionalMenu{Menu: oa.Menu{Button: []oa.Button{click(name)}}, MatchRule: rule})
	}
	_, err = conditional("vip", oa.MatchRule{TagID: "100"})
	wantCode(t, err, 65303)

	menu := &oa.Menu{Button: []oa.Button{
		{Type: oa.ButtonView, Name: "店铺&more", URL: "https://example.com/?a=1&b=2"},
		{Name: "more", SubButton: []oa.SubButton{{Type: oa.ButtonClick, Name: "help", Key: "HELP"}}},
	}}
	wantCode(t, c.CreateMenu(ctx, menu), 0)
	got := must[*oa.GetMenuReply](t)(c.GetMenu(ctx))
	if b := got.Menu.Button; len(b) != 2 || b[0].URL != menu.Button[0].URL || b[0].Name != menu.Button[0].Name || b[0].SubButton == nil ||
		len(b[1].SubButton) != 1 || b[1].SubButton[0].Key != "HELP" || got.Menu.MenuID == 0 || len(got.ConditionalMenu) != 0 {
		t.Errorf("the menu is %+v", got)
	}
	current := must[*oa.GetCurrentSelfMenuInfoReply](t)(c.GetCurrentSelfMenuInfo(ctx))
	if b := current.SelfMenuInfo.Button; current.IsMenuOpen != 1 || len(b) != 2 || b[0].URL != menu.Button[0].URL || b[1].SubButton.List[0].Name != "help" {
		t.Errorf("the menu in use is %+v", current)
	}

	tag := must[*oa.CreateTagReply](t)(c.CreateTag(ctx, &oa.CreateTagRequest{Tag: oa.TagName{Name: "vip"}})).Tag.ID
	_, err = c.TagUsers(ctx, &oa.TagUsersRequest{OpenIDList: []string{openID(2)}, TagID: tag})
	wantCode(t, err, 0)
	rule := oa.MatchRule{TagID: strconv.FormatInt(tag, 10), ClientPlatformType: oa.PlatformIOS}
	older := must[*oa.ConditionalMenuID](t)(conditional("older", rule))
	newer := must[*oa.ConditionalMenuID](t)(conditional("newer", rule))
	must[*oa.ConditionalMenuID](t)(conditional("android", oa.MatchRule{ClientPlatformType: oa.PlatformAndroid}))
	shown := func(n int) string {
		m := must[*oa.Menu](t)(c.TryMatchMenu(ctx, &oa.TryMatchMenuRequest{UserID: openID(n)}))
		return m.Button[0].Name
	}
	wantEqual(t, "the first sees", shown(1), menu.Button[0].Name)
	wantEqual(t, "the second sees", shown(2), "newer")
	got = must[*oa.GetMenuReply](t)(c.GetMenu(ctx))
	if l := got.ConditionalMenu; len(l) != 3 || strconv.FormatInt(l[1].MenuID, 10) != newer.MenuID || l[1].MatchRule.TagID != rule.TagID ||
		l[1].MatchRule.GroupID != tag || l[1].MatchRule.ClientPlatformType != 1 {
		t.Errorf("conditional menus are %+v", l)
	}
	wantCode(t, c.DeleteConditionalMenu(ctx, newer), 0)
	wantEqual(t, "the second sees", shown(2), "older")
	wantCode(t, c.DeleteConditionalMenu(ctx, newer), 65301)
	_, err = c.TryMatchMenu(ctx, &oa.TryMatchMenuRequest{UserID: "stranger"})
	wantCode(t, err, 65302)
	_, err = conditional("none", oa.MatchRule{})
	wantCode(t, err, 65304)

	wantCode(t, c.DeleteMenu(ctx), 0)
	_, err = c.GetMenu(ctx)
	wantCode(t, err, 46003)
	wantCode(t, c.DeleteConditionalMenu(ctx, older), 65301)
	wantEqual(t, "the menu in use is open", must[*oa.GetCurrentSelfMenuInfoReply](t)(c.GetCurrentSelfMenuInfo(ctx)).IsMenuOpen, 0)
}

func TestMenusThatAreRefused(t *testing.T) {
	s, c := official(once)
	sub := func(n int, b oa.SubButton) oa.Button {
		m := oa.Button{Name: "m"}
		for range n {
			m.SubButton = append(m.SubButton, b)
		}
		return m
	}
	help := oa.SubButton{Type: oa.ButtonClick, Name: "help", Key: "k"}
	long := strings.Repeat("x", 1025)
	for name, tt := range map[string]struct {
		code   wechat.Code
		button []oa.Button
	}{
		"none":            {40016, []oa.Button{}},
		"four":            {40016, []oa.Button{click("a"), click("b"), click("c"), click("d")}},
		"type":            {40017, []oa.Button{{Type: "dance", Name: "a"}}},
		"no type":         {40017, []oa.Button{{Name: "a"}}},
		"name":            {40018, []oa.Button{click("六个汉字太长")}},
		"key":             {40019, []oa.Button{{Type: oa.ButtonClick, Name: "a"}}},
		"url":             {40020, []oa.Button{{Type: oa.ButtonView, Name: "a", URL: long}}},
		"six sub buttons": {40023, []oa.Button{sub(6, help)}},
		"sub type":        {40024, []oa.Button{sub(1, oa.SubButton{Name: "a"})}},
		"sub name":        {40025, []oa.Button{sub(1, oa.SubButton{Type: oa.ButtonClick, Name: long, Key: "k"})}},
		"sub key":         {40026, []oa.Button{sub(1, oa.SubButton{Type: oa.ButtonClick, Name: "a", Key: long})}},
		"sub url":         {40027, []oa.Button{sub(1, oa.SubButton{Type: oa.ButtonView, Name: "a", URL: long})}},
		"five":            {0, []oa.Button{sub(5, help)}},
	} {
		t.Run(name, func(t *testing.T) {
			wantCode(t, c.CreateMenu(t.Context(), &oa.Menu{Button: tt.button}), tt.code)
		})
	}
	s.AcceptToken(oaApp.ID, "T")
	for body, want := range map[string]string{
		`{"button":[{"type":"click","name":"\u83dc","key":"k"}]}`:                                                                   `{"errcode":40033,`,
		`{"button":[{"type":"click","name":"a\\u83dc","key":"k"}]}`:                                                                 `{"errcode":0,`,
		`{"button":[{"name":"a","sub_button":[{"name":"b","sub_button":[{"type":"click","name":"c","key":"k"}],"type":"click"}]}]}`: `{"errcode":40022,`,
	} {
		if _, _, got := request(t, s, "POST", "/cgi-bin/menu/create?access_token=T", "", body); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
	wantCode(t, c.CreateMenu(t.Context(), &oa.Menu{Button: []oa.Button{click("a")}}), 0)
	withdrawn := `{"button":[{"type":"click","name":"a","key":"k"}],"matchrule":{"tag_id":"2","sex":"1"}}`
	if _, _, got := request(t, s, "POST", "/cgi-bin/menu/addconditional?access_token=T", "", withdrawn); !strings.HasPrefix(got, `{"errcode":65320,`) {
		t.Errorf("a rule by sex: %s", got)
	}
}
