package officialaccount

import (
	"context"
	"iter"

	"github.com/seed175cf469/wechat"
)

// UserActionSetType is where the actions of a data source happen.
type UserActionSetType string

// UserActionSetWeb is the only one known.
const UserActionSetWeb UserActionSetType = "WEB"

// CreateUserActionSetRequest is a data source of conversions.
type CreateUserActionSetRequest struct {
	Type        UserActionSetType `json:"type"`
	Name        string            `json:"name,omitempty"`
	Description string            `json:"description,omitempty"` // at most 128 bytes
}

// CreateUserActionSetReply names the data source.
type CreateUserActionSetReply struct {
	Data struct {
		UserActionSetID int64 `json:"user_action_set_id"`
	} `json:"data"`
}

// marketingVersion is that of the advertising API.
const marketingVersion = "v1.0"

var createUserActionSet = wechat.Endpoint[CreateUserActionSetRequest, CreateUserActionSetReply]{
	Name: "CreateUserActionSet", Pattern: "POST /marketing/user_action_sets/add",
	Effect: wechat.EffectCreate,
	Const:  map[string]string{"?version": marketingVersion},
}

// CreateUserActionSet makes a data source, in which conversions of advertisements are reported. It stands no longer in
// the documentation.
func (c *Client) CreateUserActionSet(ctx context.Context, r *CreateUserActionSetRequest) (*CreateUserActionSetReply, error) {
	return createUserActionSet.Do(ctx, c.caller, r)
}

// ListUserActionSetsRequest picks data sources.
type ListUserActionSetsRequest struct {
	UserActionSetID int64 `query:"user_action_set_id,omitempty"` // 0: all of them
}

// UserActionSet is a data source.
type UserActionSet struct {
	UserActionSetID int64  `json:"user_action_set_id"`
	Description     string `json:"description"`
	ActivateStatus  bool   `json:"activate_status"`
	CreatedTime     string `json:"created_time"`
}

// ListUserActionSetsReply has the data sources.
type ListUserActionSetsReply struct {
	Data struct {
		List []UserActionSet `json:"list"`
	} `json:"data"`
}

var listUserActionSets = wechat.Endpoint[ListUserActionSetsRequest, ListUserActionSetsReply]{
	Name: "ListUserActionSets", Pattern: "GET /marketing/user_action_sets/get",
	Effect: wechat.EffectRead,
	Const:  map[string]string{"version": marketingVersion},
}

// ListUserActionSets lists the data sources, all at once. It stands no longer in the documentation.
func (c *Client) ListUserActionSets(ctx context.Context, r *ListUserActionSetsRequest) (*ListUserActionSetsReply, error) {
	return listUserActionSets.Do(ctx, c.caller, r)
}

// UserActionType is what a person did.
type UserActionType string

// Some of what people do.
const (
	UserActionReservation   UserActionType = "RESERVATION"
	UserActionCompleteOrder UserActionType = "COMPLETE_ORDER"
)

// UserAction is a conversion: what a person did after an advertisement.
type UserAction struct {
	UserActionSetID int64            `json:"user_action_set_id"`
	URL             string           `json:"url"` // of the page on which it was done
	ActionTime      int64            `json:"action_time"`
	ActionType      UserActionType   `json:"action_type"`
	Trace           *UserActionTrace `json:"trace,omitempty"`
	ActionParam     *UserActionParam `json:"action_param,omitempty"`
}

// UserActionTrace tells which advertisement it was.
type UserActionTrace struct {
	ClickID string `json:"click_id,omitempty"` // parameter of the link to the page
}

// UserActionParam tells more of it.
type UserActionParam struct {
	Value     int64  `json:"value,omitempty"` // in cents
	LeadsType string `json:"leads_type,omitempty"`
}

// AddUserActionsRequest reports conversions.
type AddUserActionsRequest struct {
	Actions []UserAction `json:"actions"`
}

var addUserActions = wechat.Endpoint[AddUserActionsRequest, wechat.None]{
	Name: "AddUserActions", Pattern: "POST /marketing/user_actions/add",
	Effect: wechat.EffectCreate,
	Const:  map[string]string{"?version": marketingVersion},
}

// AddUserActions reports conversions of advertisements. It stands no longer in the documentation.
func (c *Client) AddUserActions(ctx context.Context, r *AddUserActionsRequest) error {
	return addUserActions.Exec(ctx, c.caller, r)
}

// ListAdLeadsRequest asks for a page.
type ListAdLeadsRequest struct {
	DateRange *AdLeadDates   `query:"date_range,omitempty"`
	Filtering []AdLeadFilter `query:"filtering,omitempty"`
	Page      int            `query:"page,omitempty"`      // counts from 1
	PageSize  int            `query:"page_size,omitempty"` // at most 100
}

// AdLeadDates is some days in a row, both ends among them.
type AdLeadDates struct {
	StartDate Date `json:"start_date"`
	EndDate   Date `json:"end_date"`
}

// AdLeadFilter picks leads by a field.
type AdLeadFilter struct {
	Field    string   `json:"field"`
	Operator string   `json:"operator"` // "EQUALS" and others
	Values   []string `json:"values"`
}

// AdLead is a person who left an address on the page of an advertisement.
type AdLead struct {
	ClickID      string       `json:"click_id"`
	AdGroupID    int64        `json:"adgroup_id"`
	AdGroupName  string       `json:"adgroup_name"`
	CampaignID   int64        `json:"campaign_id"`
	CampaignName string       `json:"campaign_name"`
	AgencyID     string       `json:"agency_id"`
	AgencyName   string       `json:"agency_name"`
	LeadsInfo    []AdLeadInfo `json:"leads_info"`
}

// AdLeadInfo is an answer of the form.
type AdLeadInfo struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// ListAdLeadsReply is one page.
type ListAdLeadsReply struct {
	Data AdLeadPage `json:"data"`
}

// AdLeadPage is what a ListAdLeadsReply holds.
type AdLeadPage struct {
	PageInfo struct {
		Page        int `json:"page"`
		PageSize    int `json:"page_size"`
		TotalPage   int `json:"total_page"`
		TotalNumber int `json:"total_number"`
	} `json:"page_info"`
	List []AdLead `json:"list"`
}

var listAdLeads = wechat.Endpoint[ListAdLeadsRequest, ListAdLeadsReply]{
	Name: "ListAdLeads", Pattern: "GET /marketing/wechat_ad_leads/get",
	Effect: wechat.EffectRead,
	Const:  map[string]string{"version": marketingVersion},
}

// ListAdLeads returns a page of the leads of some days. It stands no longer in the documentation.
func (c *Client) ListAdLeads(ctx context.Context, r *ListAdLeadsRequest) (*ListAdLeadsReply, error) {
	return listAdLeads.Do(ctx, c.caller, r)
}

// AllAdLeads walks the leads of some days that pass the filters.
func (c *Client) AllAdLeads(ctx context.Context, days *DateRange, filters ...AdLeadFilter) iter.Seq2[AdLead, error] {
	if days == nil {
		days = new(DateRange) // which the platform refuses
	}
	return pageNumbers(ctx, func(ctx context.Context, n int) ([]AdLead, int, error) {
		page, err := c.ListAdLeads(ctx, &ListAdLeadsRequest{
			DateRange: &AdLeadDates{StartDate: days.BeginDate, EndDate: days.EndDate},
			Filtering: filters, Page: n, PageSize: 100,
		})
		if err != nil {
			return nil, 0, err
		}
		return page.Data.List, page.Data.PageInfo.TotalNumber, nil
	})
}
