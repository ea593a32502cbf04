package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/seed175cf469/wechat"
)

// kind is a kind of messages that send can send.
type kind struct {
	name, product, endpoint string
	page                    string   // the field that --url or --page fills
	columns                 []string // where the recipient is looked for
}

// kinds are all of them.
func kinds() []kind {
	person := []string{"openid", "touser"}
	return []kind{
		{"template", "officialaccount", "SendTemplateMessage", "url", person},
		{"subscribe", "miniprogram", "SendSubscribeMessage", "page", person},
		{"subscribe", "officialaccount", "SendSubscribeNotice", "page", person},
		{"custom", "officialaccount", "SendCustomMessage", "", person},
		{"work", "work", "SendMessage", "", []string{"userid", "touser"}},
	}
}

// kindOf finds a kind by its name: on the product that was told, or else on the first that has it.
func kindOf(name string, a *account) (kind, error) {
	var names []string
	found := kind{}
	for _, k := range kinds() {
		if !slices.Contains(names, k.name) {
			names = append(names, k.name)
		}
		if k.name == name && (found.name == "" || a.explicit && k.product == a.Name) {
			found = k
		}
	}
	switch {
	case found.name == "":
		return found, usage(fmt.Errorf("unknown kind %q: there are %s", name, strings.Join(names, ", ")))
	case a.explicit && found.product != a.Name:
		return found, usage(fmt.Errorf("messages of the kind %s are not sent by %s", name, a.Name))
	}
	return found, nil
}

// composition says how rows become messages.
type composition struct {
	to, key, templateID, page, text, message string
	data                                     []string
}

// composer makes messages of rows.
type composer struct {
	kind      kind
	form      *form
	message   any      // JSON, with columns in braces in its texts
	to, key   string   // columns; to is "" where it has to be found
	values    []string // the keys of template data
	templated bool
}

func newComposer(k kind, spec wechat.Spec, o composition) (*composer, error) {
	c := &composer{kind: k, form: newForm(spec), to: o.to, key: o.key, templated: k.name == "template" || k.name == "subscribe"}
	message := map[string]any{}
	if o.message != "" {
		raw := []byte(o.message)
		if path, ok := strings.CutPrefix(o.message, "@"); ok {
			var err error
			if raw, err = os.ReadFile(path); err != nil { //nolint:gosec // G304: the file that the user names
				return nil, err
			}
		}
		if err := json.Unmarshal(raw, &message); err != nil {
			return nil, fmt.Errorf("--message is no JSON object: %w", err)
		}
	}
	if o.text != "" {
		if c.templated {
			return nil, fmt.Errorf("a message of the kind %s has no --text, but --data", k.name)
		}
		message["msgtype"], message["text"] = "text", map[string]any{"content": o.text}
	}
	if o.templateID != "" {
		message["template_id"] = o.templateID
	}
	if o.page != "" {
		if k.page == "" {
			return nil, fmt.Errorf("a message of the kind %s has no --page", k.name)
		}
		message[k.page] = o.page
	}
	if len(o.data) > 0 {
		data, err := templateData(o.data)
		if err != nil {
			return nil, err
		}
		if !c.templated {
			return nil, fmt.Errorf("a message of the kind %s has no --data, but --text", k.name)
		}
		message["data"], c.values = data, slices.Sorted(maps.Keys(data))
	}
	switch {
	case c.templated && message["template_id"] == nil:
		return nil, errors.New("--template-id is missing")
	case c.templated && message["data"] == nil:
		return nil, errors.New("--data is missing: for each key of the template KEY=COLUMN")
	case !c.templated && message["msgtype"] == nil:
		return nil, errors.New("--text or --message is missing")
	}
	c.message = message
	return c, nil
}

