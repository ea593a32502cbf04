package wire

import "testing"

func TestRequestID(t *testing.T) {
	tests := map[string]string{
		"invalid credential, access_token is invalid or not latest rid: 65000000-0badcafe-00000001":                                      "65000000-0badcafe-00000001",
		"invalid args rid: 65000000-0badcafe-00000001.":                                                                                  "65000000-0badcafe-00000001",
		"invalid ip 203.0.113.7 ipv6 ::ffff:203.0.113.7, not in whitelist rid: 65000000-0badcafe-00000001":                               "65000000-0badcafe-00000001",
		"bad rid: old, see rid: 65000000-0badcafe-00000002":                                                                              "65000000-0badcafe-00000002",
		"media data missing hint: [FAKE00000001]":                                                                                        "FAKE00000001", // P084
		"invalid code hint : [req_id: FAKE00000001]":                                                                                     "FAKE00000001",
		"invalid ip 203.0.113.7, not in whitelist hint:[FAKE00000001]":                                                                   "FAKE00000001",
		"empty media data, hint: [1700000000_1_0123456789abcdef0123456789abcdef], from ip: 203.0.113.7, more info at https://x.invalid/": "1700000000_1_0123456789abcdef0123456789abcdef", // P091
		"invalid charset. please check your request, if include \\uxxxx will create fail! rid: 65000000-0badcafe-00000001":               "65000000-0badcafe-00000001",                    // P077
		"ok":                                "",
		"":                                  "",
		"rid:":                              "",
		"rid: ":                             "",
		"hybrid: 5":                         "",
		"open_rid: 5":                       "",
		"hint: []":                          "",
		"hint: [cut":                        "",
		"hint: none":                        "",
		"rid: !, hint: [FAKE00000001]":      "FAKE00000001",
		"中文rid: 65000000-0badcafe-00000001": "65000000-0badcafe-00000001",
	}
	for message, want := range tests {
		if got := RequestID(message); got != want {
			t.Errorf("RequestID(%q) = %q, want %q", message, got, want)
		}
	}
}

func TestCallerIP(t *testing.T) {
	tests := map[string]string{
		"invalid ip 203.0.113.7 ipv6 ::ffff:203.0.113.7, not in whitelist rid: 65000000-0badcafe-00000001": "203.0.113.7",
		"invalid ip 203.0.113.7, not in whitelist hint:[FAKE]":                                             "203.0.113.7",
		"invalid ip ::ffff:203.0.113.7, not in whitelist":                                                  "203.0.113.7",
		"invalid ip  ipv6 2001:db8::7, not in whitelist":                                                   "2001:db8::7",
		"not allow to access from your ip, hint: [1700000000_1_0], from ip: 203.0.113.7, more info at x":   "203.0.113.7",
		"from ip:203.0.113.7, more info":                                                                   "203.0.113.7",
		"from ip: 2001:db8::7.":                                                                            "2001:db8::7",
		"invalid domain 203.0.113.7":                                                                       "",
		"invalid ip":                                                                                       "",
		"ip 999.0.0.1":                                                                                     "",
		"":                                                                                                 "",
	}
	for message, want := range tests {
		if got := CallerIP(message); got != want {
			t.Errorf("CallerIP(%q) = %q, want %q", message, got, want)
		}
	}
}
