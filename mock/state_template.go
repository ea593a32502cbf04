package mock

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	maxTemplates  = 25
	industries    = 41
	industryPause = 30 * 24 * time.Hour // between changes
)

// templates are the templates of an account and the industries that they come from.
type templates struct {
	list     []template
	industry [2]string // ids; empty: not set
	changed  time.Time
}

type template struct{ id, title, industry, content, example string }

// industryName is a name in the place of the platform's.
func industryName(id string) fields {
	if id == "" {
		return fields{}
	}
	return fields{"first_class": "industry", "second_class": id}
}

func (st *state) setIndustry(x *exchange) Reply {
	var ids [2]string
	for i := range ids {
		ids[i], _ = x.field("body", "industry_id"+strconv.Itoa(i+1))
		if n, err := strconv.Atoi(ids[i]); err != nil || n < 1 || n > industries {
			return refuse(40102)
		}
	}
	t := &st.templates
	if !t.changed.IsZero() && time.Since(t.changed) < industryPause {
		return refuse(43100)
	}
	t.industry, t.changed = ids, time.Now()
	t.list = slices.DeleteFunc(t.list, func(o template) bool { return o.industry != "" && !slices.Contains(ids[:], o.industry) })
	return done()
}

func (st *state) getIndustry(*exchange) Reply {
	ids := st.templates.industry
	return bare(fields{"primary_industry": industryName(ids[0]), "secondary_industry": industryName(ids[1])})
}

func (st *state) addTemplate(x *exchange) Reply {
	var r struct {
		Short    string   `json:"template_id_short"`
		Keywords []string `json:"keyword_name_list"`
	}
	x.into(&r)
	_, notDigits := strconv.Atoi(r.Short)
	switch {
	case r.Short == "":
		return refuse(40037)
	case notDigits == nil && len(r.Keywords) == 0:
		return refuse(40246)
	case len(st.templates.list) >= maxTemplates:
		return refuse(45026)
	}
	var content, example strings.Builder
	for i, keyword := range r.Keywords {
		fmt.Fprintf(&content, "%s:{{thing%d.DATA}}\n", keyword, i+1)
		fmt.Fprintf(&example, "%s:%s\n", keyword, keyword)
	}
	t := template{id: fmt.Sprintf("mock-template-%d", st.number()), title: r.Short, industry: st.templates.industry[0],
		content: content.String(), example: example.String()}
	st.templates.list = append(st.templates.list, t)
	return succeed(fields{"template_id": t.id})
}

func (st *state) listTemplates(*exchange) Reply {
	list := []fields{}
	for _, t := range st.templates.list {
		list = append(list, fields{"template_id": t.id, "title": t.title, "primary_industry": t.industry, "deputy_industry": "",
			"content": t.content, "example": t.example})
	}
	return bare(fields{"template_list": list})
}

func (st *state) deleteTemplate(x *exchange) Reply {
	id, _ := x.field("body", "template_id")
	i := slices.IndexFunc(st.templates.list, func(t template) bool { return t.id == id })
	if i < 0 {
		return refuse(40037)
	}
	st.templates.list = slices.Delete(st.templates.list, i, i+1)
	return done()
}
