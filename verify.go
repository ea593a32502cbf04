package wechat

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed175cf469/wechat/ratelimit"
)

// Verify looks at an app before it is used: an empty id, white space around a credential, names in its Limits that
// are no endpoint of specs, and limits that can never grant. specs are what the product's Endpoints returns; without
// any, names are not looked at. It returns all that it finds, joined, or nil.
func Verify(app App, specs ...Spec) error {
	var errs []error
	complain := func(format string, args ...any) { errs = append(errs, fmt.Errorf("wechat: "+format, args...)) }
	if app.ID == "" {
		complain("App.ID is empty")
	}
	if secret := app.Secret.Reveal(); app.ID != strings.TrimSpace(app.ID) || secret != strings.TrimSpace(secret) {
		complain("App.ID or App.Secret has white space around it")
	}
	if app.Secret == "" && app.TokenSource == nil {
		complain("neither App.Secret nor App.TokenSource is set")
	}
	limits := func(where string, list []ratelimit.Limit) {
		for _, l := range list {
			if err := l.Validate(); err != nil {
				complain("%s: %w", where, err)
			}
		}
	}
	limits("Limits.App", app.Limits.App)
	limits("Limits.Recipient", app.Limits.Recipient)
	for _, named := range []struct {
		where string
		by    map[string][]ratelimit.Limit
	}{{"Limits.Endpoints", app.Limits.Endpoints}, {"Limits.Recipients", app.Limits.Recipients}} {
		for name, list := range named.by {
			limits(named.where+"["+name+"]", list)
			if len(specs) > 0 && !slices.ContainsFunc(specs, func(s Spec) bool { return s.Name == name }) {
				complain("%s: there is no endpoint %q", named.where, name)
			}
		}
	}
	if r := app.Limits.Reserve; r < 0 || r >= 1 {
		complain("Limits.Reserve is %v, not a share from 0 to 1", r)
	}
	return errors.Join(errs...)
}
