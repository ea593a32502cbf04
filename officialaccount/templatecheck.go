package officialaccount

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/seed175cf469/wechat"
)

// TemplateChecker compares template messages with the account's templates before they are sent. The server drops a value
// whose key the template does not have, and shows a gap for one that is missing, without an error. It is safe for
// concurrent use.
type TemplateChecker struct {
	client *Client
	maxAge time.Duration
	turn   chan struct{} // guards what follows; a channel, as the wait for it must end with ctx

	keys  map[string][]string // by template id
	asked time.Time
}

// NewTemplateChecker returns a TemplateChecker that asks for the templates of c's account at the first check and then
// whenever what it knows is older than maxAge.
func NewTemplateChecker(c *Client, maxAge time.Duration) *TemplateChecker {
	return &TemplateChecker{client: c, maxAge: maxAge, turn: make(chan struct{}, 1)}
}

// Check returns an error that matches wechat.ErrInvalidRequest when the template is not the account's, or when the keys of
// the message's Data are not those of the template. Any other error is that of ListTemplates.
func (t *TemplateChecker) Check(ctx context.Context, m *TemplateMessage) error {
	want, ok, err := t.keysOf(ctx, m.TemplateID)
	if err != nil {
		return err
	}
	if !ok {
		return t.invalid("the account has no template of the id %q", m.TemplateID)
	}
	var missing, unknown []string
	for _, key := range want {
		if _, ok := m.Data[key]; !ok {
			missing = append(missing, key)
		}
	}
	for key := range m.Data {
		if !slices.Contains(want, key) {
			unknown = append(unknown, key)
		}
	}
	if len(missing)+len(unknown) == 0 {
		return nil
	}
	slices.Sort(unknown)
	return t.invalid("the data does not fit the template: missing %s; not in the template %s", list(missing), list(unknown))
}

func list(keys []string) string {
	if len(keys) == 0 {
		return "none"
	}
	return strings.Join(keys, ", ")
}

func (t *TemplateChecker) invalid(format string, args ...any) error {
	return &wechat.Error{Kind: wechat.ErrInvalidRequest, Endpoint: sendTemplateMessage.Name, App: t.client.appID,
		Err: fmt.Errorf(format, args...)}
}

// keysOf looks up the keys of a template, and asks the server where what is known is too old or does not have it.
func (t *TemplateChecker) keysOf(ctx context.Context, templateID string) (keys []string, ok bool, err error) {
	select {
	case t.turn <- struct{}{}:
		defer func() { <-t.turn }()
	case <-ctx.Done():
		return nil, false, ctx.Err()
	}
	keys, ok = t.keys[templateID]
	maxAge := t.maxAge
	if !ok {
		maxAge = min(maxAge, time.Minute) // it may have been added since
	}
	if t.keys != nil && time.Since(t.asked) < maxAge {
		return keys, ok, nil
	}
	reply, err := t.client.ListTemplates(ctx)
	if err != nil {
		return nil, false, err
	}
	t.keys, t.asked = make(map[string][]string, len(reply.TemplateList)), time.Now()
	for _, template := range reply.TemplateList {
		t.keys[template.TemplateID] = templateKeys(template.Content)
	}
	keys, ok = t.keys[templateID]
	return keys, ok, nil
}

var placeholder = regexp.MustCompile(`\{\{\s*(\w+)\.DATA\s*\}\}`)

// templateKeys finds each key once, in the order of the text.
func templateKeys(content string) []string {
	var keys []string
	for _, match := range placeholder.FindAllStringSubmatch(content, -1) {
		if !slices.Contains(keys, match[1]) {
			keys = append(keys, match[1])
		}
	}
	return keys
}
