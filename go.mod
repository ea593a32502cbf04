module github.com/seed175cf469/wechat

go 1.25.0

require (
	github.com/go-resty/resty/v2 v2.17.2
	github.com/patrickmn/go-cache v2.1.0+incompatible
	go.uber.org/goleak v1.3.0
	golang.org/x/sync v0.20.0
)

require golang.org/x/net v0.43.0 // indirect
