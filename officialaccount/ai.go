package officialaccount

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/seed175cf469/wechat"
)

// VoiceLang is a language of the voice and translation methods.
type VoiceLang string

// The languages.
const (
	VoiceChinese VoiceLang = "zh_CN"
	VoiceEnglish VoiceLang = "en_US"
)

// UploadVoiceForTextRequest is a clip of voice.
type UploadVoiceForTextRequest struct {
	VoiceID string      `query:"voice_id"`       // of the caller's choice, for GetVoiceText
	Lang    VoiceLang   `query:"lang,omitempty"` // empty: VoiceChinese
	Media   wechat.File `form:"media"`           // mp3 at 16 kHz, mono, up to 1 MB
}

var uploadVoiceForText = wechat.Endpoint[UploadVoiceForTextRequest, wechat.None]{
	Name: "UploadVoiceForText", Pattern: "POST /cgi-bin/media/voice/addvoicetorecofortext",
	Effect: wechat.EffectUpload,
	Const:  map[string]string{"?format": "mp3"},
}

// UploadVoiceForText uploads a clip to be turned into text, which GetVoiceText reads within ten seconds. 40010 means
// that the clip is too large.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/openpoc/ai/api_addvoicetorecofortext.html
func (c *Client) UploadVoiceForText(ctx context.Context, r *UploadVoiceForTextRequest) error {
	return uploadVoiceForText.Exec(ctx, c.caller, r)
}

// GetVoiceTextRequest names a clip.
type GetVoiceTextRequest struct {
	VoiceID string    `query:"voice_id"`
	Lang    VoiceLang `query:"lang,omitempty"` // as it was uploaded
}

// GetVoiceTextReply is what was said.
type GetVoiceTextReply struct {
	Result string `json:"result"`
	IsEnd  bool   `json:"is_end"` // all of the clip is read; not documented, though it comes
}

var getVoiceText = wechat.Endpoint[GetVoiceTextRequest, GetVoiceTextReply]{
	Name: "GetVoiceText", Pattern: "POST /cgi-bin/media/voice/queryrecoresultfortext",
	Effect: wechat.EffectRead,
}

// GetVoiceText reads the text of a clip within ten seconds of UploadVoiceForText.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/openpoc/ai/api_queryrecoresultfortext.html
func (c *Client) GetVoiceText(ctx context.Context, r *GetVoiceTextRequest) (*GetVoiceTextReply, error) {
	return getVoiceText.Do(ctx, c.caller, r)
}

// maxTranslation is in bytes.
const maxTranslation = 600

// TranslateTextRequest is a text in one of the two languages.
type TranslateTextRequest struct {
	From    VoiceLang `query:"lfrom"`
	To      VoiceLang `query:"lto"`
	Content string    `json:"content"` // at most 600 bytes of UTF-8, which are 200 Chinese characters
}

func (r *TranslateTextRequest) check() error {
	if n := len(r.Content); n > maxTranslation {
		return fmt.Errorf("content has %d bytes, at most %d can be translated", n, maxTranslation)
	}
	return nil
}

// TranslateTextReply has both texts.
type TranslateTextReply struct {
	FromContent string `json:"from_content"`
	ToContent   string `json:"to_content"`
}

var translateText = wechat.Endpoint[TranslateTextRequest, TranslateTextReply]{
	Name: "TranslateText", Pattern: "POST /cgi-bin/media/voice/translatecontent",
	Effect: wechat.EffectRead,
	Check:  (*TranslateTextRequest).check,
}

// TranslateText translates between Chinese and English. 40035 means that an argument is wrong.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/openpoc/ai/api_translatecontent.html
func (c *Client) TranslateText(ctx context.Context, r *TranslateTextRequest) (*TranslateTextReply, error) {
	return translateText.Do(ctx, c.caller, r)
}

// SearchSemanticRequest is a sentence.
type SearchSemanticRequest struct {
	Query     string  `json:"query"`
	Category  string  `json:"category"`           // the services to think of, separated by commas: "flight,hotel"
	Latitude  float64 `json:"latitude,omitempty"` // with Longitude, or else City
	Longitude float64 `json:"longitude,omitempty"`
	City      string  `json:"city,omitempty"`
	Region    string  `json:"region,omitempty"` // a part of City
	UID       string  `json:"uid,omitempty"`    // who asks, so that sentences of one person are read together
}

