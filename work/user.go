package work

import (
	"context"
	"iter"
	"slices"

	"github.com/seed175cf469/wechat"
)

// AttrType is the kind of a further field of a member.
type AttrType int

// The kinds of fields. The part of the same name holds the value.
const (
	AttrText        AttrType = 0
	AttrWeb         AttrType = 1
	AttrMiniProgram AttrType = 2 // of ExternalAttr only
)

// Attr is a further field of a member, as the company has defined it. Text or Web is set, as Type says.
type Attr struct {
	Type AttrType   `json:"type"`
	Name string     `json:"name"`
	Text *TextValue `json:"text,omitempty"`
	Web  *WebValue  `json:"web,omitempty"`
}

// ExternalAttr is a field of a member that customers see. Text, Web or MiniProgram is set, as Type says.
type ExternalAttr struct {
	Type        AttrType          `json:"type"`
	Name        string            `json:"name"`
	Text        *TextValue        `json:"text,omitempty"`
	Web         *WebValue         `json:"web,omitempty"`
	MiniProgram *MiniProgramValue `json:"miniprogram,omitempty"`
}

// TextValue is a text as the value of a field.
type TextValue struct {
	Value string `json:"value"`
}

// WebValue is a page as the value of a field.
type WebValue struct {
	URL   string `json:"url"`
	Title string `json:"title"`
}

// MiniProgramValue is a mini program as the value of a field.
type MiniProgramValue struct {
	AppID    string `json:"appid"`
	PagePath string `json:"pagepath,omitempty"`
	Title    string `json:"title"`
}

// ExtAttr has the further fields of a member.
type ExtAttr struct {
	Attrs []Attr `json:"attrs,omitempty"`
}

// ExternalProfile is what customers are to see of a member.
type ExternalProfile struct {
	ExternalCorpName string         `json:"external_corp_name,omitempty"`
	WechatChannels   *Channels      `json:"wechat_channels,omitempty"`
	ExternalAttr     []ExternalAttr `json:"external_attr,omitempty"`
}

// Channels is the Channels (视频号) account that a member shows.
type Channels struct {
	Nickname string `json:"nickname,omitempty"`
}

// CreateUserRequest is a new member. Mobile or Email is needed.
type CreateUserRequest struct {
	UserID         string   `json:"userid"` // 1 to 64 bytes: letters, digits and "_-@."
	Name           string   `json:"name"`
	Alias          string   `json:"alias,omitempty"`
	Mobile         string   `json:"mobile,omitempty"`
	Department     []int    `json:"department,omitempty"` // at most 100; one that does not exist is made
	Order          []int64  `json:"order,omitempty"`      // as long as Department
	Position       string   `json:"position,omitempty"`
	Gender         string   `json:"gender,omitempty"` // "1" male, "2" female
	Email          string   `json:"email,omitempty"`
	BizMail        string   `json:"biz_mail,omitempty"` // the address of the company's own mail
	Telephone      string   `json:"telephone,omitempty"`
	IsLeaderInDept []int    `json:"is_leader_in_dept,omitempty"` // 1 or 0, as long as Department
	DirectLeader   []string `json:"direct_leader,omitempty"`
	AvatarMediaID  string   `json:"avatar_mediaid,omitempty"`
	// Enable 0 makes a disabled member; nil is 1.
	Enable  *int     `json:"enable,omitempty"`
	ExtAttr *ExtAttr `json:"extattr,omitempty"`
	// ToInvite false sends no invitation; nil is true.
	ToInvite         *bool            `json:"to_invite,omitempty"`
	ExternalProfile  *ExternalProfile `json:"external_profile,omitempty"`
	ExternalPosition string           `json:"external_position,omitempty"`
	Address          string           `json:"address,omitempty"`
	MainDepartment   int              `json:"main_department,omitempty"`
}

