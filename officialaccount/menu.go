package officialaccount

import (
	"context"

	"github.com/seed175cf469/wechat"
)

// ButtonType is what a tap on a button of a menu does.
type ButtonType string

// The button types. The last group is set in the web console and only read.
const (
	ButtonClick              ButtonType = "click"              // sends a CLICK event with Key
	ButtonView               ButtonType = "view"               // opens URL
	ButtonScanPush           ButtonType = "scancode_push"      // scans a code, shows the result, sends an event
	ButtonScanWait           ButtonType = "scancode_waitmsg"   // the same, and waits for a message
	ButtonCamera             ButtonType = "pic_sysphoto"       // takes a picture and sends it
	ButtonCameraOrAlbum      ButtonType = "pic_photo_or_album" // the same, or one of the album
	ButtonAlbum              ButtonType = "pic_weixin"         // sends a picture of the album
	ButtonLocation           ButtonType = "location_select"    // sends a place
	ButtonMedia              ButtonType = "media_id"           // answers with permanent material
	ButtonArticle            ButtonType = "article_id"         // answers with a published article
	ButtonArticleViewLimited ButtonType = "article_view_limited"
	ButtonMiniProgram        ButtonType = "miniprogram"  // opens PagePath of AppID, or URL on old clients
	ButtonViewLimited        ButtonType = "view_limited" // is being retired

	ButtonText  ButtonType = "text"
	ButtonImage ButtonType = "img"
	ButtonVoice ButtonType = "voice"
	ButtonVideo ButtonType = "video"
	ButtonNews  ButtonType = "news"
)

// Button is a button of the first level: one that does something, with a Type, or one that opens up to five
// others, with SubButton.
type Button struct {
	Type      ButtonType  `json:"type,omitempty"`
	Name      string      `json:"name"`               // at most 16 bytes
	Key       string      `json:"key,omitempty"`      // at most 128 bytes; comes back in the event
	URL       string      `json:"url,omitempty"`      // at most 1024 bytes
	MediaID   string      `json:"media_id,omitempty"` // permanent material
	AppID     string      `json:"appid,omitempty"`    // of the mini program
	PagePath  string      `json:"pagepath,omitempty"` // of the mini program
	ArticleID string      `json:"article_id,omitempty"`
	SubButton []SubButton `json:"sub_button,omitempty"`
}

// SubButton is a button of the second level.
type SubButton struct {
	Type      ButtonType `json:"type"`
	Name      string     `json:"name"` // at most 60 bytes
	Key       string     `json:"key,omitempty"`
	URL       string     `json:"url,omitempty"`
	MediaID   string     `json:"media_id,omitempty"`
	AppID     string     `json:"appid,omitempty"`
	PagePath  string     `json:"pagepath,omitempty"`
	ArticleID string     `json:"article_id,omitempty"`
}

// Menu is the menu below an account's chat.
type Menu struct {
	Button []Button `json:"button"` // one to three
}

var createMenu = wechat.Endpoint[Menu, wechat.None]{
	Name: "CreateMenu", Pattern: "POST /cgi-bin/menu/create",
	Effect: wechat.EffectSet,
}

// CreateMenu replaces the default menu. Clients look for a new one when the chat is opened and the menu is older than
// five minutes. 40016 to 40027 name the part that is wrong, 40054 and 40055 a domain.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/custommenu/api_createcustommenu.html
func (c *Client) CreateMenu(ctx context.Context, m *Menu) error {
	return createMenu.Exec(ctx, c.caller, m)
}

// StoredMenu is the default menu as the platform keeps it.
type StoredMenu struct {
	Menu
	MenuID int64 `json:"menuid"`
}

// StoredMatchRule is a MatchRule as the platform keeps it. Menus from the time before December 2020 can have rules
// that are no longer accepted.
type StoredMatchRule struct {
	TagID              string `json:"tag_id"`
	GroupID            int64  `json:"group_id"` // another name for TagID
	Sex                int    `json:"sex"`      // old menus
	Country            string `json:"country"`  // old menus
	Province           string `json:"province"` // old menus
	City               string `json:"city"`     // old menus
	ClientPlatformType int    `json:"client_platform_type"`
	Language           string `json:"language"` // old menus
}

// StoredConditionalMenu is a conditional menu as the platform keeps it.
type StoredConditionalMenu struct {
	Menu
	MatchRule StoredMatchRule `json:"matchrule"`
	MenuID    int64           `json:"menuid"`
}

// GetMenuReply has the menus that were set by API.
type GetMenuReply struct {
	Menu            StoredMenu              `json:"menu"`
	ConditionalMenu []StoredConditionalMenu `json:"conditionalmenu"`
}

var getMenu = wechat.Endpoint[wechat.None, GetMenuReply]{
	Name: "GetMenu", Pattern: "GET /cgi-bin/menu/get",
	Effect: wechat.EffectRead,
}

// GetMenu reads the default and the conditional menus that were set by API; those of the web console are told by
// GetCurrentSelfMenuInfo. 46003 means that there is none.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/custommenu/api_getmenu.html
func (c *Client) GetMenu(ctx context.Context) (*GetMenuReply, error) {
	return getMenu.Do(ctx, c.caller, nil)
}

var deleteMenu = wechat.Endpoint[wechat.None, wechat.None]{
	Name: "DeleteMenu", Pattern: "GET /cgi-bin/menu/delete",
	Effect: wechat.EffectSet,
}

// DeleteMenu deletes the default menu, and all conditional menus with it.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/custommenu/api_deletemenu.html
func (c *Client) DeleteMenu(ctx context.Context) error {
	return deleteMenu.Exec(ctx, c.caller, nil)
}

