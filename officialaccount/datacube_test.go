package officialaccount

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seed175cf469/wechat"
)

func TestStatsRequest(t *testing.T) {
	clockAt(t, "2024-03-01T16:30:00Z", func(t *testing.T) {
		s := &server{}
		oa := s.client()
		if _, err := oa.GetUserSummary(t.Context(), LastDays(7)); err != nil {
			t.Fatal(err)
		}
		if _, err := oa.GetCardInfo(t.Context(), &GetCardInfoRequest{DateRange: *OneDay(Yesterday())}); err != nil {
			t.Fatal(err)
		}
		for path, want := range map[string]string{
			"/datacube/getusersummary":  `{"begin_date":"2024-02-24","end_date":"2024-03-01"}`,
			"/datacube/getcardcardinfo": `{"begin_date":"2024-03-01","end_date":"2024-03-01","cond_source":0}`,
		} {
			if got := s.to(path); len(got) != 1 || got[0].body != want {
				t.Errorf("%s: got %+v, want the body %s", path, got, want)
			}
		}
	})
}

// The tables of some pages have an object where the examples have a list.
func TestStatsWithoutList(t *testing.T) {
	row := UpstreamMsgDist{RefDate: "2024-02-01", CountInterval: Upstream6To10, MsgUser: 246}
	const text = `{"ref_date":"2024-02-01","count_interval":2,"msg_user":246}`
	for reply, want := range map[string][]UpstreamMsgDist{
		`{"list":[` + text + `]}`: {row},
		`{"list":` + text + `}`:   {row},
		`{"list":[]}`:             {},
		`{"list":{}}`:             nil,
		`{}`:                      nil,
	} {
		s := &server{reply: func(r request) response {
			if strings.HasPrefix(r.path, "/datacube/") {
				return jsonBody(reply)
			}
			return response{}
		}}
		got, err := s.client().GetUpstreamMsgDistMonth(t.Context(), OneDay("2024-02-01"))
		if err != nil || len(got.List) != len(want) || len(want) > 0 && !reflect.DeepEqual(got.List, want) {
			t.Errorf("%s: got %v, %v, want %v", reply, got, err, want)
		}
	}
}

func TestInterfaceSummaryHour(t *testing.T) {
	s := &server{reply: func(r request) response {
		if r.path != "/datacube/getinterfacesummaryhour" {
			return response{}
		}
		return jsonBody(`{"list":{"ref_date":"2024-03-01","ref_hour":2300,"callback_count":331,"fail_count":18,"total_time_cost":167870,"max_time_cost":5042}}`)
	}}
	got, err := s.client().GetInterfaceSummaryHour(t.Context(), OneDay("2024-03-01"))
	if err != nil {
		t.Fatal(err)
	}
	want := []InterfaceSummaryHour{{RefHour: 2300, InterfaceSummary: InterfaceSummary{
		RefDate: "2024-03-01", CallbackCount: 331, FailCount: 18, TotalTimeCost: 167870, MaxTimeCost: 5042,
	}}}
	if !reflect.DeepEqual(got.List, want) {
		t.Errorf("got %+v, want %+v", got.List, want)
	}
}

