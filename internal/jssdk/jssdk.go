// Package jssdk signs web pages for WeChat's JS-SDKs. Official accounts and WeCom sign in the same way.
package jssdk

import (
	"crypto/sha1"
	"encoding/hex"
	"strconv"
	"strings"
)

// Sign returns the signature that wx.config and wx.agentConfig ask for: hex SHA-1 over the ticket, the nonce, the
// time in Unix seconds and the page's URL as the browser has it. The part after "#" does not count.
func Sign(ticket, nonce string, timestamp int64, url string) string {
	url, _, _ = strings.Cut(url, "#")
	sum := sha1.Sum([]byte("jsapi_ticket=" + ticket + "&noncestr=" + nonce +
		"&timestamp=" + strconv.FormatInt(timestamp, 10) + "&url=" + url))
	return hex.EncodeToString(sum[:])
}