// NewsInfo has the articles behind a button or an automatic reply.
type NewsInfo struct {
	List []NewsInfoItem `json:"list"`
}

// NewsInfoItem is one of these articles.
type NewsInfoItem struct {
	Title      string `json:"title"`
	Author     string `json:"author"`
	Digest     string `json:"digest"`
	ShowCover  int    `json:"show_cover"` // 1: the cover is shown in the text
	CoverURL   string `json:"cover_url"`
	ContentURL string `json:"content_url"`
	SourceURL  string `json:"source_url"` // "read more"; may be empty
}

// SelfMenuItem is a button of the menu in use.
type SelfMenuItem struct {
	Type      ButtonType `json:"type"`
	Name      string     `json:"name"`
	Key       string     `json:"key"`
	URL       string     `json:"url"`
	Value     string     `json:"value"` // what a button of the web console answers: a text, or a media id that differs each time
	MediaID   string     `json:"media_id"`
	ArticleID string     `json:"article_id"`
	AppID     string     `json:"appid"`
	PagePath  string     `json:"pagepath"`
	NewsInfo  NewsInfo   `json:"news_info"`
}

// SelfMenuButton is a button of the first level of the menu in use.
type SelfMenuButton struct {
	SelfMenuItem
	SubButton struct {
		List []SelfMenuItem `json:"list"`
	} `json:"sub_button"`
}

// GetCurrentSelfMenuInfoReply is the menu in use.
type GetCurrentSelfMenuInfoReply struct {
	IsMenuOpen   int `json:"is_menu_open"` // 0 or 1
	SelfMenuInfo struct {
		Button []SelfMenuButton `json:"button"`
	} `json:"selfmenu_info"`
}

var getCurrentSelfMenuInfo = wechat.Endpoint[wechat.None, GetCurrentSelfMenuInfoReply]{
	Name: "GetCurrentSelfMenuInfo", Pattern: "GET /cgi-bin/get_current_selfmenu_info",
	Effect: wechat.EffectRead,
}

// GetCurrentSelfMenuInfo reads the menu in use, whether it was set by API or in the web console. Accounts that are
// not verified may call it too.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/custommenu/api_getcurrentselfmenuinfo.html
func (c *Client) GetCurrentSelfMenuInfo(ctx context.Context) (*GetCurrentSelfMenuInfoReply, error) {
	return getCurrentSelfMenuInfo.Do(ctx, c.caller, nil)
}

// ClientPlatform is the kind of WeChat that a person uses.
type ClientPlatform string

// The platforms of MatchRule.
const (
	PlatformIOS     ClientPlatform = "1"
	PlatformAndroid ClientPlatform = "2"
	PlatformOther   ClientPlatform = "3"
)

// MatchRule says who sees a conditional menu. At least one field must be set; all that are set must hold.
type MatchRule struct {
	TagID              string         `json:"tag_id,omitempty"`
	ClientPlatformType ClientPlatform `json:"client_platform_type,omitempty"`
	Language           string         `json:"language,omitempty"` // "zh_CN"; on an older page only
}

// ConditionalMenu is a menu for some of the followers.
type ConditionalMenu struct {
	Menu
	MatchRule MatchRule `json:"matchrule"`
}

// ConditionalMenuID names a conditional menu.
type ConditionalMenuID struct {
	MenuID string `json:"menuid"`
}

var addConditionalMenu = wechat.Endpoint[ConditionalMenu, ConditionalMenuID]{
	Name: "AddConditionalMenu", Pattern: "POST /cgi-bin/menu/addconditional",
	Effect: wechat.EffectCreate,
}

// AddConditionalMenu adds a menu for those whom its rule matches. The newest that matches is shown. A conditional menu
// cannot be changed, only deleted and added again. 65303 means that there is no default menu yet, 65304 that the
// rule is empty, 65320 that it uses a field that was withdrawn. The quota is 2,000 calls a day.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/custommenu/api_addconditionalmenu.html
func (c *Client) AddConditionalMenu(ctx context.Context, m *ConditionalMenu) (*ConditionalMenuID, error) {
	return addConditionalMenu.Do(ctx, c.caller, m)
}

var deleteConditionalMenu = wechat.Endpoint[ConditionalMenuID, wechat.None]{
	Name: "DeleteConditionalMenu", Pattern: "POST /cgi-bin/menu/delconditional",
	Effect: wechat.EffectSet,
}

// DeleteConditionalMenu deletes one conditional menu. 65301 means that there is none with this id.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/custommenu/api_deleteconditionalmenu.html
func (c *Client) DeleteConditionalMenu(ctx context.Context, r *ConditionalMenuID) error {
	return deleteConditionalMenu.Exec(ctx, c.caller, r)
}

// TryMatchMenuRequest names a person.
type TryMatchMenuRequest struct {
	UserID string `json:"user_id"` // openid, or WeChat id
}

var tryMatchMenu = wechat.Endpoint[TryMatchMenuRequest, Menu]{
	Name: "TryMatchMenu", Pattern: "POST /cgi-bin/menu/trymatch",
	Effect: wechat.EffectRead,
	To:     func(r *TryMatchMenuRequest) []string { return []string{r.UserID} },
}

// TryMatchMenu tells which menu a person would see. 65302 means that there is no such person. The quota is 20,000
// calls a day.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/custommenu/api_trymatchmenu.html
func (c *Client) TryMatchMenu(ctx context.Context, r *TryMatchMenuRequest) (*Menu, error) {
	return tryMatchMenu.Do(ctx, c.caller, r)
}
