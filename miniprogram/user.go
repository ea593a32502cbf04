package miniprogram

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/internal/wire"
)

// CheckEncryptedDataRequest names encrypted data. HashEncryptedData makes one.
type CheckEncryptedDataRequest struct {
	EncryptedMsgHash string `json:"encrypted_msg_hash"` // hex SHA-256 of the encryptedData text
}

// HashEncryptedData names the data of a getPhoneNumber button.
func HashEncryptedData(encryptedData string) *CheckEncryptedDataRequest {
	sum := sha256.Sum256([]byte(encryptedData))
	return &CheckEncryptedDataRequest{EncryptedMsgHash: hex.EncodeToString(sum[:])}
}

// EncryptedDataCheck says whether data are the platform's.
type EncryptedDataCheck struct {
	Valid      bool  `json:"vaild"` // so spelled by the server
	CreateTime int64 `json:"create_time"`
}

var checkEncryptedData = wechat.Endpoint[CheckEncryptedDataRequest, EncryptedDataCheck]{
	Name: "CheckEncryptedData", Pattern: "POST /wxa/business/checkencryptedmsg",
	Effect: wechat.EffectRead,
}

// CheckEncryptedData tells whether the encrypted data of a phone number were made by the platform. Error 1: not in the
// last three days, or for another mini program.
//
// Official page: https://developers.weixin.qq.com/miniprogram/dev/server/API/user-info/basic-info/api_checkencrypteddata
func (c *Client) CheckEncryptedData(ctx context.Context, r *CheckEncryptedDataRequest) (*EncryptedDataCheck, error) {
	return checkEncryptedData.Do(ctx, c.caller, r)
}

// PaidUnionIDRequest names a user who has paid, and the payment: TransactionID, or MchID with OutTradeNo.
type PaidUnionIDRequest struct {
	OpenID        string `query:"openid"`
	TransactionID string `query:"transaction_id,omitempty"` // WeChat Pay's number of the order
	MchID         string `query:"mch_id,omitempty"`
	OutTradeNo    string `query:"out_trade_no,omitempty"` // the merchant's number of the order
}

// PaidUnionID is the unionid of a user who has paid.
type PaidUnionID struct {
	UnionID string `json:"unionid"`
}

var getPaidUnionID = wechat.Endpoint[PaidUnionIDRequest, PaidUnionID]{
	Name: "GetPaidUnionID", Pattern: "GET /wxa/getpaidunionid",
	Effect: wechat.EffectRead,
}

// GetPaidUnionID returns the unionid of a user who has paid within the last five minutes. Errors: 89002 the mini program
// is not bound to an open-platform account, 89300 there is no such order.
//
// Official page: https://developers.weixin.qq.com/miniprogram/dev/server/API/user-info/basic-info/api_getpaidunionid
func (c *Client) GetPaidUnionID(ctx context.Context, r *PaidUnionIDRequest) (*PaidUnionID, error) {
	return getPaidUnionID.Do(ctx, c.caller, r)
}

// PluginOpenPIDRequest signs a user of a plugin in.
type PluginOpenPIDRequest struct {
	Code string `json:"code"` // from wx.pluginLogin; works once, within five minutes
}

// PluginOpenPID is a plugin's id of a user.
type PluginOpenPID struct {
	OpenPID string `json:"openpid"`
}

var getPluginOpenPID = wechat.Endpoint[PluginOpenPIDRequest, PluginOpenPID]{
	Name: "GetPluginOpenPID", Pattern: "POST /wxa/getpluginopenpid",
	Effect: wechat.EffectCreate, // it uses up the code
}

// GetPluginOpenPID exchanges the code of wx.pluginLogin for the user's openpid. The plugin's own account calls it.
// Errors: 1005 the code is another plugin's, 1003 too often.
//
// Official page: https://developers.weixin.qq.com/miniprogram/dev/server/API/user-info/basic-info/api_getpluginopenpid
func (c *Client) GetPluginOpenPID(ctx context.Context, r *PluginOpenPIDRequest) (*PluginOpenPID, error) {
	return getPluginOpenPID.Do(ctx, c.caller, r)
}

// UserEncryptKeys are a user's keys of the encrypted network channel, the newest first.
type UserEncryptKeys struct {
	KeyInfoList []UserEncryptKey `json:"key_info_list"` // at most three
}

// UserEncryptKey is a key of the encrypted network channel.
type UserEncryptKey struct {
	EncryptKey string `json:"encrypt_key"` // secret
	Version    int    `json:"version"`
	ExpireIn   int    `json:"expire_in"` // seconds from now, at most 3600; 0: it has ended
	IV         string `json:"iv"`
	CreateTime int64  `json:"create_time"` // Unix seconds
}

var getUserEncryptKey = wechat.Endpoint[SessionRequest, UserEncryptKeys]{
	Name: "GetUserEncryptKey", Pattern: "GET /wxa/business/getuserencryptkey",
	Effect: wechat.EffectRead,
	Const:  map[string]string{"sig_method": sigMethod},
}

// GetUserEncryptKey returns the last three keys with which the client side encrypts what it sends for a user, whose
// session key SignSession has signed with. Errors: 87007 the session key has ended, 87009 wrong signature.
//
// Official page: https://developers.weixin.qq.com/miniprogram/dev/server/API/user-info/internet/api_getuserencryptkey
func (c *Client) GetUserEncryptKey(ctx context.Context, r *SessionRequest) (*UserEncryptKeys, error) {
	return getUserEncryptKey.Do(ctx, c.caller, r)
}

// UserStorage is what to keep for a user. SignUserStorage makes one: the signature is over the whole list.
type UserStorage struct {
	OpenID    string         `query:"openid"`
	Signature string         `query:"signature"`
	KVList    []UserKeyValue `json:"kv_list"`
}

// UserKeyValue is a value that is kept for a user.
type UserKeyValue struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// SignUserStorage signs what to keep for openID with the user's session key.
func SignUserStorage(openID, sessionKey string, values ...UserKeyValue) (*UserStorage, error) {
	body, err := wire.Marshal(struct {
		KVList []UserKeyValue `json:"kv_list"`
	}{values})
	if err != nil {
		return nil, err
	}
	return &UserStorage{OpenID: openID, Signature: signSession(sessionKey, body), KVList: values}, nil
}

var setUserStorage = wechat.Endpoint[UserStorage, wechat.None]{
	Name: "SetUserStorage", Pattern: "POST /wxa/set_user_storage",
	Effect: wechat.EffectSet,
	Const:  map[string]string{"?appid": wechat.ConstAppID, "?sig_method": sigMethod},
	To:     func(s *UserStorage) []string { return []string{s.OpenID} },
}

// SetUserStorage keeps values for a user in the platform's storage, from where the client side of the user's friends
// reads them. It is documented for mini games only.
func (c *Client) SetUserStorage(ctx context.Context, s *UserStorage) error {
	return setUserStorage.Exec(ctx, c.caller, s)
}
