package callback

// Changes of WeCom's members, external contacts and school contacts. Suites receive the same with an InfoType.

// UserChange says that a member was added or changed: create_user, update_user. Of a change only the fields that
// changed are filled in.
type UserChange struct {
	Header
	UserID         string
	NewUserID      string // where the id was changed
	Name           string
	Department     []int64 `wx:"Department,comma"`
	MainDepartment int64
	IsLeaderInDept []int64  `wx:"IsLeaderInDept,comma"`
	DirectLeader   []string `wx:"DirectLeader,comma"`
	Position       string
	Mobile         string
	Gender         int64 // 1 male, 2 female
	Email          string
	BizMail        string
	Status         int64 // 1 active, 2 disabled, 4 not activated, 5 left
	Avatar         string
	Alias          string
	Telephone      string
	Address        string
	ExtAttr        []ExtAttr `wx:"ExtAttr>Item"`
}

// ExtAttr is a field that a company added.
type ExtAttr struct {
	Name string
	Type int64 // 0 text, 1 web page
	Text ExtText
	Web  ExtWeb
}

// ExtText is a field with a text.
type ExtText struct{ Value string }

// ExtWeb is a field with a page.
type ExtWeb struct {
	Title string
	URL   string `wx:"Url"`
}

// DeleteUser says that a member was deleted.
type DeleteUser struct {
	Header
	UserID string
}

// PartyChange says that a department was added, changed or deleted: create_party, update_party, delete_party.
type PartyChange struct {
	Header
	ID       int64 `wx:"Id"`
	Name     string
	ParentID int64 `wx:"ParentId"`
	Order    int64
}

// TagChange says that the members of a tag changed: update_tag.
type TagChange struct {
	Header
	TagID         int64    `wx:"TagId"`
	AddUserItems  []string `wx:"AddUserItems,comma"`
	DelUserItems  []string `wx:"DelUserItems,comma"`
	AddPartyItems []int64  `wx:"AddPartyItems,comma"`
	DelPartyItems []int64  `wx:"DelPartyItems,comma"`
}

// AddExternalContact says that a member has a new customer: add_external_contact, add_half_external_contact.
type AddExternalContact struct {
	Header
	UserID         string
	ExternalUserID string
	State          string
	WelcomeCode    string // for one welcome message, within 20 seconds
}

// EditExternalContact says that a member changed what is noted of a customer.
type EditExternalContact struct {
	Header
	UserID         string
	ExternalUserID string
}

// DelExternalContact says that a member deleted a customer.
type DelExternalContact struct {
	Header
	UserID         string
	ExternalUserID string
	Source         string // DELETE_BY_TRANSFER: the customer went to another member
}

// DelFollowUser says that a customer deleted a member.
type DelFollowUser struct {
	Header
	UserID         string
	ExternalUserID string
}

// TransferFail says that a customer did not go to another member.
type TransferFail struct {
	Header
	UserID         string
	ExternalUserID string
	FailReason     string // customer_refused, customer_limit_exceed
}

// MsgAuditApproved says that a customer agreed to the archive of conversations.
type MsgAuditApproved struct {
	Header
	UserID         string
	ExternalUserID string
	WelcomeCode    string // for one welcome message, within 20 seconds
}

// ExternalChatChange says that a group with customers was made, changed or ended: create, update, dismiss.
type ExternalChatChange struct {
	Header
	ChatID        string `wx:"ChatId"`
	UpdateDetail  string // add_member, del_member, change_owner, change_name, change_notice
	JoinScene     int64
	QuitScene     int64
	MemChangeCnt  int64
	MemChangeList []string `wx:"MemChangeList>Item"`
	LastMemVer    string
	CurMemVer     string
}

// ExternalTagChange says that tags for customers were made, changed, deleted or put in another order: create, update,
// delete, shuffle.
type ExternalTagChange struct {
	Header
	ID         string `wx:"Id"`
	TagType    string // tag, tag_group
	StrategyID int64  `wx:"StrategyId"`
}

// ChangeSchoolContact says that students, parents or classes changed. ChangeType: create_student, update_student,
// delete_student, create_parent, update_parent, delete_parent, subscribe, unsubscribe, create_department,
// update_department, delete_department.
type ChangeSchoolContact struct {
	Header
	ID         string `wx:"Id"`
	ActionTime int64
}

func contactKinds() []kind {
	const contact, external, chat, tag = "event/change_contact/", "event/change_external_contact/", "event/change_external_chat/", "event/change_external_tag/"
	return []kind{
		of[UserChange](contact+"create_user", contact+"update_user"),
		of[DeleteUser](contact + "delete_user"),
		of[PartyChange](contact+"create_party", contact+"update_party", contact+"delete_party"),
		of[TagChange](contact + "update_tag"),
		of[AddExternalContact](external+"add_external_contact", external+"add_half_external_contact"),
		of[EditExternalContact](external + "edit_external_contact"),
		of[DelExternalContact](external + "del_external_contact"),
		of[DelFollowUser](external + "del_follow_user"),
		of[TransferFail](external + "transfer_fail"),
		of[MsgAuditApproved](external + "msg_audit_approved"),
		of[ExternalChatChange](chat+"create", chat+"update", chat+"dismiss"),
		of[ExternalTagChange](tag+"create", tag+"update", tag+"delete", tag+"shuffle"),
		of[ChangeSchoolContact]("event/change_school_contact"),
	}
}
