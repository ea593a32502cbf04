// Package smwechat gives package apisign the Chinese national algorithms: SM4_GCM for encryption and SM2withSM3 for
// signatures, as the console offers them under API security (API安全).
//
//	cipher, err := smwechat.NewSM4GCM("number of the symmetric key", "the key, in base64")
//	signer, err := smwechat.NewSM2Signer("number of the private key", privateKeyPEM)
//	platform, err := smwechat.NewSM2Verifier("number of the platform certificate", certificatePEM)
//	keys := apisign.Keys{
//		AppID:    "wx...",
//		Cipher:   cipher,
//		Signer:   signer,
//		Platform: map[string]apisign.Verifier{"number of the platform certificate": platform},
//	}
//
// The algorithms are chosen one by one: an app may encrypt with SM4_GCM and sign with RSAwithSHA256, and each platform
// certificate brings its own. The user id of an SM2 signature is the number of its key or certificate.
//
// The official page shows no sample with these algorithms. They are tested with the vectors of their standards, and
// signatures are taken to be in ASN.1 DER.
package smwechat
