package officialaccount

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/internal/wire"
)

// Picture is a picture under 2 MB, by its address or as a file, never both.
type Picture struct {
	ImgURL string      `query:"img_url,omitempty"` // as it is: the client escapes it
	Img    wechat.File `form:"img,omitempty"`
}

func (p *Picture) check() error {
	switch url, file := p.ImgURL != "", p.Img.Open != nil; {
	case url && file:
		return errors.New("there is an img_url and a file, and only one of them may be")
	case !url && !file:
		return errors.New("there is neither an img_url nor a file")
	}
	return nil
}

// Point is a place in a picture, in pixels from its top left.
type Point struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// Corners are those of something in a picture, which need not be upright.
type Corners struct {
	LeftTop     Point `json:"left_top"`
	RightTop    Point `json:"right_top"`
	RightBottom Point `json:"right_bottom"`
	LeftBottom  Point `json:"left_bottom"`
}

// CardPosition tells where a card is in a picture.
type CardPosition struct {
	Pos Corners `json:"pos"`
}

// PictureSize is in pixels.
type PictureSize struct {
	W int `json:"w"`
	H int `json:"h"`
}

// OCRIDCardReply is what an ID card says: of its front all but ValidDate, of its back ValidDate alone.
type OCRIDCardReply struct {
	Type        string `json:"type"` // "Front" or "Back"
	Name        string `json:"name"`
	ID          string `json:"id"`
	Addr        string `json:"addr"`
	Gender      string `json:"gender"`
	Nationality string `json:"nationality"`
	ValidDate   string `json:"valid_date"` // "20171025-20271025"
}

var ocrIDCard = wechat.Endpoint[Picture, OCRIDCardReply]{
	Name: "OCRIDCard", Pattern: "POST /cv/ocr/idcard",
	Effect: wechat.EffectRead,
	Check:  (*Picture).check,
}

// OCRIDCard reads an ID card (身份证). What it returns is personal data.
//
// Each of the OCR methods is free 100 times a day (101003). 101000 means that the picture cannot be fetched, 101001
// that the document is not in it, 101002 that the picture is broken or too large.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/openpoc/ocr/api_idcardocr.html
func (c *Client) OCRIDCard(ctx context.Context, r *Picture) (*OCRIDCardReply, error) {
	return ocrIDCard.Do(ctx, c.caller, r)
}

// OCRBankCardReply has the number of a bank card in one of its fields: the documentation names the one, its examples
// have the other.
type OCRBankCardReply struct {
	Number string `json:"number"`
	ID     string `json:"id"`
}

// CardNumber is the number, whichever field it came in.
func (r *OCRBankCardReply) CardNumber() string { return cmp.Or(r.Number, r.ID) }

var ocrBankCard = wechat.Endpoint[Picture, OCRBankCardReply]{
	Name: "OCRBankCard", Pattern: "POST /cv/ocr/bankcard",
	Effect: wechat.EffectRead,
	Check:  (*Picture).check,
}

// OCRBankCard reads the number of a bank card. For quota and codes see OCRIDCard.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/openpoc/ocr/api_bankcardocr.html
func (c *Client) OCRBankCard(ctx context.Context, r *Picture) (*OCRBankCardReply, error) {
	return ocrBankCard.Do(ctx, c.caller, r)
}

// OCRVehicleLicenseReply is what a vehicle licence says. The positions are all zero for a side that was not found.
type OCRVehicleLicenseReply struct {
	PlateNum          string       `json:"plate_num"`
	VehicleType       string       `json:"vehicle_type"`
	Owner             string       `json:"owner"`
	Addr              string       `json:"addr"`
	UseCharacter      string       `json:"use_character"`
	Model             string       `json:"model"`
	VIN               string       `json:"vin"`
	EngineNum         string       `json:"engine_num"`
	RegisterDate      string       `json:"register_date"`
	IssueDate         string       `json:"issue_date"`
	PlateNumB         string       `json:"plate_num_b"` // on the back
	Record            string       `json:"record"`
	PassengersNum     string       `json:"passengers_num"`
	TotalQuality      string       `json:"total_quality"`   // mass in all
	PrepareQuality    string       `json:"prepare_quality"` // mass when empty
	OverallSize       string       `json:"overall_size"`
	CardPositionFront CardPosition `json:"card_position_front"`
	CardPositionBack  CardPosition `json:"card_position_back"`
	ImgSize           PictureSize  `json:"img_size"`
}

var ocrVehicleLicense = wechat.Endpoint[Picture, OCRVehicleLicenseReply]{
	Name: "OCRVehicleLicense", Pattern: "POST /cv/ocr/driving",
	Effect: wechat.EffectRead,
	Check:  (*Picture).check,
}

// OCRVehicleLicense reads a vehicle licence (行驶证), in spite of its path, which says "driving". For quota and codes
// see OCRIDCard.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/openpoc/ocr/api_drivingocr.html
func (c *Client) OCRVehicleLicense(ctx context.Context, r *Picture) (*OCRVehicleLicenseReply, error) {
	return ocrVehicleLicense.Do(ctx, c.caller, r)
}

// OCRDriverLicenseReply is what a driver's licence says.
type OCRDriverLicenseReply struct {
	IDNum        string `json:"id_num"`
	Name         string `json:"name"`
	Sex          string `json:"sex"`
	Nationality  string `json:"nationality"`
	Address      string `json:"address"`
	BirthDate    string `json:"birth_date"`
	IssueDate    string `json:"issue_date"` // of the first licence
	CarClass     string `json:"car_class"`
	ValidFrom    string `json:"valid_from"`
	ValidTo      string `json:"valid_to"`
	OfficialSeal string `json:"official_seal"` // the text of the seal
}

