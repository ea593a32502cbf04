// Package wechat calls WeChat's server APIs from programs that send at scale.
package wechat
