package officialaccount

import "github.com/seed175cf469/wechat"

// Product describes the API to functions that need to know it, such as [wechat.Client.Token].
func Product() *wechat.Product {
	p := product
	return &p
}
