package mock

import (
	"fmt"
	"time"

	"github.com/seed175cf469/wechat"
)

const work = "work" // the product whose tokens, texts and limits differ from those of the others

// chinaTime is the zone in which the platform counts days.
var chinaTime = time.FixedZone("UTC+8", 8*60*60)

// nextDay is the next 00:00 UTC+8.
func nextDay(now time.Time) time.Time {
	year, month, day := now.In(chinaTime).Date()
	return time.Date(year, month, day+1, 0, 0, 0, 0, chinaTime)
}

// texts are the errmsgs of the codes that the server and the failures use by themselves.
var texts = map[wechat.Code]string{
	-1:    "system error",
	40001: "invalid credential, access_token is invalid or not latest",
	40002: "invalid grant_type",
	40003: "invalid openid",
	40013: "invalid appid",
	40014: "invalid access_token",
	40035: "invalid args",
	40125: "invalid appsecret",
	41001: "access_token missing",
	41002: "appid missing",
	41004: "appsecret missing",
	41005: "media data missing",
	42001: "access_token expired",
	43001: "require GET method",
	43002: "require POST method",
	43004: "require subscribe",
	44002: "empty post data",
	44990: "reach max api second frequence limit",
	45009: "reach max api daily quota limit",
	45011: "api minute-quota reach limit, must slower, retry next minute",
	45047: "out of response count limit",
	40246: "invalid keyword list",
	45065: "clientmsgid exist",
	45066: "same clientmsgid retry too fast",
	45110: "author size out of limit",
	45168: "hit black list keyword",
	45171: "failed for some openids",
	47001: "data format error",
	48001: "api unauthorized",
	53600: "invalid article_id",
	65320: "match rule has a withdrawn field",

	9410010: "long_data too long",
	9410011: "expire_seconds too large",
	9410012: "short_key not found",
}

// workTexts are those that read differently on WeCom.
var workTexts = map[wechat.Code]string{
	40001: "invalid credential",
	40003: "invalid userid",
	40013: "invalid corpid",
	45009: "api freq out of limit",
	45033: "api concurrent out of limit",
}

// textOf is the errmsg of code without its tail.
func textOf(product string, code wechat.Code) string {
	if text, ok := workTexts[code]; ok && product == work {
		return text
	}
	if text, ok := texts[code]; ok {
		return text
	}
	if known, ok := wechat.Explain(product, code); ok {
		return known.English
	}
	return "error"
}

// tail is what the platform adds to the errmsg of a failure, so that its support can find the call: n numbers
// the calls.
func tail(product string, code wechat.Code, n int) string {
	now := time.Now().Unix()
	if product == work {
		return fmt.Sprintf(", hint: [%d_1_%032x], from ip: 127.0.0.1, more info at https://open.work.weixin.qq.com/devtool/query?e=%d", now, n, int(code))
	}
	return fmt.Sprintf(" rid: %08x-%08x-%08x", now, n, n)
}
