// Package conform holds the typed endpoints of a product package against the catalogue, and calls each of them once
// over a transport in memory. It is for the products' tests:
//
//	func TestConformance(t *testing.T) {
//		conform.Run(t, officialaccount.New, officialaccount.Endpoints(), conform.Options{Product: "officialaccount"})
//	}
package conform

import (
	"slices"
	"testing"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/catalog"
)

// Options says what is asked of a product.
type Options struct {
	Product  string   // as the catalogue names it
	Complete bool     // all endpoints of the catalogue must be there
	AtLeast  int      // where it is not complete: how many there are, so that none gets lost
	Helpers  []string // methods of the client that look like an endpoint and are none
}

// Run reports each difference between specs, the methods of the client that newClient makes, and the catalogue.
func Run[C any](t *testing.T, newClient func(wechat.Caller, wechat.App) C, specs []wechat.Spec, o Options) {
	t.Helper()
	want, err := catalog.Product(o.Product)
	if err != nil {
		t.Fatal(err)
	}
	report := func(t *testing.T, differences []string) {
		t.Helper()
		for _, d := range differences {
			t.Error(d)
		}
	}
	t.Run("Catalogue", func(t *testing.T) {
		differences, missing := compare(o.Product, want, specs)
		report(t, differences)
		have := len(want) - len(missing)
		t.Logf("%d of the catalogue's %d endpoints", have, len(want))
		switch {
		case o.Complete:
			for _, e := range missing {
				t.Errorf("%s.%s: missing (%s %s)", o.Product, e.Name, e.Method, e.Path)
			}
		case have < o.AtLeast:
			t.Errorf("%d endpoints, there should be %d", have, o.AtLeast)
		}
	})
	var calls map[string]*wechat.Call
	t.Run("Methods", func(t *testing.T) {
		var differences []string
		calls, differences = callAll(func(c wechat.Caller) any { return newClient(c, app) }, specs, o.Helpers)
		report(t, differences)
	})
	byName := map[string]*catalog.Endpoint{}
	for _, e := range want {
		byName[e.Name] = e
	}
	travels := func(name string, travel func(*catalog.Endpoint, wechat.Spec, *wechat.Call) []string) {
		t.Run(name, func(t *testing.T) {
			for _, s := range specs {
				if e, call := byName[s.Name], calls[s.Name]; e != nil && call != nil {
					report(t, travel(e, s, call))
				}
			}
		})
	}
	travels("Empty", emptyTravels)
	travels("Requests", requestTravels)
	travels("Replies", replyTravels)
}

// app is the account that the calls are made for.
var app = wechat.App{ID: "wx0123456789abcdef", Secret: "0123456789abcdef0123456789abcdef", AgentID: 1000002,
	TokenSource: wechat.StaticToken("TOKEN")}

// names are the keys of two sets of fields, in order.
func names[A, B any](a map[string]A, b map[string]B) []string {
	list := make([]string, 0, len(a)+len(b))
	for name := range a {
		list = append(list, name)
	}
	for name := range b {
		list = append(list, name)
	}
	slices.Sort(list)
	return slices.Compact(list)
}
