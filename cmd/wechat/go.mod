module github.com/seed175cf469/wechat/cmd/wechat

go 1.26

require (
	github.com/seed175cf469/wechat v0.0.0
	github.com/spf13/cobra v1.10.2
)

require (
	github.com/go-resty/resty/v2 v2.17.2 // indirect
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/patrickmn/go-cache v2.1.0+incompatible // indirect
	github.com/spf13/pflag v1.0.9 // indirect
	golang.org/x/net v0.43.0 // indirect
	golang.org/x/sync v0.20.0 // indirect
)

replace github.com/seed175cf469/wechat => ../..
