package mock

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"

	"github.com/seed175cf469/wechat"
)

// menus are the default menu and those for some of the people.
type menus struct {
	standard    *menu
	conditional []*menu // newest last
}

type menu struct {
	id      int
	buttons []fields // as GetMenu has them
	rule    matchRule
}

// matchRule is the rule of a conditional menu as it is set.
type matchRule struct {
	TagID    string `json:"tag_id"`
	Platform string `json:"client_platform_type"`
	Language string `json:"language"`
	// These were withdrawn.
	Sex      string `json:"sex"`
	Country  string `json:"country"`
	Province string `json:"province"`
	City     string `json:"city"`
}

// What everybody uses.
const (
	everyPlatform = "1" // iOS
	everyLanguage = "zh_CN"
)

var buttonTypes = []string{
	"click", "view", "scancode_push", "scancode_waitmsg", "pic_sysphoto", "pic_photo_or_album", "pic_weixin", "location_select",
	"media_id", "article_id", "article_view_limited", "miniprogram", "view_limited",
}

// escaped finds text that was not sent as UTF-8.
var escaped = regexp.MustCompile(`(^|[^\\])(\\\\)*\\u`)

type button struct {
	Type string            `json:"type"`
	Name string            `json:"name"`
	Key  string            `json:"key"`
	URL  string            `json:"url"`
	Sub  []json.RawMessage `json:"sub_button"`
}

// newMenu reads the buttons of a request.
func (st *state) newMenu(x *exchange) (*menu, wechat.Code) {
	var r struct {
		Button []json.RawMessage `json:"button"`
	}
	x.into(&r)
	if escaped.Match(x.Body) {
		return nil, 40033
	}
	if len(r.Button) < 1 || len(r.Button) > 3 {
		return nil, 40016
	}
	m := &menu{id: st.number()}
	for _, raw := range r.Button {
		b, code := readButton(raw, false)
		if code != 0 {
			return nil, code
		}
		m.buttons = append(m.buttons, b)
	}
	return m, 0
}

// readButton checks a button and gives it the list of sub buttons that every stored button has.
func readButton(raw json.RawMessage, sub bool) (fields, wechat.Code) {
	var b button
	var stored fields
	if json.Unmarshal(raw, &b) != nil || json.Unmarshal(raw, &stored) != nil {
		return nil, 47001
	}
	// The codes of the second level stand in the same order.
	typeCode, nameCode, keyCode, urlCode, maxName := wechat.Code(40017), wechat.Code(40018), wechat.Code(40019), wechat.Code(40020), 16
	if sub {
		typeCode, nameCode, keyCode, urlCode, maxName = 40024, 40025, 40026, 40027, 60
	}
	inner := []any{}
	for _, s := range b.Sub {
		if sub {
			return nil, 40022
		}
		second, code := readButton(s, true)
		if code != 0 {
			return nil, code
		}
		inner = append(inner, second)
	}
	switch {
	case b.Name == "" || len(b.Name) > maxName:
		return nil, nameCode
	case len(inner) > 5:
		return nil, 40023
	case len(inner) == 0 && !slices.Contains(buttonTypes, b.Type):
		return nil, typeCode
	case len(b.Key) > 128 || b.Type == "click" && b.Key == "":
		return nil, keyCode
	case len(b.URL) > 1024 || b.Type == "view" && b.URL == "":
		return nil, urlCode
	}
	stored["sub_button"] = inner
	return stored, 0
}

func (st *state) createMenu(x *exchange) Reply {
	m, code := st.newMenu(x)
	if code != 0 {
		return refuse(code)
	}
	st.menus.standard = m
	return done()
}

func (st *state) getMenu(*exchange) Reply {
	if st.menus.standard == nil {
		return refuse(46003)
	}
	reply := fields{"menu": fields{"button": st.menus.standard.buttons, "menuid": st.menus.standard.id}}
	var conditional []fields
	for _, m := range slices.Backward(st.menus.conditional) {
		conditional = append(conditional, fields{"button": m.buttons, "matchrule": m.rule.stored(), "menuid": m.id})
	}
	if conditional != nil {
		reply["conditionalmenu"] = conditional
	}
	return bare(reply)
}

// stored is a rule as GetMenu has it: with a number for the platform.
func (r matchRule) stored() fields {
	rule := fields{}
	if group, err := strconv.ParseInt(r.TagID, 10, 64); err == nil {
		rule["tag_id"], rule["group_id"] = r.TagID, group
	}
	if platform, err := strconv.Atoi(r.Platform); err == nil {
		rule["client_platform_type"] = platform
	}
	if r.Language != "" {
		rule["language"] = r.Language
	}
	return rule
}

func (st *state) deleteMenu(*exchange) Reply {
	st.menus = menus{}
	return done()
}

func (st *state) addConditionalMenu(x *exchange) Reply {
	var r struct {
		MatchRule matchRule `json:"matchrule"`
	}
	x.into(&r)
	rule := r.MatchRule
	m, code := st.newMenu(x)
	switch {
	case code != 0:
		return refuse(code)
	case st.menus.standard == nil:
		return refuse(65303)
	case rule.Sex+rule.Country+rule.Province+rule.City != "":
		return refuse(65320)
	case rule == matchRule{}:
		return refuse(65304)
	}
	m.rule = rule
	st.menus.conditional = append(st.menus.conditional, m)
	return bare(fields{"menuid": strconv.Itoa(m.id)})
}

func (st *state) deleteConditionalMenu(x *exchange) Reply {
	id, _ := x.field("body", "menuid")
	i := slices.IndexFunc(st.menus.conditional, func(m *menu) bool { return strconv.Itoa(m.id) == id })
	if i < 0 {
		return refuse(65301)
	}
	st.menus.conditional = slices.Delete(st.menus.conditional, i, i+1)
	return done()
}

// matchMenu takes everybody to use WeChat on iOS in Chinese.
func (st *state) matchMenu(x *exchange) Reply {
	id, _ := x.field("body", "user_id")
	switch {
	case !st.follows(id):
		return refuse(65302)
	case st.menus.standard == nil:
		return refuse(46003)
	}
	shown := st.menus.standard
	for _, m := range st.menus.conditional {
		if m.rule.holds(st.person(id)) {
			shown = m
		}
	}
	return bare(fields{"button": shown.buttons})
}

func (r matchRule) holds(p *person) bool {
	if r.TagID != "" {
		tag, err := strconv.ParseInt(r.TagID, 10, 64)
		if err != nil || p == nil || !p.carries(tag) {
			return false
		}
	}
	return (r.Platform == "" || r.Platform == everyPlatform) && (r.Language == "" || r.Language == everyLanguage)
}

// currentMenu has the sub buttons in an object, unlike getMenu.
func (st *state) currentMenu(*exchange) Reply {
	if st.menus.standard == nil {
		return bare(fields{"is_menu_open": 0, "selfmenu_info": fields{"button": []any{}}})
	}
	var buttons []fields
	for _, stored := range st.menus.standard.buttons {
		b := maps.Clone(stored)
		if inner, _ := b["sub_button"].([]any); len(inner) > 0 {
			b["sub_button"] = fields{"list": inner}
		} else {
			delete(b, "sub_button")
		}
		buttons = append(buttons, b)
	}
	return bare(fields{"is_menu_open": 1, "selfmenu_info": fields{"button": buttons}})
}
