module github.com/seed175cf469/wechat/examples

go 1.26

replace github.com/seed175cf469/wechat => ../

require (
	github.com/jedib0t/go-pretty/v6 v6.9.2
	github.com/schollz/progressbar/v3 v3.19.1
	github.com/seed175cf469/wechat v0.0.0-00010101000000-000000000000
	golang.org/x/term v0.44.0
)

require (
	github.com/go-resty/resty/v2 v2.17.2 // indirect
	github.com/mattn/go-runewidth v0.0.16 // indirect
	github.com/mitchellh/colorstring v0.0.0-20190213212951-d06e56a500db // indirect
	github.com/patrickmn/go-cache v2.1.0+incompatible // indirect
	github.com/rivo/uniseg v0.4.7 // indirect
	golang.org/x/net v0.43.0 // indirect
	golang.org/x/sync v0.20.0 // indirect
	golang.org/x/sys v0.46.0 // indirect
	golang.org/x/text v0.28.0 // indirect
)