// CreatedUser tells which departments were made for a new member.
type CreatedUser struct {
	CreatedDepartmentList struct {
		DepartmentInfo []struct {
			Name string `json:"name"`
			ID   int    `json:"id"`
		} `json:"department_info"`
	} `json:"created_department_list"`
}

var createUser = wechat.Endpoint[CreateUserRequest, CreatedUser]{
	Name: "CreateUser", Pattern: "POST /cgi-bin/user/create",
	Effect: wechat.EffectCreate,
	To:     func(r *CreateUserRequest) []string { return member(r.UserID) },
}

// CreateUser adds a member, with the secret of the contacts. After a reply that was lost, 60102 on a second try says
// that the first one worked. Calls that make members and departments should follow one another, not overlap. A company
// may make three times as many members a month as it has accounts.
//
// Errors: 60102 the userid exists, 60104 the mobile, 60106 the email; 60129 neither mobile nor email; 60123 a
// department is wrong; 60132 IsLeaderInDept is not as long as Department; 45024 there are no accounts left; 48009 the
// caller's address is too new for the secret of the contacts.
//
// Official page: https://developer.work.weixin.qq.com/document/path/90195
func (c *Client) CreateUser(ctx context.Context, r *CreateUserRequest) (*CreatedUser, error) {
	return createUser.Do(ctx, c.caller, r)
}

// UserID names a member in a query.
type UserID struct {
	UserID string `query:"userid"`
}

// UserStatus is the state of a member.
type UserStatus int

// The states of a member.
const (
	UserActive       UserStatus = 1
	UserDisabled     UserStatus = 2
	UserNotActivated UserStatus = 4
	UserLeft         UserStatus = 5
)

// User is a member. Apps that were made after June 2022 do not get avatar, gender, mobile, mail, QR code and address.
// Service providers get the userid in place of the name.
type User struct {
	UserID           string     `json:"userid"`
	Name             string     `json:"name"`
	Department       []int      `json:"department"`
	Order            []int64    `json:"order"` // in each Department; a larger one stands first
	Position         string     `json:"position"`
	Mobile           string     `json:"mobile"`
	Gender           string     `json:"gender"` // "1" male, "2" female, "0" not told
	Email            string     `json:"email"`
	BizMail          string     `json:"biz_mail"`
	IsLeaderInDept   []int      `json:"is_leader_in_dept"` // 1 or 0 for each Department
	DirectLeader     []string   `json:"direct_leader"`
	Avatar           string     `json:"avatar"`
	ThumbAvatar      string     `json:"thumb_avatar"`
	Telephone        string     `json:"telephone"`
	Alias            string     `json:"alias"`
	Address          string     `json:"address"`
	OpenUserID       string     `json:"open_userid"` // for service providers
	MainDepartment   int        `json:"main_department"`
	ExtAttr          ExtAttr    `json:"extattr"`
	Status           UserStatus `json:"status"`
	QRCode           string     `json:"qr_code"` // where customers can add the member
	ExternalPosition string     `json:"external_position"`
	ExternalProfile  struct {
		ExternalCorpName string `json:"external_corp_name"`
		WechatChannels   struct {
			Nickname string `json:"nickname"`
			Status   int    `json:"status"` // 0 cannot be shown, 1 can
		} `json:"wechat_channels"`
		ExternalAttr []ExternalAttr `json:"external_attr"`
	} `json:"external_profile"`
}

var getUser = wechat.Endpoint[UserID, User]{
	Name: "GetUser", Pattern: "GET /cgi-bin/user/get",
	Effect: wechat.EffectRead,
}

// GetUser reads one member. Errors: 60111 there is none of that id, 60011 the app may not see it.
//
// Official page: https://developer.work.weixin.qq.com/document/path/90196
func (c *Client) GetUser(ctx context.Context, r *UserID) (*User, error) {
	return getUser.Do(ctx, c.caller, r)
}