// templateData reads the mapping of columns to the data of a template. A value without braces is a column.
func templateData(pairs []string) (map[string]any, error) {
	data := map[string]any{}
	for _, pair := range pairs {
		key, value, ok := strings.Cut(pair, "=")
		if !ok || key == "" || value == "" {
			return nil, fmt.Errorf("--data %q is not of the form KEY=COLUMN", pair)
		}
		if !strings.ContainsAny(value, "{}") {
			value = "{" + value + "}"
		}
		data[strings.TrimSuffix(key, ".DATA")] = map[string]any{"value": value}
	}
	return data, nil
}

// compose makes the message of a row.
func (c *composer) compose(x row) (row, error) {
	for _, column := range append([]string{c.to}, c.kind.columns...) {
		if value, ok := x.columns[column]; ok && column != "" {
			x.recipient = strings.TrimSpace(value)
			break
		}
		if column == c.to && c.to != "" {
			return x, fmt.Errorf("there is no column %q%s", c.to, columnsThere(x.columns))
		}
	}
	if x.recipient == "" {
		return x, fmt.Errorf("it has no recipient, which stands in the column %s, or the one that --to names", strings.Join(c.kind.columns, " or "))
	}
	x.key = x.recipient
	if c.key != "" {
		if x.key = x.columns[c.key]; x.key == "" {
			return x, fmt.Errorf("the column %q, which --key names, is empty%s", c.key, columnsThere(x.columns))
		}
	}
	filled, err := fillIn(c.message, x.columns)
	if err != nil {
		return x, err
	}
	message, _ := filled.(map[string]any)
	message["touser"] = x.recipient
	if err := c.empty(message); err != nil {
		return x, err
	}
	fields := make(map[string]json.RawMessage, len(message))
	for name, value := range message {
		if fields[name], err = json.Marshal(value); err != nil {
			return x, err
		}
	}
	if missing := c.form.missing(fields); len(missing) > 0 {
		return x, fmt.Errorf("the message lacks %s", strings.Join(missing, ", "))
	}
	x.request, err = c.form.request(fields, nil)
	return x, err
}

// empty refuses a value of a template that says nothing: the platform would refuse it, or show a gap.
func (c *composer) empty(message map[string]any) error {
	data, _ := message["data"].(map[string]any)
	for _, key := range c.values {
		value, _ := data[key].(map[string]any)
		if text, _ := value["value"].(string); strings.TrimSpace(text) == "" {
			return fmt.Errorf("%s is empty", key)
		}
	}
	return nil
}

// fillIn puts the values of a row in the place of columns in braces, in all texts of a JSON value.
func fillIn(v any, columns map[string]string) (any, error) {
	var err error
	switch v := v.(type) {
	case string:
		return expand(v, columns)
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			if out[i], err = fillIn(e, columns); err != nil {
				return nil, err
			}
		}
		return out, nil
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, e := range v {
			if out[name], err = fillIn(e, columns); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	return v, nil
}

// expand puts the values of a row into a text. Two braces stand for one.
func expand(text string, columns map[string]string) (string, error) {
	var b strings.Builder
	for rest := text; ; {
		i := strings.IndexAny(rest, "{}")
		if i < 0 {
			b.WriteString(rest)
			return b.String(), nil
		}
		b.WriteString(rest[:i])
		brace := rest[i]
		rest = rest[i+1:]
		if rest != "" && rest[0] == brace {
			b.WriteByte(brace)
			rest = rest[1:]
			continue
		}
		name, after, ok := strings.Cut(rest, "}")
		if brace == '}' || !ok {
			return "", fmt.Errorf("%q has a single brace: columns stand in two of them, and a brace is written twice", text)
		}
		value, there := columns[name]
		if !there {
			return "", fmt.Errorf("there is no column %q%s", name, columnsThere(columns))
		}
		b.WriteString(value)
		rest = after
	}
}

// columnsThere is the end of an error about a column that is not there.
func columnsThere(columns map[string]string) string {
	return ", but " + strings.Join(slices.Sorted(maps.Keys(columns)), ", ")
}
