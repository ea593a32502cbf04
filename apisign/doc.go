// Package apisign signs and encrypts the calls of official accounts and mini programs, and verifies and decrypts the
// replies: what the console calls API security (API安全, 服务端 API 签名加密).
//
//	cipher, err := apisign.NewAES256GCM("number of the symmetric key", "the key, in base64")
//	signer, err := apisign.NewRSASigner(privateKeyPEM)
//	platform, err := apisign.NewRSAVerifier(platformCertificatePEM)
//	client := wechat.New(wechat.WithTransport(apisign.Transport(apisign.Keys{
//		AppID:    "wx...",
//		Cipher:   cipher,
//		Signer:   signer,
//		Platform: map[string]apisign.Verifier{"number of the platform certificate": platform},
//	}, apisign.Only("GetPhoneNumber", "GetUserRiskRank"))))
//
// The rest of the program stays as it is: requests, replies, errors and errcodes are those of plain calls.
//
// # Which calls
//
// By default every POST of JSON with the app's token, of the apps that there are keys of. The platform takes signed
// calls for some endpoints only, and says so on their pages; name those with Only.
//
// Everything else goes out as it is: uploads, calls for tokens, and GETs, as the platform signs the data of a POST and
// does not tell what it would sign of a GET. Nor does it tell how it encrypts a file: a signed call that is answered
// with one, such as a QR code, fails.
//
// # What is signed
//
// The fields of the body and of the query string, with _n, _appid and _timestamp beside them, are encrypted into the
// new body; the URL keeps nothing but the access_token. Numbers keep all their digits and texts their characters. The
// URL without query, app, time and body are signed. The URL is the one that the request is sent to: whatever stands
// between program and platform must leave it as it is, host included, so that a proxy is set in the transport and not
// with wechat.WithBaseURL.
//
// Each attempt is encrypted and signed anew.
//
// # What is believed
//
// A reply is success only if it is for this app, its time is within 300 seconds of ours, a platform certificate among
// the keys verifies its signature, it decrypts, and app and time inside are those outside. Everything else is a
// *ReplyError around one of ErrUnsigned, ErrSerial, ErrSignature, ErrDecrypt and ErrReplay, in the *wechat.Error of
// the call. The request has then been sent, and may have been carried out: a read is tried again, a send ends as
// wechat.ErrOutcomeUnknown.
//
// The platform may answer an error without encrypting or signing it, and gateways do not know how to. Such an answer is
// passed on if it cannot be success: JSON with an errcode that is not zero, or an HTTP status that is not 2xx. Who can
// change replies on their way can therefore make a call look as if it had failed.
//
// Two replies to the same endpoint within 300 seconds are not told apart, as nothing in a reply names its request.
//
// A call that cannot be signed is not sent and fails with ErrRequest. One whose keys cannot be had is not sent either; it
// is tried again like one whose network cannot be reached.
//
// # Rotation
//
// A Source is asked for the keys at each attempt, so that they can change while the program runs. A reply is read with
// the keys of its request. While one platform certificate replaces another, the platform signs with both; have both in
// Keys.Platform before the old one ends. OnDeprecated tells when a reply could be verified with the old one only.
//
// # Algorithms
//
// This package has AES256_GCM and RSAwithSHA256. SM4_GCM and SM2withSM3 are in the module adapter/smwechat; other
// implementations, such as a key in a hardware module, plug in as a Cipher, a Signer or a Verifier.
//
// Official page: https://developers.weixin.qq.com/miniprogram/dev/server/getting_started/api_signature
package apisign