// UpdateUserRequest changes a member. What is nil stays; an empty text clears.
type UpdateUserRequest struct {
	UserID           string           `json:"userid"`
	NewUserID        string           `json:"new_userid,omitempty"` // once, and only for ids that the server has made
	Name             *string          `json:"name,omitempty"`
	Alias            *string          `json:"alias,omitempty"`
	Mobile           *string          `json:"mobile,omitempty"`     // does nothing once the member has signed in
	Department       []int            `json:"department,omitempty"` // at most 100
	Order            []int64          `json:"order,omitempty"`      // as long as Department
	Position         *string          `json:"position,omitempty"`
	Gender           *string          `json:"gender,omitempty"` // "1" male, "2" female
	Email            *string          `json:"email,omitempty"`
	BizMail          *string          `json:"biz_mail,omitempty"`
	BizMailAlias     *BizMailAlias    `json:"biz_mail_alias,omitempty"`
	Telephone        *string          `json:"telephone,omitempty"`
	IsLeaderInDept   []int            `json:"is_leader_in_dept,omitempty"` // 1 or 0, as long as Department
	DirectLeader     []string         `json:"direct_leader,omitempty"`
	AvatarMediaID    *string          `json:"avatar_mediaid,omitempty"`
	Enable           *int             `json:"enable,omitempty"` // 1, or 0 to disable
	ExtAttr          *ExtAttr         `json:"extattr,omitempty"`
	ExternalProfile  *ExternalProfile `json:"external_profile,omitempty"`
	ExternalPosition *string          `json:"external_position,omitempty"`
	Address          *string          `json:"address,omitempty"`
	MainDepartment   int              `json:"main_department,omitempty"`
}

// BizMailAlias has further addresses of a member in the company's own mail, at most 5. They take the place of those
// before; an empty one clears them.
type BizMailAlias struct {
	Item []string `json:"item,omitempty"`
}

var updateUser = wechat.Endpoint[UpdateUserRequest, wechat.None]{
	Name: "UpdateUser", Pattern: "POST /cgi-bin/user/update",
	Effect: wechat.EffectSet,
	To:     func(r *UpdateUserRequest) []string { return member(r.UserID) },
}

// UpdateUser changes a member, with the secret of the contacts. It is not all or nothing: fields of mail may have been
// changed when others failed, and the other way round.
//
// Errors: 60111 there is none of that id, 60104 the mobile exists, 60106 the email, 60270 the alias; 60144 the mail
// address may not change, 301036 the userid may not.
//
// Official page: https://developer.work.weixin.qq.com/document/path/90197
func (c *Client) UpdateUser(ctx context.Context, r *UpdateUserRequest) error {
	return updateUser.Exec(ctx, c.caller, r)
}

var deleteUser = wechat.Endpoint[UserID, wechat.None]{
	Name: "DeleteUser", Pattern: "GET /cgi-bin/user/delete",
	Effect: wechat.EffectSet,
	To:     func(r *UserID) []string { return member(r.UserID) },
}

// DeleteUser removes a member, and the member's mailbox with it. After a reply that was lost, 60111 on a second try says
// that the first one worked. Error 301005: the creator of the company stays.
//
// Official page: https://developer.work.weixin.qq.com/document/path/90198
func (c *Client) DeleteUser(ctx context.Context, r *UserID) error {
	return deleteUser.Exec(ctx, c.caller, r)
}

// BatchDeleteUsersRequest names members to remove.
type BatchDeleteUsersRequest struct {
	UserIDList []string `json:"useridlist"` // at most 200
}

var batchDeleteUsers = wechat.Endpoint[BatchDeleteUsersRequest, wechat.None]{
	Name: "BatchDeleteUsers", Pattern: "POST /cgi-bin/user/batchdelete",
	Effect: wechat.EffectSet,
	To:     func(r *BatchDeleteUsersRequest) []string { return names("", r.UserIDList) },
}

