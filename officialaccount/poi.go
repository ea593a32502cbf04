package officialaccount

import (
	"context"
	"iter"

	"github.com/seed175cf469/wechat"
)

// POIPhoto is a picture of a store.
type POIPhoto struct {
	PhotoURL string `json:"photo_url,omitempty"` // of UploadArticleImage
}

// POIService is what a store may tell about itself, when it is added and when it is changed.
type POIService struct {
	PhotoList    []POIPhoto `json:"photo_list,omitempty"` // all of them: it replaces the list that is there
	Recommend    string     `json:"recommend,omitempty"`
	Special      string     `json:"special,omitempty"`
	Introduction string     `json:"introduction,omitempty"`
	OpenTime     string     `json:"open_time,omitempty"` // "8:00-20:00"
	AvgPrice     int        `json:"avg_price,omitempty"` // for a person, in yuan
}

// POI is a store.
type POI struct {
	SID          string   `json:"sid,omitempty"` // the account's own id, unique
	BusinessName string   `json:"business_name"` // without the branch
	BranchName   string   `json:"branch_name,omitempty"`
	Province     string   `json:"province"`
	City         string   `json:"city"`
	District     string   `json:"district"`
	Address      string   `json:"address"` // without province, city and district
	Telephone    string   `json:"telephone"`
	Categories   []string `json:"categories"`  // of ListPOICategories
	OffsetType   int      `json:"offset_type"` // the kind of coordinates; 1: GCJ-02
	Longitude    float64  `json:"longitude"`
	Latitude     float64  `json:"latitude"`
	POIService
}

// POIBusiness is what stands around a store.
type POIBusiness struct {
	BaseInfo POI `json:"base_info"`
}

// AddPOIRequest has the store to add.
type AddPOIRequest struct {
	Business POIBusiness `json:"business"`
}

// AddPOIReply has the id of the store.
type AddPOIReply struct {
	POIID int64 `json:"poi_id"`
}

var addPOI = wechat.Endpoint[AddPOIRequest, AddPOIReply]{
	Name: "AddPOI", Pattern: "POST /cgi-bin/poi/addpoi",
	Effect: wechat.EffectCreate,
}

// AddPOI submits a store. It is reviewed: a poi_check_notify event with the SID tells the outcome. By an announcement of
// the platform, no stores are taken in this way since July 2024; they belong into a store mini program (门店小程序).
//
// 65115 means that the store exists, 65104 to 65107 that category, picture, name or address are wrong, 40009 that a
// picture is too large, 40097 that a field is wrong.
func (c *Client) AddPOI(ctx context.Context, r *AddPOIRequest) (*AddPOIReply, error) {
	return addPOI.Do(ctx, c.caller, r)
}

// POIRef names a store.
type POIRef struct {
	POIID string `json:"poi_id"`
}

// POIState is where a store stands.
type POIState int

// The states of stores.
const (
	POIBroken   POIState = 1 // an error of the system
	POIInReview POIState = 2 // is under review
	POIPassed   POIState = 3
	POIRefused  POIState = 4
)

// StoredPOI is a store as the platform keeps it.
type StoredPOI struct {
	POI
	POIID          string   `json:"poi_id"`
	AvailableState POIState `json:"available_state"`
	UpdateStatus   int      `json:"update_status"` // 1: a change is under review, and is what stands here
}

// StoredPOIBusiness is what stands around a store.
type StoredPOIBusiness struct {
	BaseInfo StoredPOI `json:"base_info"`
}

// GetPOIReply has the store.
type GetPOIReply struct {
	Business StoredPOIBusiness `json:"business"`
}

var getPOI = wechat.Endpoint[POIRef, GetPOIReply]{
	Name: "GetPOI", Pattern: "POST /cgi-bin/poi/getpoi",
	Effect: wechat.EffectRead,
}

// GetPOI reads a store. 65107 means that there is none with this id.
func (c *Client) GetPOI(ctx context.Context, r *POIRef) (*GetPOIReply, error) {
	return getPOI.Do(ctx, c.caller, r)
}

// ListPOIsRequest asks for one page.
type ListPOIsRequest struct {
	Begin int `json:"begin"` // counts from 0
	Limit int `json:"limit"` // at most 50
}

// ListPOIsReply is one page.
type ListPOIsReply struct {
	BusinessList []StoredPOIBusiness `json:"business_list"`
	TotalCount   int                 `json:"total_count"` // in all pages
}

var listPOIs = wechat.Endpoint[ListPOIsRequest, ListPOIsReply]{
	Name: "ListPOIs", Pattern: "POST /cgi-bin/poi/getpoilist",
	Effect: wechat.EffectRead,
}

// ListPOIs returns a page of the account's stores, in whatever state they are.
func (c *Client) ListPOIs(ctx context.Context, r *ListPOIsRequest) (*ListPOIsReply, error) {
	return listPOIs.Do(ctx, c.caller, r)
}

// AllPOIs walks all stores of the account.
func (c *Client) AllPOIs(ctx context.Context) iter.Seq2[StoredPOI, error] {
	return offsets(ctx, func(ctx context.Context, offset int) ([]StoredPOI, int, error) {
		page, err := c.ListPOIs(ctx, &ListPOIsRequest{Begin: offset, Limit: 50})
		if err != nil {
			return nil, 0, err
		}
		stores := make([]StoredPOI, len(page.BusinessList))
		for i, b := range page.BusinessList {
			stores[i] = b.BaseInfo
		}
		return stores, page.TotalCount, nil
	})
}

// POIUpdate has the fields of a store that can be changed.
type POIUpdate struct {
	POIID     string `json:"poi_id"`
	SID       string `json:"sid,omitempty"`
	Telephone string `json:"telephone,omitempty"`
	POIService
}

// POIUpdateBusiness is what stands around the change.
type POIUpdateBusiness struct {
	BaseInfo POIUpdate `json:"base_info"`
}

// UpdatePOIRequest has the change.
type UpdatePOIRequest struct {
	Business POIUpdateBusiness `json:"business"`
}

var updatePOI = wechat.Endpoint[UpdatePOIRequest, wechat.None]{
	Name: "UpdatePOI", Pattern: "POST /cgi-bin/poi/updatepoi",
	Effect: wechat.EffectSet,
}

// UpdatePOI changes what a store tells about itself. The change is reviewed, and until then there can be no other. 65107
// means that there is no such store, 65104 and 65105 that category or picture are wrong.
func (c *Client) UpdatePOI(ctx context.Context, r *UpdatePOIRequest) error {
	return updatePOI.Exec(ctx, c.caller, r)
}

var deletePOI = wechat.Endpoint[POIRef, wechat.None]{
	Name: "DeletePOI", Pattern: "POST /cgi-bin/poi/delpoi",
	Effect: wechat.EffectSet,
}

// DeletePOI deletes a store. 65107 means that there is none with this id.
func (c *Client) DeletePOI(ctx context.Context, r *POIRef) error {
	return deletePOI.Exec(ctx, c.caller, r)
}

// ListPOICategoriesReply has the categories, each in its steps separated by commas.
type ListPOICategoriesReply struct {
	CategoryList []string `json:"category_list"`
}

var listPOICategories = wechat.Endpoint[wechat.None, ListPOICategoriesReply]{
	Name: "ListPOICategories", Pattern: "GET /cgi-bin/poi/getwxcategory",
	Effect: wechat.EffectRead,
}

// ListPOICategories lists the categories that a store can be of.
func (c *Client) ListPOICategories(ctx context.Context) (*ListPOICategoriesReply, error) {
	return listPOICategories.Do(ctx, c.caller, nil)
}
