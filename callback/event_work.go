package callback

// Events of WeCom (企业微信) that are not about its members and contacts.

// EnterAgent says that a member opened the app.
type EnterAgent struct {
	Header
	EventKey string
}

// BatchJobResult says that a job on the members and departments has ended.
type BatchJobResult struct {
	Header
	BatchJob BatchJob
}

// BatchJob is the job.
type BatchJob struct {
	JobID   string `wx:"JobId"`
	JobType string // sync_user, replace_user, invite_user, replace_party
	ErrCode int64
	ErrMsg  string
}

// TemplateCardEvent says that something on a card was clicked.
type TemplateCardEvent struct {
	Header
	EventKey      string
	TaskID        string `wx:"TaskId"`
	CardType      string
	ResponseCode  string         // updates the card, once, within 72 hours
	SelectedItems []SelectedItem `wx:"SelectedItems>SelectedItem"`
}

// SelectedItem is a question and its answers.
type SelectedItem struct {
	QuestionKey string
	OptionIDs   []string `wx:"OptionIds>OptionId"`
}

// TemplateCardMenuEvent says that an item of a card's menu was clicked.
type TemplateCardMenuEvent struct {
	Header
	EventKey     string
	TaskID       string `wx:"TaskId"`
	CardType     string
	ResponseCode string // updates the card, once, within 72 hours
}

// TaskCardClick says that a button of a task card was clicked.
type TaskCardClick struct {
	Header
	EventKey string
	TaskID   string `wx:"TaskId"`
}

// OpenApprovalChange says that an approval that the app began has moved on.
type OpenApprovalChange struct {
	Header
	ApprovalInfo OpenApproval
}

// OpenApproval is such an approval.
type OpenApproval struct {
	ThirdNo        string
	OpenSpName     string
	OpenTemplateID string `wx:"OpenTemplateId"`
	OpenSpStatus   int64  // 1 in progress, 2 passed, 3 refused, 4 taken back
	ApplyTime      int64
	ApplyUserName  string
	ApplyUserID    string `wx:"ApplyUserId"`
	ApplyUserParty string
	ApplyUserImage string
	ApprovalNodes  []ApprovalNode `wx:"ApprovalNodes>ApprovalNode"`
	NotifyNodes    []ApprovalUser `wx:"NotifyNodes>NotifyNode"`
	ApproverStep   int64          `wx:"approverstep"` // the node that is next, from 0
}

// ApprovalNode is a step of an approval.
type ApprovalNode struct {
	NodeStatus int64
	NodeAttr   int64 // 1 one of them, 2 all of them
	NodeType   int64
	Items      []ApprovalUser `wx:"Items>Item"`
}

// ApprovalUser is who approves or is told.
type ApprovalUser struct {
	ItemName   string
	ItemUserID string `wx:"ItemUserId"`
	ItemParty  string
	ItemImage  string
	ItemStatus int64
	ItemSpeech string
	ItemOpTime int64
}

// SysApprovalChange says that an approval of WeCom's own has moved on.
type SysApprovalChange struct {
	Header
	ApprovalInfo SysApproval
}

// SysApproval is such an approval.
type SysApproval struct {
	SpNo             string
	SpNoStr          string
	SpName           string
	SpStatus         int64  // 1 in progress, 2 passed, 3 refused, 4 taken back, 6 taken back after it passed, 7 deleted, 10 paid
	TemplateID       string `wx:"TemplateId"`
	ApplyTime        int64
	Applyer          ApprovalPerson
	SpRecord         []ApprovalRecord
	Notifyer         []ApprovalPerson
	Comments         []ApprovalComment
	StatuChangeEvent int64 // 1 begun, 2 passed, 3 refused, 4 passed on, 5 urged, 6 taken back, 8 taken back after it passed, 10 commented
}

// ApprovalPerson is a member.
type ApprovalPerson struct {
	UserID string `wx:"UserId"`
	Party  string
}

// ApprovalRecord is a step of an approval.
type ApprovalRecord struct {
	SpStatus     int64
	ApproverAttr int64 // 1 one of them, 2 all of them
	Details      []ApprovalDetail
}