// SearchSemanticReply is what the sentence means. The method returns an error where Ret is not 0.
type SearchSemanticReply struct {
	Ret      int               `json:"ret"`
	Query    string            `json:"query"`
	Type     string            `json:"type"` // the service; what Details and Result hold depends on it
	Semantic Semantic          `json:"semantic"`
	Result   []json.RawMessage `json:"result"`
	Answer   string            `json:"answer"`
	Text     string            `json:"text"`
}

// Semantic is an intent with its details.
type Semantic struct {
	Intent  string          `json:"intent"` // "SEARCH" and others
	Details json.RawMessage `json:"details"`
}

var searchSemantic = wechat.Endpoint[SearchSemanticRequest, SearchSemanticReply]{
	Name: "SearchSemantic", Pattern: "POST /semantic/semproxy/search",
	Effect:  wechat.EffectRead,
	Const:   map[string]string{"appid": wechat.ConstAppID},
	Refused: func(r *SearchSemanticReply) (wechat.Code, string) { return wechat.Code(r.Ret), "" },
}

// SearchSemantic reads an intent out of a sentence. It stands in an older version of the documentation only. A refusal
// can come without an errcode; it is a *wechat.Error all the same, with the code of the reply's ret.
func (c *Client) SearchSemantic(ctx context.Context, r *SearchSemanticRequest) (*SearchSemanticReply, error) {
	return searchSemantic.Do(ctx, c.caller, r)
}

// CropImageRequest is a picture to crop.
type CropImageRequest struct {
	Picture
	Ratios string `form:"ratios,omitempty"` // up to five of width to height, as in "1,2.35"; empty: the platform chooses
}

// Crop is a part of a picture, in pixels.
type Crop struct {
	CropLeft   int `json:"crop_left"`
	CropTop    int `json:"crop_top"`
	CropRight  int `json:"crop_right"`
	CropBottom int `json:"crop_bottom"`
}

// CropImageReply has the best part for each ratio, in their order.
type CropImageReply struct {
	Results []Crop      `json:"results"`
	ImgSize PictureSize `json:"img_size"`
}

var cropImage = wechat.Endpoint[CropImageRequest, CropImageReply]{
	Name: "CropImage", Pattern: "POST /cv/img/aicrop",
	Effect: wechat.EffectRead,
	Check:  (*CropImageRequest).check,
}

// CropImage finds the best parts of a picture. The picture itself is left as it is. For codes see OCRIDCard.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/openpoc/image/api_imgaicrop.html
func (c *Client) CropImage(ctx context.Context, r *CropImageRequest) (*CropImageReply, error) {
	return cropImage.Do(ctx, c.caller, r)
}

// ScannedCode is a code in a picture.
type ScannedCode struct {
	TypeName string  `json:"type_name"` // "QR_CODE", "EAN_13" ...
	Data     string  `json:"data"`
	Pos      Corners `json:"pos"` // of QR codes and DataMatrix; all zero for bar codes and PDF417
}

// ScanImageCodesReply has the codes.
type ScanImageCodesReply struct {
	CodeResults []ScannedCode `json:"code_results"`
	ImgSize     PictureSize   `json:"img_size"`
}

var scanImageCodes = wechat.Endpoint[Picture, ScanImageCodesReply]{
	Name: "ScanImageCodes", Pattern: "POST /cv/img/qrcode",
	Effect: wechat.EffectRead,
	Check:  (*Picture).check,
}

// ScanImageCodes reads the QR codes and bar codes in a picture. For codes of errors see OCRIDCard.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/openpoc/image/api_imgqrcode.html
func (c *Client) ScanImageCodes(ctx context.Context, r *Picture) (*ScanImageCodesReply, error) {
	return scanImageCodes.Do(ctx, c.caller, r)
}

// EnhanceImageReply names the new picture.
type EnhanceImageReply struct {
	MediaID string `json:"media_id"` // for GetTempMedia, for three days
}

var enhanceImage = wechat.Endpoint[Picture, EnhanceImageReply]{
	Name: "EnhanceImage", Pattern: "POST /cv/img/superresolution",
	Effect: wechat.EffectCreate,
	Check:  (*Picture).check,
}

// EnhanceImage makes a picture of twice the resolution. The official page says that the platform has taken it out of
// service, and to ask its support. For codes see OCRIDCard.
//
// Official page: https://developers.weixin.qq.com/miniprogram/dev/server/API/img-ocr/img/api_imgsuperresolution.html
func (c *Client) EnhanceImage(ctx context.Context, r *Picture) (*EnhanceImageReply, error) {
	return enhanceImage.Do(ctx, c.caller, r)
}
