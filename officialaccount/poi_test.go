package officialaccount

import "testing"

// A store's id is a number in one reply and text in the next call; the total can be text.
func TestAllPOIs(t *testing.T) {
	s := answer("/cgi-bin/poi/getpoilist",
		`{"errcode":0,"business_list":[{"base_info":{"sid":"101","business_name":"a","poi_id":271262077,"available_state":3}}],"total_count":"2"}`,
		`{"errcode":0,"business_list":[{"base_info":{"business_name":"b","poi_id":"271262078","available_state":"2"}}],"total_count":"2"}`)
	stores := collect(t, s.client().AllPOIs(t.Context()))
	if len(stores) != 2 || stores[0].POIID != "271262077" || stores[0].SID != "101" || stores[0].AvailableState != POIPassed ||
		stores[1].POIID != "271262078" || stores[1].AvailableState != POIInReview {
		t.Errorf("the stores are %+v", stores)
	}
	sameJSON(t, s.to("/cgi-bin/poi/getpoilist")[1].body, `{"begin":1,"limit":50}`)
}
