// Package wire holds the bytes of WeChat's protocol: how requests are encoded
// ([Marshal], [Multipart]), how replies are read although they stray from
// their documentation ([Unmarshal], [Failure]), what error texts and headers
// tell ([RequestID], [CallerIP], [RetryAfter]), and how secrets are kept out of
// everything that is printed ([Redact], [RedactError]).
//
// It knows nothing of clients, tokens or endpoints.
package wire