// BatchDeleteUsers removes up to 200 members. One userid that does not exist makes the whole call fail (60111).
//
// Official page: https://developer.work.weixin.qq.com/document/path/90199
func (c *Client) BatchDeleteUsers(ctx context.Context, r *BatchDeleteUsersRequest) error {
	return batchDeleteUsers.Exec(ctx, c.caller, r)
}

// DepartmentMembers names a department whose members are wanted.
type DepartmentMembers struct {
	DepartmentID int `query:"department_id"`
	FetchChild   int `query:"fetch_child,omitempty"` // 1: those of the departments below too; no longer documented
}

// SimpleUsers are members in the short form.
type SimpleUsers struct {
	UserList []SimpleUser `json:"userlist"`
}

// SimpleUser is a member in the short form.
type SimpleUser struct {
	UserID     string `json:"userid"`
	Name       string `json:"name"`
	Department []int  `json:"department"`
	OpenUserID string `json:"open_userid"` // for service providers
}

var listSimpleUsers = wechat.Endpoint[DepartmentMembers, SimpleUsers]{
	Name: "ListSimpleUsers", Pattern: "GET /cgi-bin/user/simplelist",
	Effect: wechat.EffectRead,
}

// ListSimpleUsers lists the members of a department in the short form, all at once. Errors: 60003 there is no such
// department, 60011 the app may not see it, 48009 the caller's address is too new for the secret of the contacts.
//
// Official page: https://developer.work.weixin.qq.com/document/path/90200
func (c *Client) ListSimpleUsers(ctx context.Context, r *DepartmentMembers) (*SimpleUsers, error) {
	return listSimpleUsers.Do(ctx, c.caller, r)
}

// Users are members with all that is known of them.
type Users struct {
	UserList []ListedUser `json:"userlist"`
}

// ListedUser is a member of a list.
type ListedUser struct {
	User
	EnglishName string `json:"english_name"`
}

var listUsers = wechat.Endpoint[DepartmentMembers, Users]{
	Name: "ListUsers", Pattern: "GET /cgi-bin/user/list",
	Effect: wechat.EffectRead,
}

// ListUsers lists the members of a department with all that the app may see of them, all at once: a large department
// is refused with 45029. ListUserIDs has pages.
//
// Official page: https://developer.work.weixin.qq.com/document/path/90201
func (c *Client) ListUsers(ctx context.Context, r *DepartmentMembers) (*Users, error) {
	return listUsers.Do(ctx, c.caller, r)
}

// ListUserIDsRequest asks for a page of userids.
type ListUserIDsRequest struct {
	Cursor string `json:"cursor,omitempty"` // NextCursor of the page before
	Limit  int    `json:"limit,omitempty"`  // at most 10000, the default
}

// UserIDPage is a page of userids.
type UserIDPage struct {
	NextCursor string           `json:"next_cursor"` // empty: it was the last page
	DeptUser   []DepartmentUser `json:"dept_user"`
}

// DepartmentUser says that a member belongs to a department. A member of two stands twice.
type DepartmentUser struct {
	UserID     string `json:"userid"`
	Department int    `json:"department"`
	OpenUserID string `json:"open_userid"` // in place of UserID for service providers
}

var listUserIDs = wechat.Endpoint[ListUserIDsRequest, UserIDPage]{
	Name: "ListUserIDs", Pattern: "POST /cgi-bin/user/list_id",
	Effect: wechat.EffectRead,
}

// ListUserIDs lists the userids of the whole company by department, a page at a time, with the secret of the contacts.
//
// Official page: https://developer.work.weixin.qq.com/document/path/96067
func (c *Client) ListUserIDs(ctx context.Context, r *ListUserIDsRequest) (*UserIDPage, error) {
	return listUserIDs.Do(ctx, c.caller, r)
}

