package callback

// Subscribe says that somebody follows the account, or has joined the app on WeCom.
type Subscribe struct {
	Header
	EventKey string // qrscene_ and the scene; only where a QR code led there
	Ticket   string // of the QR code
}

// Unsubscribe says that somebody has left.
type Unsubscribe struct{ Header }

// Scan says that a follower scanned a QR code of the account.
type Scan struct {
	Header
	EventKey string // the scene
	Ticket   string
}

// LocationReport is where somebody is, as the LOCATION event tells.
type LocationReport struct {
	Header
	Latitude  float64
	Longitude float64
	Precision float64
	AppType   string // WeCom: wxwork
}

// Click says that a menu item was clicked.
type Click struct {
	Header
	EventKey string
}

// View says that a menu item led to a page.
type View struct {
	Header
	EventKey string // the URL
	MenuID   string `wx:"MenuId"`
}

// ViewMiniProgram says that a menu item led to a mini program.
type ViewMiniProgram struct {
	Header
	EventKey string // the path
	MenuID   string `wx:"MenuId"`
}

// ScanCode says that a menu item scanned a code: scancode_push, or scancode_waitmsg, which waits for an answer.
type ScanCode struct {
	Header
	EventKey     string
	ScanCodeInfo ScanCodeInfo
}

// ScanCodeInfo is what was scanned.
type ScanCodeInfo struct {
	ScanType   string // qrcode, barcode
	ScanResult string
}

// Pictures says that a menu item took pictures: pic_sysphoto, pic_photo_or_album or pic_weixin. They follow as messages.
type Pictures struct {
	Header
	EventKey     string
	SendPicsInfo SendPicsInfo
}

// SendPicsInfo lists the pictures that follow.
type SendPicsInfo struct {
	Count   int64
	PicList []PicItem `wx:"PicList>item"`
}

// PicItem is a picture.
type PicItem struct {
	PicMD5Sum string `wx:"PicMd5Sum"`
}

// LocationSelect says that a menu item picked a place.
type LocationSelect struct {
	Header
	EventKey         string
	SendLocationInfo SendLocationInfo
}

// SendLocationInfo is the place.
type SendLocationInfo struct {
	Latitude  float64 `wx:"Location_X"`
	Longitude float64 `wx:"Location_Y"`
	Scale     string
	Label     string
	PoiName   string `wx:"Poiname"`
	AppType   string // WeCom
}

// TemplateSendJobFinish tells what became of a template message. MsgID is the MsgId of its receipt.
type TemplateSendJobFinish struct {
	Header
	MsgID  int64  `wx:"MsgID"`
	Status string // success, "failed:user block", "failed: system failed", "failed:freq limit"
}

// MassSendJobFinish tells what became of a mass message. MsgID is the msg_id of its receipt.
type MassSendJobFinish struct {
	Header
	MsgID                int64  `wx:"MsgID"`
	Status               string // "send success", "send fail", or err(N)
	TotalCount           int64
	FilterCount          int64
	SentCount            int64
	ErrorCount           int64
	CopyrightCheckResult CopyrightCheckResult
	ArticleURLResult     ArticleURLResult `wx:"ArticleUrlResult"`
}

// CopyrightCheckResult is what the check for original content found.
type CopyrightCheckResult struct {
	Count      int64
	ResultList []CopyrightCheck `wx:"ResultList>item"`
	CheckState int64            // 1 may be sent, 2 goes out as a reprint, 3 must not be sent
}

// CopyrightCheck is what was found of one article.
type CopyrightCheck struct {
	ArticleIdx            int64
	UserDeclareState      int64
	AuditState            int64
	OriginalArticleURL    string `wx:"OriginalArticleUrl"`
	OriginalArticleType   int64
	CanReprint            int64
	NeedReplaceContent    int64
	NeedShowReprintSource int64
}

// ArticleURLResult lists the articles of a mass message.
type ArticleURLResult struct {
	Count      int64
	ResultList []ArticleURL `wx:"ResultList>item"`
}

// ArticleURL is where an article is.
type ArticleURL struct {
	ArticleIdx int64
	ArticleURL string `wx:"ArticleUrl"`
}

// PublishJobFinish tells what became of a publication.
type PublishJobFinish struct {
	Header
	PublishEventInfo PublishEventInfo
}

// PublishEventInfo is a publication.
type PublishEventInfo struct {
	PublishID     string        `wx:"publish_id"`
	PublishStatus int64         `wx:"publish_status"` // 0: done
	ArticleID     string        `wx:"article_id"`
	ArticleDetail ArticleDetail `wx:"article_detail"`
	FailIdx       []int64       `wx:"fail_idx"`
}

// ArticleDetail lists what was published.
type ArticleDetail struct {
	Count int64              `wx:"count"`
	Item  []PublishedArticle `wx:"item"`
}

// PublishedArticle is one of the articles.
type PublishedArticle struct {
	Idx        int64  `wx:"idx"`
	ArticleURL string `wx:"article_url"`
}

// SubscribeMsgPopup says what somebody chose in the dialog for subscription messages.
type SubscribeMsgPopup struct {
	Header
	List []SubscribeMsgChoice `wx:"SubscribeMsgPopupEvent>List|List"`
}

// SubscribeMsgChange says that somebody took back a consent in the settings.
type SubscribeMsgChange struct {
	Header
	// List is found under the name of the popup event too, as an official sample has it.
	List []SubscribeMsgChoice `wx:"SubscribeMsgChangeEvent>List|SubscribeMsgPopupEvent>List|List"`
}

