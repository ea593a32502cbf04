package callback

import "github.com/seed175cf469/wechat"

// What third-party platforms and suites are told, by InfoType. It is answered with success and nothing else.

// ComponentVerifyTicket brings a platform's ticket, every ten minutes. See Tickets.
type ComponentVerifyTicket struct {
	Header
	ComponentVerifyTicket wechat.Secret
}

// Authorized says that an account authorised the platform, or changed what it authorises: authorized, updateauthorized.
type Authorized struct {
	Header
	AuthorizerAppID              string `wx:"AuthorizerAppid"`
	AuthorizationCode            string
	AuthorizationCodeExpiredTime int64 // Unix seconds
	PreAuthCode                  string
}

// Unauthorized says that an account took its authorisation back.
type Unauthorized struct {
	Header
	AuthorizerAppID string `wx:"AuthorizerAppid"`
}

// NotifyThirdFastRegister tells what became of the registration of a mini program.
type NotifyThirdFastRegister struct {
	Header
	RegisteredAppID string           `wx:"appid"`
	Status          int64            `wx:"status"` // 0: done
	AuthCode        string           `wx:"auth_code"`
	Msg             string           `wx:"msg"`
	Info            FastRegisterInfo `wx:"info"`
}

// FastRegisterInfo is for whom it was registered.
type FastRegisterInfo struct {
	Name               string `wx:"name"`
	Code               string `wx:"code"`
	CodeType           int64  `wx:"code_type"`
	LegalPersonaWechat string `wx:"legal_persona_wechat"`
	LegalPersonaName   string `wx:"legal_persona_name"`
	ComponentPhone     string `wx:"component_phone"`
}

// SuiteTicket brings a suite's ticket, every ten minutes. See Tickets.
type SuiteTicket struct {
	Header
	SuiteTicket wechat.Secret
}

// CreateAuth says that a company authorised the suite.
type CreateAuth struct {
	Header
	AuthCode string // for the permanent code
	State    string
}

// ChangeAuth says that a company changed what it authorises.
type ChangeAuth struct {
	Header
	State string
}

// CancelAuth says that the company AuthCorpID took its authorisation back.
type CancelAuth struct{ Header }

// ResetPermanentCode brings a code for a new permanent code; the old one is void.
type ResetPermanentCode struct {
	Header
	AuthCode string
}

// ChangeAppAdmin says that who may administer the app has changed.
type ChangeAppAdmin struct {
	Header
	UserID  string
	IsAdmin int64
}

// RegisterCorp says that a company was registered by a link of the provider.
type RegisterCorp struct {
	Header
	ServiceCorpID string `wx:"ServiceCorpId"`
	RegisterCode  string
	State         string
	TemplateID    string `wx:"TemplateId"`
	ContactSync   RegisterContactSync
	AuthUserInfo  RegisterUserInfo
}

// RegisterContactSync is a token to fill in the company's members.
type RegisterContactSync struct {
	AccessToken wechat.Secret
	ExpiresIn   int64 // seconds
}

// RegisterUserInfo is who registered the company.
type RegisterUserInfo struct {
	UserID string `wx:"UserId"`
}

// SuiteOrder tells of an order of a suite: open_order, change_order, pay_for_app_success, refund, change_editon (the
// platform's spelling).
type SuiteOrder struct {
	Header
	PaidCorpID string `wx:"PaidCorpId"`
	OrderID    string `wx:"OrderId"`
	OperatorID string `wx:"OperatorId"`
	OldOrderID string `wx:"OldOrderId"`
	NewOrderID string `wx:"NewOrderId"`
}

// UnlicensedNotify says that somebody without a licence used an interface that needs one.
type UnlicensedNotify struct{ Header }

// LicenseOrder tells of an order of licences: license_pay_success, license_refund.
type LicenseOrder struct {
	Header
	ServiceCorpID string `wx:"ServiceCorpId"`
	BuyerUserID   string `wx:"BuyerUserId"`
	OrderID       string `wx:"OrderId"`
	OrderStatus   int64
}

// AutoActivate says that licences were given out by themselves. Header.Decode reads the list of accounts.
type AutoActivate struct {
	Header
	ServiceCorpID string `wx:"ServiceCorpId"`
	Scene         int64
}

func authorizationKinds() []kind {
	return []kind{
		of[ComponentVerifyTicket]("info/component_verify_ticket"),
		of[Authorized]("info/authorized", "info/updateauthorized"),
		of[Unauthorized]("info/unauthorized"),
		of[NotifyThirdFastRegister]("info/notify_third_fasteregister"),
		of[SuiteTicket]("info/suite_ticket"),
		of[CreateAuth]("info/create_auth"),
		of[ChangeAuth]("info/change_auth"),
		of[CancelAuth]("info/cancel_auth"),
		of[ResetPermanentCode]("info/reset_permanent_code"),
		of[ChangeAppAdmin]("info/change_app_admin"),
		of[RegisterCorp]("info/register_corp"),
		of[SuiteOrder]("info/open_order", "info/change_order", "info/pay_for_app_success", "info/refund", "info/change_editon"),
		of[UnlicensedNotify]("info/unlicensed_notify"),
		of[LicenseOrder]("info/license_pay_success", "info/license_refund"),
		of[AutoActivate]("info/auto_activate"),
	}
}