// AllUserIDs walks the userids of the whole company by department.
func (c *Client) AllUserIDs(ctx context.Context) iter.Seq2[DepartmentUser, error] {
	return wechat.Cursors(ctx, func(ctx context.Context, cursor string) ([]DepartmentUser, string, error) {
		page, err := c.ListUserIDs(ctx, &ListUserIDsRequest{Cursor: cursor})
		if err != nil {
			return nil, "", err
		}
		return page.DeptUser, page.NextCursor, nil
	})
}

// OpenIDRequest names a member whose openid is wanted.
type OpenIDRequest struct {
	UserID string `json:"userid"`
}

// OpenID is a member's openid.
type OpenID struct {
	OpenID string `json:"openid"`
}

var convertUserIDToOpenID = wechat.Endpoint[OpenIDRequest, OpenID]{
	Name: "ConvertUserIDToOpenID", Pattern: "POST /cgi-bin/user/convert_to_openid",
	Effect: wechat.EffectRead,
}

// ConvertUserIDToOpenID turns a userid into the openid that WeChat Pay uses. It works for members who sign in with
// WeChat, or follow the plug-in there; 43004 for the others.
//
// Official page: https://developer.work.weixin.qq.com/document/path/90202
func (c *Client) ConvertUserIDToOpenID(ctx context.Context, r *OpenIDRequest) (*OpenID, error) {
	return convertUserIDToOpenID.Do(ctx, c.caller, r)
}

// FoundUserID is the userid of a member who was looked for.
type FoundUserID struct {
	UserID string `json:"userid"`
}

var convertOpenIDToUserID = wechat.Endpoint[OpenID, FoundUserID]{
	Name: "ConvertOpenIDToUserID", Pattern: "POST /cgi-bin/user/convert_to_userid",
	Effect: wechat.EffectRead,
}

// ConvertOpenIDToUserID turns an openid of ConvertUserIDToOpenID back into the userid.
//
// Official page: https://developer.work.weixin.qq.com/document/path/90202
func (c *Client) ConvertOpenIDToUserID(ctx context.Context, r *OpenID) (*FoundUserID, error) {
	return convertOpenIDToUserID.Do(ctx, c.caller, r)
}

var confirmUserAuth = wechat.Endpoint[UserID, wechat.None]{
	Name: "ConfirmUserAuth", Pattern: "GET /cgi-bin/user/authsucc",
	Effect: wechat.EffectSet,
	To:     func(r *UserID) []string { return member(r.UserID) },
}

// ConfirmUserAuth lets a member join who has passed the company's second verification, with the secret of the contacts.
//
// Official page: https://developer.work.weixin.qq.com/document/path/90203
func (c *Client) ConfirmUserAuth(ctx context.Context, r *UserID) error {
	return confirmUserAuth.Exec(ctx, c.caller, r)
}

// Invitation names members, departments and tags to invite; at least one of them.
type Invitation struct {
	User  []string `json:"user,omitempty"`  // at most 1000
	Party []int    `json:"party,omitempty"` // at most 100
	Tag   []int    `json:"tag,omitempty"`   // at most 100
}

// InvitationReceipt names whom an invitation did not reach.
type InvitationReceipt struct {
	InvalidUser  []string `json:"invaliduser"`
	InvalidParty []int    `json:"invalidparty"`
	InvalidTag   []int    `json:"invalidtag"`
}

var inviteMembers = wechat.Endpoint[Invitation, InvitationReceipt]{
	Name: "InviteMembers", Pattern: "POST /cgi-bin/batch/invite",
	Effect: wechat.EffectSend,
	To: func(r *Invitation) []string {
		return slices.Concat(names("", r.User), names(party, r.Party), names(tag, r.Tag))
	},
	Partial: func(r *InvitationReceipt) []string {
		return slices.Concat(r.InvalidUser, names(party, r.InvalidParty), names(tag, r.InvalidTag))
	},
}

