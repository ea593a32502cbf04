package work

import (
	"context"

	"github.com/seed175cf469/wechat"
)

// NewDepartment is a department to add.
type NewDepartment struct {
	Name     string `json:"name"` // 1 to 64 characters
	NameEN   string `json:"name_en,omitempty"`
	ParentID int    `json:"parentid"`        // 1: the company itself
	Order    int64  `json:"order,omitempty"` // below 2^32; a larger one stands first
	// ID above 1 is the id that it gets. With one the call can be tried again after a reply that was lost: 60008 says
	// that the department exists.
	ID int `json:"id,omitempty"`
}

// CreatedDepartment is the id of a new department.
type CreatedDepartment struct {
	ID int `json:"id"`
}

var createDepartment = wechat.Endpoint[NewDepartment, CreatedDepartment]{
	Name: "CreateDepartment", Pattern: "POST /cgi-bin/department/create",
	Effect: wechat.EffectCreate,
}

// CreateDepartment adds a department. A company has at most 30,000 of them, 15 levels deep. Errors: 60008 id or name
// exists, 60004 there is no such parent, 60001 the length of the name, 60009 a character of it, 81002 too deep.
//
// Official page: https://developer.work.weixin.qq.com/document/path/90205
func (c *Client) CreateDepartment(ctx context.Context, r *NewDepartment) (*CreatedDepartment, error) {
	return createDepartment.Do(ctx, c.caller, r)
}

// DepartmentUpdate changes a department. What is empty stays.
type DepartmentUpdate struct {
	ID       int    `json:"id"`
	Name     string `json:"name,omitempty"`
	NameEN   string `json:"name_en,omitempty"`
	ParentID int    `json:"parentid,omitempty"`
	// Order is below 2^32, a larger one stands first; nil: it stays.
	Order *int64 `json:"order,omitempty"`
}

var updateDepartment = wechat.Endpoint[DepartmentUpdate, wechat.None]{
	Name: "UpdateDepartment", Pattern: "POST /cgi-bin/department/update",
	Effect: wechat.EffectSet,
}

// UpdateDepartment changes a department. Errors: 60003 there is none of that id, 60124 the parent is wrong, 60010 it
// would be below itself, 60008 the name exists.
//
// Official page: https://developer.work.weixin.qq.com/document/path/90206
func (c *Client) UpdateDepartment(ctx context.Context, r *DepartmentUpdate) error {
	return updateDepartment.Exec(ctx, c.caller, r)
}

// DepartmentID names a department in a query.
type DepartmentID struct {
	ID int `query:"id"`
}

var deleteDepartment = wechat.Endpoint[DepartmentID, wechat.None]{
	Name: "DeleteDepartment", Pattern: "GET /cgi-bin/department/delete",
	Effect: wechat.EffectSet,
}

// DeleteDepartment removes a department that is empty. Errors: 60005 it has members, 60006 it has departments below,
// 60007 the company itself stays, 60003 there is none of that id.
//
// Official page: https://developer.work.weixin.qq.com/document/path/90207
func (c *Client) DeleteDepartment(ctx context.Context, r *DepartmentID) error {
	return deleteDepartment.Exec(ctx, c.caller, r)
}

// DepartmentTree names a department with all below it.
type DepartmentTree struct {
	ID int `query:"id,omitempty"` // 0: all that the app may see
}

// Department is a department.
type Department struct {
	ID               int      `json:"id"`
	Name             string   `json:"name"` // for service providers the id
	NameEN           string   `json:"name_en"`
	DepartmentLeader []string `json:"department_leader"` // userids
	ParentID         int      `json:"parentid"`
	Order            int64    `json:"order"` // a larger one stands first
}

// Departments are departments in no particular order.
type Departments struct {
	Department []Department `json:"department"`
}

var listDepartments = wechat.Endpoint[DepartmentTree, Departments]{
	Name: "ListDepartments", Pattern: "GET /cgi-bin/department/list",
	Effect: wechat.EffectRead,
}

// ListDepartments lists a department and all below it. It is slow, and a large company gets 45029; the documentation
// advises ListSimpleDepartments and GetDepartment.
//
// Official page: https://developer.work.weixin.qq.com/document/path/90208
func (c *Client) ListDepartments(ctx context.Context, r *DepartmentTree) (*Departments, error) {
	return listDepartments.Do(ctx, c.caller, r)
}

// SimpleDepartments are departments in the short form.
type SimpleDepartments struct {
	DepartmentID []SimpleDepartment `json:"department_id"`
}

// SimpleDepartment is a department in the short form.
type SimpleDepartment struct {
	ID       int   `json:"id"`
	ParentID int   `json:"parentid"`
	Order    int64 `json:"order"` // a larger one stands first
}

var listSimpleDepartments = wechat.Endpoint[DepartmentTree, SimpleDepartments]{
	Name: "ListSimpleDepartments", Pattern: "GET /cgi-bin/department/simplelist",
	Effect: wechat.EffectRead,
}

// ListSimpleDepartments lists the ids of a department and all below it.
//
// Official page: https://developer.work.weixin.qq.com/document/path/95350
func (c *Client) ListSimpleDepartments(ctx context.Context, r *DepartmentTree) (*SimpleDepartments, error) {
	return listSimpleDepartments.Do(ctx, c.caller, r)
}

// DepartmentInfo is the reply of GetDepartment.
type DepartmentInfo struct {
	Department Department `json:"department"`
}

var getDepartment = wechat.Endpoint[DepartmentID, DepartmentInfo]{
	Name: "GetDepartment", Pattern: "GET /cgi-bin/department/get",
	Effect: wechat.EffectRead,
}

// GetDepartment reads one department. Errors: 60003 there is none of that id, 60011 the app may not see it.
//
// Official page: https://developer.work.weixin.qq.com/document/path/95351
func (c *Client) GetDepartment(ctx context.Context, r *DepartmentID) (*DepartmentInfo, error) {
	return getDepartment.Do(ctx, c.caller, r)
}
