package mock_test

import (
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	oa "github.com/seed175cf469/wechat/officialaccount"
)

func TestTemplates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c := official(once)
		ctx := t.Context()
		set := func(one, two string) error {
			return c.SetIndustry(ctx, &oa.SetIndustryRequest{IndustryID1: one, IndustryID2: two})
		}
		add := func(short string, keywords ...string) (string, error) {
			r, err := c.AddTemplate(ctx, &oa.AddTemplateRequest{TemplateIDShort: short, KeywordNameList: keywords})
			if err != nil {
				return "", err
			}
			return r.TemplateID, nil
		}
		list := func() []oa.Template { return must[*oa.ListTemplatesReply](t)(c.ListTemplates(ctx)).TemplateList }

		if r := must[*oa.GetIndustryReply](t)(c.GetIndustry(ctx)); *r != (oa.GetIndustryReply{}) {
			t.Errorf("industries before they are set: %+v", r)
		}
		wantEqual(t, "templates", len(list()), 0)
		free := must[string](t)(add("OPENTM1"))
		wantCode(t, set("1", "42"), 40102)
		wantCode(t, set("1", "31"), 0)
		if r := must[*oa.GetIndustryReply](t)(c.GetIndustry(ctx)); r.PrimaryIndustry.SecondClass != "1" || r.SecondaryIndustry.SecondClass != "31" {
			t.Errorf("industries are %+v", r)
		}
		first := must[string](t)(add("43210", "订单号", "时间"))
		if l := list(); len(l) != 2 || l[1].TemplateID != first || l[1].Content != "订单号:{{thing1.DATA}}\n时间:{{thing2.DATA}}\n" {
			t.Errorf("templates are %+v", l)
		}
		_, err := add("43210")
		wantCode(t, err, 40246)
		_, err = add("")
		wantCode(t, err, 40037)

		wantCode(t, set("2", "31"), 43100)
		time.Sleep(30 * 24 * time.Hour)
		wantCode(t, set("2", "31"), 0)
		if l := list(); len(l) != 1 || l[0].TemplateID != free {
			t.Errorf("templates after an industry was dropped: %+v", l)
		}
		for i := range 24 {
			must[string](t)(add("TM" + strconv.Itoa(i)))
		}
		_, err = add("TM9")
		wantCode(t, err, 45026)
		wantCode(t, c.DeleteTemplate(ctx, &oa.DeleteTemplateRequest{TemplateID: free}), 0)
		wantCode(t, c.DeleteTemplate(ctx, &oa.DeleteTemplateRequest{TemplateID: free}), 40037)
		must[string](t)(add("TM9"))
	})
}