// InviteMembers invites members to the company, by message or mail. Whom it does not reach stands in a reply without an
// error. How often it comes is decided later: an invitation that was accepted may not be delivered.
//
// Official page: https://developer.work.weixin.qq.com/document/path/90975
func (c *Client) InviteMembers(ctx context.Context, r *Invitation) (*InvitationReceipt, error) {
	return inviteMembers.Do(ctx, c.caller, r)
}

// JoinQRCodeRequest asks for a QR code.
type JoinQRCodeRequest struct {
	SizeType int `query:"size_type,omitempty"` // 1 to 4: 171, 399, 741, 2052 pixels
}

// JoinQRCode is a QR code that lets people join the company.
type JoinQRCode struct {
	JoinQRCode string `json:"join_qrcode"` // its URL, for seven days
}

var getJoinQRCode = wechat.Endpoint[JoinQRCodeRequest, JoinQRCode]{
	Name: "GetJoinQRCode", Pattern: "GET /cgi-bin/corp/get_join_qrcode",
	Effect: wechat.EffectRead,
}

// GetJoinQRCode returns the URL of a QR code that lets people join the company, with the secret of the contacts.
//
// Official page: https://developer.work.weixin.qq.com/document/path/91714
func (c *Client) GetJoinQRCode(ctx context.Context, r *JoinQRCodeRequest) (*JoinQRCode, error) {
	return getJoinQRCode.Do(ctx, c.caller, r)
}

// MobileRequest looks for a member by mobile.
type MobileRequest struct {
	Mobile string `json:"mobile"`
}

var getUserIDByMobile = wechat.Endpoint[MobileRequest, FoundUserID]{
	Name: "GetUserIDByMobile", Pattern: "POST /cgi-bin/user/getuserid",
	Effect: wechat.EffectRead,
}

// GetUserIDByMobile finds a userid by mobile. Do not try numbers: when those that are not found (46004, 60146) come to a
// fifth of the company's accounts, the call is barred for a day.
//
// Official page: https://developer.work.weixin.qq.com/document/path/95402
func (c *Client) GetUserIDByMobile(ctx context.Context, r *MobileRequest) (*FoundUserID, error) {
	return getUserIDByMobile.Do(ctx, c.caller, r)
}

// EmailType is whose mail an address is of.
type EmailType int

// The types of addresses.
const (
	EmailCorp     EmailType = 1 // the company's own, the default
	EmailPersonal EmailType = 2
)

// EmailRequest looks for a member by mail address.
type EmailRequest struct {
	Email     string    `json:"email"`
	EmailType EmailType `json:"email_type,omitempty"`
}

var getUserIDByEmail = wechat.Endpoint[EmailRequest, FoundUserID]{
	Name: "GetUserIDByEmail", Pattern: "POST /cgi-bin/user/get_userid_by_email",
	Effect: wechat.EffectRead,
}

// GetUserIDByEmail finds a userid by mail address. Do not try addresses: when those that are not found (60147, 60148)
// come to a fifth of the company's accounts, the call is barred for a day.
//
// Official page: https://developer.work.weixin.qq.com/document/path/95895
func (c *Client) GetUserIDByEmail(ctx context.Context, r *EmailRequest) (*FoundUserID, error) {
	return getUserIDByEmail.Do(ctx, c.caller, r)
}

// ActiveStatRequest names a day.
type ActiveStatRequest struct {
	Date string `json:"date"` // "2006-01-02", within the last 30 days
}

// ActiveStat counts members.
type ActiveStat struct {
	ActiveCnt int `json:"active_cnt"`
}

var getActiveStat = wechat.Endpoint[ActiveStatRequest, ActiveStat]{
	Name: "GetActiveStat", Pattern: "POST /cgi-bin/user/get_active_stat",
	Effect: wechat.EffectRead,
}

// GetActiveStat counts the members who used WeCom on a day, with the secret of the contacts.
func (c *Client) GetActiveStat(ctx context.Context, r *ActiveStatRequest) (*ActiveStat, error) {
	return getActiveStat.Do(ctx, c.caller, r)
}