// ApprovalDetail is what one of those who approve has done.
type ApprovalDetail struct {
	Approver ApprovalPerson
	Speech   string
	SpStatus int64
	SpTime   int64
	MediaID  []string `wx:"MediaId"`
}

// ApprovalComment is a comment.
type ApprovalComment struct {
	CommentUserInfo ApprovalPerson
	CommentTime     int64
	CommentContent  string
	CommentID       string `wx:"CommentId"`
}

// KfMsgOrEvent says that customer service has messages; they are read with kf/sync_msg.
type KfMsgOrEvent struct {
	Header
	Token    string // for sync_msg, ten minutes long
	OpenKfID string `wx:"OpenKfId"`
}

// KfAccountAuthChange says which accounts of customer service the app may handle.
type KfAccountAuthChange struct {
	Header
	AuthAddOpenKfID []string `wx:"AuthAddOpenKfId"`
	AuthDelOpenKfID []string `wx:"AuthDelOpenKfId"`
}

// LivingStatusChange says that a live stream began, ended or was dropped.
type LivingStatusChange struct {
	Header
	LivingID string `wx:"LivingId"`
	Status   int64  // 0 reserved, 1 live, 2 ended, 4 expired, 5 cancelled
}

// MsgAuditNotify says that the archive of conversations has something new.
type MsgAuditNotify struct{ Header }

// ShareChange says that what is shared with other companies changed: share_agent_change, share_chain_change.
type ShareChange struct {
	Header
	CorpID []string `wx:"CorpId"`
	AppID  int64    `wx:"AppId"`
}

// CalendarChange says that a calendar was changed or deleted: modify_calendar, delete_calendar.
type CalendarChange struct {
	Header
	CalID string `wx:"CalId"`
}

// ScheduleChange says that an entry of a calendar was added, changed or deleted: add_schedule, modify_schedule,
// delete_schedule.
type ScheduleChange struct {
	Header
	CalID      string `wx:"CalId"`
	ScheduleID string `wx:"ScheduleId"`
}

// DocChange tells of a document, smart sheet or form; ChangeType says what. Header.Decode reads the rest.
type DocChange struct {
	Header
	DocID  string `wx:"DocId"`
	FormID string `wx:"FormId"`
}

// MeetingChange tells of a meeting; ChangeType says what. Header.Decode reads the rest.
type MeetingChange struct {
	Header
	MeetingID string `wx:"MeetingId"`
}

// CustomerAcquisition tells of links that win customers. ChangeType: balance_low, balance_exhausted, link_unavailable,
// customer_start_chat, delete_link, open_profile, friend_request.
type CustomerAcquisition struct {
	Header
	LinkID         string `wx:"LinkId"`
	State          string
	UserID         string
	ExternalUserID string
	ExpireTime     int64
}

func workKinds() []kind {
	return []kind{
		of[EnterAgent]("event/enter_agent"),
		of[BatchJobResult]("event/batch_job_result"),
		of[TemplateCardEvent]("event/template_card_event"),
		of[TemplateCardMenuEvent]("event/template_card_menu_event"),
		of[TaskCardClick]("event/taskcard_click"),
		of[OpenApprovalChange]("event/open_approval_change"),
		of[SysApprovalChange]("event/sys_approval_change"),
		of[KfMsgOrEvent]("event/kf_msg_or_event"),
		of[KfAccountAuthChange]("event/kf_account_auth_change"),
		of[LivingStatusChange]("event/living_status_change"),
		of[MsgAuditNotify]("event/msgaudit_notify"),
		of[ShareChange]("event/share_agent_change", "event/share_chain_change"),
		of[CalendarChange]("event/modify_calendar", "event/delete_calendar"),
		of[ScheduleChange]("event/add_schedule", "event/modify_schedule", "event/delete_schedule"),
		of[DocChange]("event/doc_change", "event/smart_sheet_change"),
		of[MeetingChange]("event/meeting_change"),
		of[CustomerAcquisition]("event/customer_acquisition"),
	}
}