func TestContentStats(t *testing.T) {
	for delay, want := range map[string]bool{"false": false, "true": true, "0": false, "1": true} {
		s := &server{reply: func(r request) response {
			if r.path != "/datacube/getarticletotaldetail" {
				return response{}
			}
			return jsonBody(`{"is_delay":` + delay + `,"list":[{"ref_date":"2025-11-01","msgid":"2247490098_1","publish_type":1,"detail_list":[
				{"stat_date":"2025-11-01","read_user":4123,"read_user_source":[{"user_count":4123,"scene_desc":"全部"}],"zaikan_user":191,
				"praise_money":100,"read_delivery_rate":1,"read_finish_rate":"0.35","read_jump_position":[{"position":2,"rate":0.5}]}]}]}`)
		}}
		got, err := s.client().GetArticleTotalDetail(t.Context(), OneDay("2025-11-01"))
		if err != nil {
			t.Fatal(err)
		}
		article := ArticleTotalDetail{RefDate: "2025-11-01", MsgID: "2247490098_1", PublishType: ArticleSilent, DetailList: []ArticleToDate{{
			StatDate: "2025-11-01",
			ContentFigures: ContentFigures{
				ContentReaders: ContentReaders{ReadUser: 4123, ReadUserSource: []ReadSource{{4123, "全部"}}}, ZaikanUser: 191,
			},
			PraiseMoney: 100, ReadDeliveryRate: 1, ReadFinishRate: 0.35, ReadJumpPosition: []ReadJumpPosition{{2, 0.5}},
		}}}
		if got.IsDelay != want || !reflect.DeepEqual(got.List, []ArticleTotalDetail{article}) {
			t.Errorf("is_delay %s: got %+v", delay, got)
		}
	}
}

const publisherPath = "/publisher/stat"

// The three calls have one path: the action tells them apart.
func TestPublisherActions(t *testing.T) {
	s := &server{}
	oa := s.client()
	ask := PublisherStatRequest{Page: 2, PageSize: 10, StartDate: "2024-02-01", EndDate: "2024-02-29"}
	_, err1 := oa.GetPublisherAdPosStat(t.Context(), &GetPublisherAdPosStatRequest{ask, AdSlotBizBottom})
	_, err2 := oa.GetPublisherCPSStat(t.Context(), &ask)
	_, err3 := oa.GetPublisherSettlement(t.Context(), &ask)
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{
		"action=publisher_adpos_general&ad_slot=SLOT_ID_BIZ_BOTTOM&end_date=2024-02-29&page=2&page_size=10&start_date=2024-02-01",
		"action=publisher_cps_general&end_date=2024-02-29&page=2&page_size=10&start_date=2024-02-01",
		"action=publisher_settlement&end_date=2024-02-29&page=2&page_size=10&start_date=2024-02-01",
	} {
		r := s.to(publisherPath)[i]
		r.query.Del("access_token")
		if got := r.query.Encode(); r.method != "GET" || got != want {
			t.Errorf("got %s %s, want GET %s", r.method, got, want)
		}
	}
}

// Refusals of the publisher's figures come with neither errcode nor another HTTP status.
func TestPublisherRefused(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second) // a minute's limit is not waited for
	defer cancel()
	ask := PublisherStatRequest{Page: 1, PageSize: 90, StartDate: "2024-02-01", EndDate: "2024-02-29"}
	calls := map[string]func(*Client) (any, error){
		"GetPublisherAdPosStat": func(oa *Client) (any, error) {
			return oa.GetPublisherAdPosStat(ctx, &GetPublisherAdPosStatRequest{PublisherStatRequest: ask})
		},
		"GetPublisherCPSStat":    func(oa *Client) (any, error) { return oa.GetPublisherCPSStat(ctx, &ask) },
		"GetPublisherSettlement": func(oa *Client) (any, error) { return oa.GetPublisherSettlement(ctx, &ask) },
	}
	for ret, kind := range map[int]wechat.Kind{
		45009: wechat.ErrRateLimited, 1701: wechat.ErrInvalidRequest, 2009: wechat.ErrForbidden, 7: 0,
	} {
		s := &server{reply: func(r request) response {
			if r.path != publisherPath {
				return response{}
			}
			return jsonBody(fmt.Sprintf(`{"base_resp":{"err_msg":"refused, access_token=%s","ret":%d}}`, r.query.Get("access_token"), ret))
		}}
		for name, call := range calls {
			page, err := call(s.client())
			var failure *wechat.Error
			if !errors.As(err, &failure) {
				t.Fatalf("%s: got %v, %v, want an error", name, page, err)
			}
			if !reflect.ValueOf(page).IsNil() {
				t.Errorf("%s: got the page %v", name, page)
			}
			if failure.Code != wechat.Code(ret) || failure.Kind != kind || failure.Endpoint != name || failure.App != testApp.ID {
				t.Errorf("%s: got %#v, want the code %d of %v", name, failure, ret, kind)
			}
			if !strings.HasPrefix(failure.Message, "refused") || strings.Contains(err.Error(), "FAKE_TOKEN") {
				t.Errorf("%s: the message is %q", name, err)
			}
		}
	}
}

