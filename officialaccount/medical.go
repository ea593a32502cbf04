package officialaccount

import (
	"context"

	"github.com/seed175cf469/wechat"
)

// MedicalMessage is a notice about a visit to a hospital.
type MedicalMessage struct {
	Status  int    `json:"status"`   // the kind of notice, such as MedicalAppointmentMade
	OpenID  string `json:"open_id"`  // of the account, or of a mini program with the same owner
	OrderID string `json:"order_id"` // of the caller's choice, the same for all notices about a visit
	MsgID   string `json:"msg_id"`   // of the caller's choice, another for each notice of an order to one person
	// BusinessInfo has the fields that the status asks for, as a struct or a map: a *MedicalAppointment for
	// MedicalAppointmentMade.
	BusinessInfo any `json:"business_info,omitempty"`
}

// MedicalAppointmentMade is the status of a notice that an appointment was made. The list of all is linked from the
// official page.
const MedicalAppointmentMade = 1501001

// MedicalAppointment is what a notice of MedicalAppointmentMade tells.
type MedicalAppointment struct {
	PatHospitalID      string               `json:"pat_hospital_id"` // number of the patient's card
	PatName            string               `json:"pat_name"`
	DocName            string               `json:"doc_name,omitempty"` // or the rank of a doctor who is not chosen yet
	DepartmentName     string               `json:"department_name"`    // with building and floor
	DepartmentLocation string               `json:"department_location,omitempty"`
	AppointmentTime    string               `json:"appointment_time"` // "2023-06-07 10:30-11:00"
	Memo               string               `json:"memo,omitempty"`
	RedirectPage       *MedicalRedirectPage `json:"redirect_page,omitempty"`
	ElderRedirectPage  any                  `json:"elder_redirect_page,omitempty"`
}

// MedicalRedirectPage is what a tap on a notice opens.
type MedicalRedirectPage struct {
	PageType string `json:"page_type,omitempty"`
	URL      string `json:"url,omitempty"`
	AppID    string `json:"app_id,omitempty"` // of a mini program
	FullPath string `json:"fullpath,omitempty"`
}

var sendMedicalMessage = wechat.Endpoint[MedicalMessage, wechat.None]{
	Name: "SendMedicalMessage", Pattern: "POST /cityservice/sendchannelmsg",
	Effect: wechat.EffectSend,
	Const:  map[string]string{"app_id": wechat.ConstAppID, "business_id": "150"},
	To:     func(m *MedicalMessage) []string { return []string{m.OpenID} },
}

// SendMedicalMessage sends a notice about a visit to a hospital, among the person's service notices. It is for public
// hospitals and health authorities whose account has the medical assistant (就医助手).
//
// Official page: https://developers.weixin.qq.com/doc/service/api/medicalassistant/api_cityservice_sendchannelmsg.html
func (c *Client) SendMedicalMessage(ctx context.Context, m *MedicalMessage) error {
	return sendMedicalMessage.Exec(ctx, c.caller, m)
}
