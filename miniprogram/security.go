package miniprogram

import (
	"context"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/ratelimit"
)

// CheckScene is where a text or file is to be shown.
type CheckScene int

// The scenes of content checks.
const (
	SceneProfile CheckScene = 1
	SceneComment CheckScene = 2
	SceneForum   CheckScene = 3
	SceneSocial  CheckScene = 4 // social log
)

// Suggestion is what to do with content that was checked.
type Suggestion string

// The suggestions.
const (
	SuggestPass   Suggestion = "pass"
	SuggestReview Suggestion = "review" // a person should look at it
	SuggestRisky  Suggestion = "risky"
)

// ContentLabel is what content was found to be.
type ContentLabel int

// The labels.
const (
	LabelNormal    ContentLabel = 100
	LabelAdvert    ContentLabel = 10001
	LabelPolitics  ContentLabel = 20001
	LabelPorn      ContentLabel = 20002
	LabelAbuse     ContentLabel = 20003
	LabelCrime     ContentLabel = 20006
	LabelFraud     ContentLabel = 20008
	LabelVulgar    ContentLabel = 20012
	LabelCopyright ContentLabel = 20013
	LabelOther     ContentLabel = 21000
)

// contentVersion is the current generation of the content checks; the one before has had no update since 2021.
const contentVersion = "2"

// TextCheckRequest is a text to check.
type TextCheckRequest struct {
	Content   string     `json:"content"` // at most 2,500 characters
	Scene     CheckScene `json:"scene"`
	OpenID    string     `json:"openid"` // the author, who has used the mini program within two hours
	Title     string     `json:"title,omitempty"`
	Nickname  string     `json:"nickname,omitempty"`
	Signature string     `json:"signature,omitempty"` // the author's own line, only with SceneProfile
}

// TextCheck is the verdict on a text.
type TextCheck struct {
	Detail  []TextCheckDetail `json:"detail"`
	TraceID string            `json:"trace_id"`
	Result  struct {
		Suggest Suggestion   `json:"suggest"`
		Label   ContentLabel `json:"label"`
	} `json:"result"`
}

// TextCheckDetail is what one of the checks found.
type TextCheckDetail struct {
	Strategy string       `json:"strategy"`
	ErrCode  int          `json:"errcode"` // not 0: the rest does not count
	Suggest  Suggestion   `json:"suggest"`
	Label    ContentLabel `json:"label"`
	Keyword  string       `json:"keyword"` // of the account's own list
	Prob     int          `json:"prob"`    // 0 to 100: how sure Label is
	Level    int          `json:"level"`
}

var checkText = wechat.Endpoint[TextCheckRequest, TextCheck]{
	Name: "CheckText", Pattern: "POST /wxa/msg_sec_check",
	Effect: wechat.EffectRead,
	Limits: []ratelimit.Limit{ratelimit.PerMinute(4_000)},
	Const:  map[string]string{"version": contentVersion},
}

// CheckText checks a text for what must not be published. A text that is bad is no error: Result.Suggest has the
// verdict. At most 4,000 calls a minute and 2,000,000 a day. Errors: 61010 the user was not seen for two hours, 40003
// and 43104 the openid is not of this mini program.
//
// Official page: https://developers.weixin.qq.com/miniprogram/dev/server/API/sec-center/sec-check/api_msgseccheck
func (c *Client) CheckText(ctx context.Context, r *TextCheckRequest) (*TextCheck, error) {
	return checkText.Do(ctx, c.caller, r)
}

// CheckMediaType is the kind of a file to check.
type CheckMediaType int

// The kinds of files.
const (
	CheckAudio   CheckMediaType = 1 // mp3, aac, ac3, wma, flac, vorbis, opus, wav
	CheckPicture CheckMediaType = 2 // jpg, jpeg, png, bmp, gif (its first frame)
)

// MediaCheckRequest is a file to check.
type MediaCheckRequest struct {
	MediaURL  string         `json:"media_url"` // where the platform can fetch it; at most 10 MB
	MediaType CheckMediaType `json:"media_type"`
	Scene     CheckScene     `json:"scene"`
	OpenID    string         `json:"openid"` // the author, who has used the mini program within two hours
}