func TestAllPublisherAdPosStats(t *testing.T) {
	for _, tt := range []struct {
		name        string
		pages       []int // rows of each page; the last is repeated
		total, rows int
		asked       []string
	}{
		{"two pages", []int{90, 10}, 100, 100, []string{"1", "2"}},
		{"a page that is full", []int{90}, 90, 90, []string{"1"}},
		{"nothing", []int{0}, 0, 0, []string{"1"}},
		{"a total that is too high", []int{90, 0}, 1000, 90, []string{"1", "2"}},
		{"a page that comes again and again", []int{90}, 250, 270, []string{"1", "2", "3"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &server{reply: func(r request) response {
				if r.path != publisherPath {
					return response{}
				}
				n, _ := strconv.Atoi(r.query.Get("page"))
				rows := strings.Repeat(`{"slot_id":3030046789020061,"income":"52175","ecpm":286.9},`, tt.pages[min(n, len(tt.pages))-1])
				return jsonBody(fmt.Sprintf(`{"base_resp":{"err_msg":"ok","ret":0},"list":[%s],"total_num":%d}`, strings.TrimSuffix(rows, ","), tt.total))
			}}
			got := collect(t, s.client().AllPublisherAdPosStats(t.Context(), &DateRange{"2024-02-01", "2024-02-29"}, ""))
			if len(got) != tt.rows {
				t.Errorf("got %d rows, want %d", len(got), tt.rows)
			}
			if len(got) > 0 && (got[0].SlotID != 3030046789020061 || got[0].Income != 52175) {
				t.Errorf("got %+v", got[0])
			}
			var asked []string
			for _, r := range s.to(publisherPath) {
				asked = append(asked, r.query.Get("page"))
				if r.query.Get("page_size") != "90" || r.query.Has("ad_slot") {
					t.Errorf("asked for %v", r.query)
				}
			}
			if !reflect.DeepEqual(asked, tt.asked) {
				t.Errorf("asked for the pages %v, want %v", asked, tt.asked)
			}
		})
	}
}

func TestAllPublisherRefused(t *testing.T) {
	s := &server{reply: func(r request) response {
		if r.path != publisherPath {
			return response{}
		}
		return jsonBody(`{"base_resp":{"err_msg":"invalid publisher","ret":2009}}`)
	}}
	n := 0
	for row, err := range s.client().AllPublisherCPSStats(t.Context(), OneDay("2024-03-01")) {
		if n++; !errors.Is(err, wechat.Code(2009)) || n > 1 {
			t.Fatalf("got %v, %v", row, err)
		}
	}
	if n != 1 {
		t.Errorf("got %d errors, want 1", n)
	}
}

// The same field is a name here and a number in the figures, and a number may come as text.
func TestSettlements(t *testing.T) {
	s := &server{reply: func(r request) response {
		if r.path != publisherPath {
			return response{}
		}
		return jsonBody(`{"base_resp":{"err_msg":"ok","ret":0},"revenue_all":5178368698,"settlement_list":[{"month":"202003","order":1,
			"sett_status":1,"settled_revenue":718926045,"mail_send_cnt":0,
			"slot_revenue":[{"slot_id":"SLOT_ID_BIZ_BOTTOM","slot_settled_revenue":34139443}]}],"total_num":1}`)
	}}
	got := collect(t, s.client().AllPublisherSettlements(t.Context(), &DateRange{"2020-03-01", "2020-03-15"}))
	want := []Settlement{{Month: "202003", Order: 1, SettStatus: SettlementOpen, SettledRevenue: 718926045, MailSendCnt: "0",
		SlotRevenue: []SlotRevenue{{AdSlotBizBottom, 34139443}}}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
