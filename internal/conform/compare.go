package conform

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/catalog"
)

// compare lists how have differs from the catalogue, a line each, and the endpoints that it lacks.
func compare(product string, want []*catalog.Endpoint, have []wechat.Spec) (differences []string, missing []*catalog.Endpoint) {
	specs := map[string]wechat.Spec{}
	for _, s := range have {
		if _, twice := specs[s.Name]; twice {
			differences = append(differences, fmt.Sprintf("%s.%s: stands twice", product, s.Name))
		}
		specs[s.Name] = s
	}
	for _, w := range want {
		s, ok := specs[w.Name]
		if !ok {
			missing = append(missing, w)
			continue
		}
		delete(specs, w.Name)
		differences = append(differences, differ(w, s)...)
	}
	for _, name := range names(specs, map[string]bool{}) {
		differences = append(differences, fmt.Sprintf("%s.%s: not in the catalogue", product, name))
	}
	return differences, missing
}

// differ lists how one endpoint differs from the catalogue.
func differ(w *catalog.Endpoint, s wechat.Spec) []string {
	d := difference{at: w.Product + "." + w.Name}
	h := s.Describe()
	if h.Product != w.Product {
		d.add("", "product is %q", h.Product)
	}
	if h.Method != w.Method || h.Path != w.Path {
		d.add("", "is %s %s, the catalogue says %s %s", h.Method, h.Path, w.Method, w.Path)
	}
	if h.Effect != w.Effect {
		d.add("", "effect is %s, the catalogue says %s", h.Effect, w.Effect)
	}
	if h.Recipient == "" && hidesRecipient(s) {
		h.Recipient = strings.Join(w.Recipients, ", ")
	}
	d.recipients(w.Recipients, h.Recipient)
	d.fields(" query", w.Query, h.Query, true)
	d.fields(" request", w.Request, h.Request, true)
	d.fields(" reply", w.Reply, h.Reply, false)
	return d.lines
}

// difference gathers lines about one endpoint.
type difference struct {
	at    string
	lines []string
}

func (d *difference) add(where, format string, args ...any) {
	d.lines = append(d.lines, d.at+where+": "+fmt.Sprintf(format, args...))
}

// recipients compares the fields that To reads with the recipients of the catalogue. To may leave out those that
// name no person (a party beside a member), but it must read one.
func (d *difference) recipients(want []string, have string) {
	listed := strings.Join(want, ", ")
	if (have == "") != (listed == "") {
		d.add("", "recipient is %q, the catalogue says %q", have, listed)
		return
	}
	known := func(path string) bool {
		return slices.ContainsFunc(want, func(w string) bool {
			w = strings.ReplaceAll(w, "[]", "")
			return path == w || strings.HasPrefix(path, w+".")
		})
	}
	for path := range strings.SplitSeq(have, ", ") {
		if have != "" && !known(path) {
			d.add("", "recipient %q is not one of the catalogue's, %q", path, listed)
		}
	}
}

// hidesRecipient reports whether To reads the request and gives it back in a form of its own, such as a digest of the
// key of a robot, so that the description cannot tell which field it was.
func hidesRecipient(s wechat.Spec) bool {
	return s.To != nil && !slices.Equal(s.To(filledFrom(s, 1000)), s.To(filledFrom(s, 1_000_000)))
}

func (d *difference) fields(where string, want map[string]*catalog.Type, have map[string]*wechat.Shape, request bool) {
	for _, name := range names(want, have) {
		w, h, at := want[name], have[name], where+"."+name
		switch {
		case h == nil:
			d.add(at, "missing")
		case w == nil:
			d.add(at, "not in the catalogue")
		default:
			if request && name != catalog.Whole && w.Required != h.Required {
				d.add(at, "required is %v, the catalogue says %v", h.Required, w.Required)
			}
			d.types(at, w, h, request)
		}
	}
}

func (d *difference) types(at string, w *catalog.Type, h *wechat.Shape, request bool) {
	switch {
	case w.Kind == "any" || h.Type == "any":
	case w.Kind != h.Type:
		d.add(at, "type is %s, the catalogue says %s", h.Type, w.Kind)
	case w.Kind == "object":
		d.fields(at, w.Fields, h.Fields, request)
	case w.Elem != nil:
		d.types(at+"[]", w.Elem, h.Elem, request)
	}
}