// MediaCheck says that a check has begun.
type MediaCheck struct {
	TraceID string `json:"trace_id"` // stands in the event with the verdict
}

var checkMediaAsync = wechat.Endpoint[MediaCheckRequest, MediaCheck]{
	Name: "CheckMediaAsync", Pattern: "POST /wxa/media_check_async",
	Effect: wechat.EffectCreate,
	Limits: []ratelimit.Limit{ratelimit.PerMinute(2_000)},
	Const:  map[string]string{"version": contentVersion},
}

// CheckMediaAsync has a picture or sound checked. The verdict comes within 30 minutes as the event wxa_media_check with
// the same TraceID; -1008 in it says that the file could not be fetched. At most 2,000 calls a minute and 200,000 a day.
// Errors: 87020 the same file again too soon, 61010 the user was not seen for two hours.
//
// Official page: https://developers.weixin.qq.com/miniprogram/dev/server/API/sec-center/sec-check/api_mediacheckasync
func (c *Client) CheckMediaAsync(ctx context.Context, r *MediaCheckRequest) (*MediaCheck, error) {
	return checkMediaAsync.Do(ctx, c.caller, r)
}

// ImageCheckRequest is a picture to check.
type ImageCheckRequest struct {
	Media wechat.File `form:"media"` // at most 1 MB and 750 x 1334 pixels
}

var checkImage = wechat.Endpoint[ImageCheckRequest, wechat.None]{
	Name: "CheckImage", Pattern: "POST /wxa/img_sec_check",
	Effect: wechat.EffectRead,
}

// CheckImage checks one picture at once. The verdict is the error: none is fine, 87014 is prohibited content
// (wechat.ErrContent). It is of the generation before, without updates since 2021 and no longer documented;
// CheckMediaAsync has taken its place.
func (c *Client) CheckImage(ctx context.Context, r *ImageCheckRequest) error {
	return checkImage.Exec(ctx, c.caller, r)
}

// RiskScene is what a user is about to do.
type RiskScene int

// The scenes of GetUserRiskRank.
const (
	RiskSignUp    RiskScene = 0
	RiskMarketing RiskScene = 1
	RiskContent   RiskScene = 2 // content by users
)

// UserRiskRequest asks how risky a user is. What is not required makes the answer better.
type UserRiskRequest struct {
	OpenID       string    `json:"openid"` // a user who was seen within two hours
	Scene        RiskScene `json:"scene"`
	MobileNo     string    `json:"mobile_no,omitempty"`
	BankCardNo   string    `json:"bank_card_no,omitempty"`
	CertNo       string    `json:"cert_no,omitempty"`
	ClientIP     string    `json:"client_ip"` // of the user
	EmailAddress string    `json:"email_address,omitempty"`
	ExtendedInfo string    `json:"extended_info,omitempty"`
	IsTest       bool      `json:"is_test,omitempty"` // does not count and is not charged
}

// UserRisk is how risky a user is.
type UserRisk struct {
	RiskRank int   `json:"risk_rank"` // 0 unknown, 1 low, to 4 highest
	QueryID  int64 `json:"unoin_id"`  // names this query, not the user; so spelled by the server
}

var getUserRiskRank = wechat.Endpoint[UserRiskRequest, UserRisk]{
	Name: "GetUserRiskRank", Pattern: "POST /wxa/getuserriskrank",
	Effect: wechat.EffectRead,
	Const:  map[string]string{"appid": wechat.ConstAppID},
}

// GetUserRiskRank tells how risky a user is, from 0 to 4. Errors: 61010 the user was not seen for two hours, 43104 the
// openid is not of this mini program, 9410009 the test calls are used up.
//
// Official page: https://developers.weixin.qq.com/miniprogram/dev/OpenApiDoc/sec-center/safety-control-capability/getUserRiskRank.html
func (c *Client) GetUserRiskRank(ctx context.Context, r *UserRiskRequest) (*UserRisk, error) {
	return getUserRiskRank.Do(ctx, c.caller, r)
}
