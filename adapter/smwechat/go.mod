module github.com/seed175cf469/wechat/adapter/smwechat

go 1.26

require (
	github.com/emmansun/gmsm v0.41.1
	github.com/seed175cf469/wechat v0.0.0
)

require (
	github.com/go-resty/resty/v2 v2.17.2 // indirect
	github.com/patrickmn/go-cache v2.1.0+incompatible // indirect
	golang.org/x/crypto v0.48.0 // indirect
	golang.org/x/net v0.49.0 // indirect
	golang.org/x/sync v0.20.0 // indirect
)

replace github.com/seed175cf469/wechat => ../../
