package jssdk

import "testing"

func TestSign(t *testing.T) {
	const (
		ticket = "sM4AOVdWfPE4DxkXGEs8VMCPGGVi4C3VM0P37wVUCFvkVAy_90u5h9nbSlYy3-Sl-HhTdfl2fzFy1AOcHKP7qg"
		nonce  = "Wm3WZYTPz0wzccnW"
		at     = 1414587457
	)
	tests := []struct{ name, url, want string }{
		{"with a query", "http://mp.weixin.qq.com?params=value", "0f9de62fce790f9a083d5c99e95740ceb90c27ed"},
		{"without", "http://mp.weixin.qq.com", "f4d90daf4b3bca3078ab155816175ba34c443a7b"},
		{"the fragment does not count", "http://mp.weixin.qq.com?params=value#top", "0f9de62fce790f9a083d5c99e95740ceb90c27ed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Sign(ticket, nonce, at, tt.url); got != tt.want {
				t.Errorf("Sign = %s, want %s", got, tt.want)
			}
		})
	}
}