var ocrDriverLicense = wechat.Endpoint[Picture, OCRDriverLicenseReply]{
	Name: "OCRDriverLicense", Pattern: "POST /cv/ocr/drivinglicense",
	Effect: wechat.EffectRead,
	Check:  (*Picture).check,
}

// OCRDriverLicense reads a driver's licence (驾驶证). For quota and codes see OCRIDCard.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/openpoc/ocr/api_drivinglicenseocr.html
func (c *Client) OCRDriverLicense(ctx context.Context, r *Picture) (*OCRDriverLicenseReply, error) {
	return ocrDriverLicense.Do(ctx, c.caller, r)
}

// OCRBusinessLicenseReply is what a business licence says. What does not stand on the paper is empty.
type OCRBusinessLicenseReply struct {
	RegNum              string       `json:"reg_num"`
	Serial              string       `json:"serial"`
	LegalRepresentative string       `json:"legal_representative"`
	EnterpriseName      string       `json:"enterprise_name"`
	TypeOfOrganization  string       `json:"type_of_organization"`
	Address             string       `json:"address"`
	TypeOfEnterprise    string       `json:"type_of_enterprise"`
	BusinessScope       string       `json:"business_scope"`
	RegisteredCapital   string       `json:"registered_capital"`
	PaidInCapital       string       `json:"paid_in_capital"`
	ValidPeriod         string       `json:"valid_period"`
	RegisteredDate      string       `json:"registered_date"`
	CertPosition        CardPosition `json:"cert_position"`
	ImgSize             PictureSize  `json:"img_size"`
}

var ocrBusinessLicense = wechat.Endpoint[Picture, OCRBusinessLicenseReply]{
	Name: "OCRBusinessLicense", Pattern: "POST /cv/ocr/bizlicense",
	Effect: wechat.EffectRead,
	Check:  (*Picture).check,
}

// OCRBusinessLicense reads a business licence (营业执照). For quota and codes see OCRIDCard.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/openpoc/ocr/api_bizlicenseocr.html
func (c *Client) OCRBusinessLicense(ctx context.Context, r *Picture) (*OCRBusinessLicenseReply, error) {
	return ocrBusinessLicense.Do(ctx, c.caller, r)
}

// PrintedText is a line of a picture.
type PrintedText struct {
	Text string  `json:"text"`
	Pos  Corners `json:"pos"`
}

// OCRPrintedTextReply has the lines.
type OCRPrintedTextReply struct {
	Items   []PrintedText `json:"items"`
	ImgSize PictureSize   `json:"img_size"`
}

var ocrPrintedText = wechat.Endpoint[Picture, OCRPrintedTextReply]{
	Name: "OCRPrintedText", Pattern: "POST /cv/ocr/comm",
	Effect: wechat.EffectRead,
	Check:  (*Picture).check,
}

// OCRPrintedText reads printed text of any kind. For quota and codes see OCRIDCard.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/openpoc/ocr/api_commocr.html
func (c *Client) OCRPrintedText(ctx context.Context, r *Picture) (*OCRPrintedTextReply, error) {
	return ocrPrintedText.Do(ctx, c.caller, r)
}

// OCRMenuReply is what a restaurant's menu says.
type OCRMenuReply struct {
	Content OCRMenuContent `json:"content"`
}

// OCRMenuContent has the dishes. The documentation has it as an object, its example as JSON in a text; both are read.
type OCRMenuContent struct {
	MenuItems []Dish `json:"menu_items"`
}

// Dish is a line of a menu.
type Dish struct {
	Name  string  `json:"name"`
	Price float64 `json:"price"`
}

// UnmarshalJSON reads an object, or a text that has one.
func (m *OCRMenuContent) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		data = []byte(cmp.Or(text, "null"))
	}
	type object OCRMenuContent // has no UnmarshalJSON
	return wire.Unmarshal(data, (*object)(m))
}

var ocrMenu = wechat.Endpoint[Picture, OCRMenuReply]{
	Name: "OCRMenu", Pattern: "POST /cv/ocr/menu",
	Effect: wechat.EffectRead,
	Check:  (*Picture).check,
}

// OCRMenu reads the menu of a restaurant. For codes see OCRIDCard.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/openpoc/ocr/api_menuocr.html
func (c *Client) OCRMenu(ctx context.Context, r *Picture) (*OCRMenuReply, error) {
	return ocrMenu.Do(ctx, c.caller, r)
}

// OCRPlateNumberReply has the number of a plate.
type OCRPlateNumberReply struct {
	Number string `json:"number"`
}

var ocrPlateNumber = wechat.Endpoint[Picture, OCRPlateNumberReply]{
	Name: "OCRPlateNumber", Pattern: "POST /cv/ocr/platenum",
	Effect: wechat.EffectRead,
	Check:  (*Picture).check,
}

// OCRPlateNumber reads the number plate of a vehicle. It stands in an older version of the documentation only. For
// quota and codes see OCRIDCard.
func (c *Client) OCRPlateNumber(ctx context.Context, r *Picture) (*OCRPlateNumberReply, error) {
	return ocrPlateNumber.Do(ctx, c.caller, r)
}