// SubscribeMsgChoice is the choice for one template.
type SubscribeMsgChoice struct {
	TemplateID            string `wx:"TemplateId"`
	SubscribeStatusString string // accept, reject
	PopupScene            string
}

// SubscribeMsgSent tells what became of subscription messages.
type SubscribeMsgSent struct {
	Header
	List []SubscribeMsgResult `wx:"SubscribeMsgSentEvent>List|List"`
}

// SubscribeMsgResult is what became of one message.
type SubscribeMsgResult struct {
	TemplateID  string `wx:"TemplateId"`
	MsgID       int64  `wx:"MsgID"`
	ErrorCode   int64  // 0: arrived
	ErrorStatus string
}

// KfSession says that a session of customer service began or ended: kf_create_session, kf_close_session.
type KfSession struct {
	Header
	KfAccount string
}

// KfSwitchSession says that a session went to somebody else.
type KfSwitchSession struct {
	Header
	FromKfAccount string
	ToKfAccount   string
}

// UserAuthorization says that somebody changed, took back or deleted what the account knows of them:
// user_info_modified, user_authorization_revoke, user_authorization_cancellation.
type UserAuthorization struct {
	Header
	OpenID     string // may be of another account than FromUserName
	AppID      string
	RevokeInfo string // 1 vehicle number, 2 address ... ; several are separated by commas
	PluginID   string
}

// Verified says that the account was verified, or its verification ends: qualification_verify_success,
// naming_verify_success, annual_renew, verify_expired.
type Verified struct {
	Header
	ExpiredTime int64 // Unix seconds
}

// VerifyFailed says that a verification failed: qualification_verify_fail, naming_verify_fail.
type VerifyFailed struct {
	Header
	FailTime   int64 // Unix seconds
	FailReason string
}

// PoiCheckNotify tells what became of a new shop.
type PoiCheckNotify struct {
	Header
	UniqID string `wx:"UniqId"`
	PoiID  string `wx:"PoiId"`
	Result string // succ, fail
	Msg    string `wx:"Msg"`
}

// WifiConnected says that somebody is on a shop's Wi-Fi.
type WifiConnected struct {
	Header
	ConnectTime int64
	ExpireTime  int64
	VendorID    string `wx:"VendorId"`
	ShopID      string `wx:"ShopId"`
	DeviceNo    string
}

// ShakeAroundUserShake says that somebody shook a phone near a beacon.
type ShakeAroundUserShake struct {
	Header
	ChosenBeacon  Beacon
	AroundBeacons []Beacon `wx:"AroundBeacons>AroundBeacon"`
}

// Beacon is a beacon.
type Beacon struct {
	UUID     string `wx:"Uuid"`
	Major    int64
	Minor    int64
	Distance float64 // metres
}

// DeviceText is what a device sends. It has a MsgType of its own.
type DeviceText struct {
	Header
	DeviceType string
	DeviceID   string
	SessionID  string
	Content    string // base64
	OpenID     string
}

// DeviceEvent says that a device was bound, unbound or is watched. It has a MsgType of its own, beside an Event.
type DeviceEvent struct {
	Header
	DeviceType string
	DeviceID   string
	SessionID  string
	OpType     int64
	Content    string // base64
	OpenID     string
}

// UserScanProduct says that somebody scanned a product: user_scan_product, user_scan_product_enter_session,
// user_scan_product_async, user_scan_product_verify_action.
type UserScanProduct struct {
	Header
	KeyStandard string
	KeyStr      string
	Country     string
	Province    string
	City        string
	Sex         int64
	Scene       int64
	ExtInfo     string
	RegionCode  string
	ScanCode    string
}

func officialAccountKinds() []kind {
	return []kind{
		of[Subscribe]("event/subscribe"),
		of[Unsubscribe]("event/unsubscribe"),
		of[Scan]("event/scan"),
		of[LocationReport]("event/location"),
		of[Click]("event/click"),
		of[View]("event/view"),
		of[ViewMiniProgram]("event/view_miniprogram"),
		of[ScanCode]("event/scancode_push", "event/scancode_waitmsg"),
		of[Pictures]("event/pic_sysphoto", "event/pic_photo_or_album", "event/pic_weixin"),
		of[LocationSelect]("event/location_select"),
		of[TemplateSendJobFinish]("event/templatesendjobfinish"),
		of[MassSendJobFinish]("event/masssendjobfinish"),
		of[PublishJobFinish]("event/publishjobfinish"),
		of[SubscribeMsgPopup]("event/subscribe_msg_popup_event"),
		of[SubscribeMsgChange]("event/subscribe_msg_change_event"),
		of[SubscribeMsgSent]("event/subscribe_msg_sent_event"),
		of[KfSession]("event/kf_create_session", "event/kf_close_session"),
		of[KfSwitchSession]("event/kf_switch_session"),
		of[UserAuthorization]("event/user_authorization_revoke", "event/user_info_modified", "event/user_authorization_cancellation"),
		of[Verified]("event/qualification_verify_success", "event/naming_verify_success", "event/annual_renew", "event/verify_expired"),
		of[VerifyFailed]("event/qualification_verify_fail", "event/naming_verify_fail"),
		of[PoiCheckNotify]("event/poi_check_notify"),
		of[WifiConnected]("event/wificonnected"),
		of[ShakeAroundUserShake]("event/shakearoundusershake"),
		of[DeviceText]("device_text"),
		of[DeviceEvent]("device_event"),
		of[UserScanProduct]("event/user_scan_product", "event/user_scan_product_enter_session",
			"event/user_scan_product_async", "event/user_scan_product_verify_action"),
	}
}
