package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestOpenAPI holds the document of all endpoints against the rules of OpenAPI 3.1, and the examples against their schemas.
func TestOpenAPI(t *testing.T) {
	r := command(t, "", "endpoints", "--openapi")
	if r.code != 0 {
		t.Fatal(r.err)
	}
	d := json.NewDecoder(strings.NewReader(r.out))
	d.UseNumber()
	var doc map[string]any
	if err := d.Decode(&doc); err != nil {
		t.Fatal(err)
	}
	info := doc["info"].(map[string]any)
	if doc["openapi"] != "3.1.0" || info["title"] == "" || info["version"] == "" {
		t.Errorf("%v, %v", doc["openapi"], info)
	}
	schemes := doc["components"].(map[string]any)["securitySchemes"].(map[string]any)
	requires := func(where string, security any) {
		for _, requirement := range security.([]any) {
			for name := range requirement.(map[string]any) {
				if schemes[name] == nil {
					t.Errorf("%s: no security scheme %q", where, name)
				}
			}
		}
	}
	requires("top", doc["security"])
	ids := map[string]bool{}
	for path, item := range doc["paths"].(map[string]any) {
		if !strings.HasPrefix(path, "/") || strings.ContainsAny(path, "{}?") {
			t.Errorf("path %q", path)
		}
		for method, member := range item.(map[string]any) {
			if method == "servers" {
				if url, _ := member.([]any)[0].(map[string]any)["url"].(string); !strings.HasPrefix(url, "https://") {
					t.Errorf("%s: server %q", path, url)
				}
				continue
			}
			if method != "get" && method != "post" {
				t.Errorf("%s: method %q", path, method)
			}
			op := member.(map[string]any)
			id, _ := op["operationId"].(string)
			if id == "" || ids[id] {
				t.Errorf("%s: operationId %q is empty or not the only one", path, id)
			}
			ids[id] = true
			if security, ok := op["security"]; ok {
				requires(id, security)
			}
			seen := map[string]bool{}
			parameters, _ := op["parameters"].([]any)
			for _, p := range parameters {
				p := p.(map[string]any)
				name, _ := p["name"].(string)
				if name == "" || seen[name] || p["in"] != "query" {
					t.Errorf("%s: parameter %v", id, p)
				}
				seen[name] = true
				checkMedia(t, id+" "+name, p)
			}
			if request, ok := op["requestBody"].(map[string]any); ok {
				checkContent(t, id+" request", request)
				if method == "get" {
					t.Errorf("%s: a body of a GET", id)
				}
			}
			ok := op["responses"].(map[string]any)["200"].(map[string]any)
			if ok["description"] == "" {
				t.Errorf("%s: a response without description", id)
			}
			checkContent(t, id+" response", ok)
		}
	}
	want := 0
	for _, p := range platforms() {
		want += len(p.specs)
		for _, s := range p.specs {
			if !ids[p.Name+"."+s.Name] {
				t.Errorf("%s.%s is not in it", p.Name, s.Name)
			}
		}
	}
	if len(ids) != want {
		t.Errorf("%d operations, want %d", len(ids), want)
	}
}

func checkContent(t *testing.T, where string, body map[string]any) {
	t.Helper()
	content := body["content"].(map[string]any)
	if len(content) == 0 {
		t.Errorf("%s: no content", where)
	}
	for kind, m := range content {
		if !slices.Contains([]string{typeJSON, typeForm, typeMultipart, typeBytes}, kind) {
			t.Errorf("%s: type %q", where, kind)
		}
		if _, example := m.(map[string]any)["example"]; !example && kind == typeJSON {
			t.Errorf("%s: no example", where)
		}
		checkMedia(t, where, m.(map[string]any))
	}
}

// checkMedia checks the schema of a parameter or a media type, and its example against it.
func checkMedia(t *testing.T, where string, m map[string]any) {
	t.Helper()
	s, ok := m["schema"].(map[string]any)
	if !ok {
		t.Errorf("%s: no schema", where)
		return
	}
	if example, ok := m["example"]; ok {
		if err := fits(example, s); err != nil {
			t.Errorf("%s: the example does not fit: %v", where, err)
		}
	}
	if err := sound(s); err != nil {
		t.Errorf("%s: %v", where, err)
	}
}

// sound checks a schema: its keywords, its types, and that what is required is there.
func sound(s map[string]any) error {
	properties, _ := s["properties"].(map[string]any)
	inside := []any{}
	for keyword, value := range s {
		switch keyword {
		case "type":
			if !slices.Contains([]any{"string", "boolean", "integer", "number", "array", "object"}, value) {
				return fmt.Errorf("a schema has a type %v", value)
			}
		case "required":
			for _, name := range value.([]any) {
				if properties[name.(string)] == nil {
					return fmt.Errorf("%v is required and not there", name)
				}
			}
		case "properties":
			for _, property := range properties {
				inside = append(inside, property)
			}
		case "items", "additionalProperties":
			inside = append(inside, value)
		case "const", "contentMediaType":
		default:
			return fmt.Errorf("a schema has a keyword %q", keyword)
		}
	}
	for _, inner := range inside {
		if err := sound(inner.(map[string]any)); err != nil {
			return err
		}
	}
	return nil
}

// fits is as much of JSON Schema as the document uses.
func fits(v any, s map[string]any) error {
	if want, ok := s["const"]; ok && fmt.Sprint(want) != fmt.Sprint(v) {
		return fmt.Errorf("%v is not %v", v, want)
	}
	wrong := fmt.Errorf("%v is no %v", v, s["type"])
	switch s["type"] {
	case "string":
		if _, ok := v.(string); !ok {
			return wrong
		}
	case "boolean":
		if _, ok := v.(bool); !ok {
			return wrong
		}
	case "integer", "number":
		if _, ok := v.(json.Number); !ok {
			return wrong
		}
	case "array":
		list, ok := v.([]any)
		if !ok {
			return wrong
		}
		for _, e := range list {
			if err := fits(e, s["items"].(map[string]any)); err != nil {
				return err
			}
		}
	case "object":
		object, ok := v.(map[string]any)
		if !ok {
			return wrong
		}
		properties, _ := s["properties"].(map[string]any)
		required, _ := s["required"].([]any)
		for _, name := range required {
			if _, ok := object[name.(string)]; !ok {
				return fmt.Errorf("%v is missing", name)
			}
		}
		for name, e := range object {
			inner, known := properties[name].(map[string]any)
			if more, ok := s["additionalProperties"].(map[string]any); ok && !known {
				inner, known = more, true
			}
			if !known {
				return fmt.Errorf("there is no %s", name)
			}
			if err := fits(e, inner); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return nil
}

// TestOpenAPIShared: endpoints on one path and endpoints of several products keep apart, and a path of its own is as it is.
func TestOpenAPIShared(t *testing.T) {
	one := command(t, "", "endpoints", "--openapi", "--product", "officialaccount", "sendtemplatemessage")
	if !strings.Contains(one.out, `"/cgi-bin/message/template/send": {`) {
		t.Error(one.out)
	}
	all := command(t, "", "endpoints", "--openapi")
	for _, want := range []string{`"/cgi-bin/token#officialaccount.GetAccessToken": {`, `"/cgi-bin/token#miniprogram.GetAccessToken": {`, `"url": "https://qyapi.weixin.qq.com"`} {
		if !strings.Contains(all.out, want) {
			t.Errorf("no %s", want)
		}
	}
	if again := command(t, "", "endpoints", "--openapi"); again.out != all.out {
		t.Error("it differs from run to run")
	}
}
