package wechat

import (
	_ "embed"
	"strconv"
	"strings"
)

// errcodeTable has a line for each code of a product: code, product (oa, mp, work; * for all), class, meaning in
// English, in Chinese, advice. It is searched as text, as an errcode is looked up only after a failure.
//
//go:embed errcodes.tsv
var errcodeTable string

// Explanation is what is known of an errcode.
type Explanation struct {
	English string
	Chinese string
	Advice  string // what to do, in English; may be empty
	Kind    Kind   // 0: none fits
}

// Explain tells what code means to product ("officialaccount", "miniprogram" or "work"). The table is this
// package's own digest of the documentation; false means that it does not know the code.
func Explain(product string, code Code) (Explanation, bool) {
	row, ok := errcode(product, code)
	if !ok {
		return Explanation{}, false
	}
	return Explanation{English: row.english, Chinese: row.chinese, Advice: row.advice, Kind: row.kind()}, true
}

type errcodeRow struct{ class, english, chinese, advice string }

// classKinds maps the classes of the table. Codes of a person's quota (rate_user) are refilled by what the person
// does, not by waiting. A conflict or a missing thing is a request that cannot work as it stands.
var classKinds = map[string]Kind{
	"bad_request":    ErrInvalidRequest,
	"conflict":       ErrInvalidRequest,
	"not_found":      ErrInvalidRequest,
	"permission":     ErrForbidden,
	"bad_credential": ErrCredential,
	"token_invalid":  ErrTokenInvalid,
	"user_state":     ErrUnreachable,
	"rate_user":      ErrUnreachable,
	"rate_minute":    ErrRateLimited,
	"rate_day":       ErrQuotaExhausted,
	"content":        ErrContent,
	"server":         ErrBusy,
	"busy":           ErrBusy,
}

func (r errcodeRow) kind() Kind { return classKinds[r.class] }

// errcode looks a code up.
func errcode(product string, code Code) (errcodeRow, bool) {
	short := map[string]string{"officialaccount": "oa", "miniprogram": "mp", "work": "work"}[product]
	for _, p := range []string{short, "*"} {
		key := strconv.Itoa(int(code)) + "\t" + p + "\t"
		rest, ok := strings.CutPrefix(errcodeTable, key)
		if !ok {
			_, rest, ok = strings.Cut(errcodeTable, "\n"+key)
		}
		if !ok {
			continue
		}
		line, _, _ := strings.Cut(rest, "\n")
		f := strings.Split(line, "\t")
		return errcodeRow{class: f[0], english: f[1], chinese: f[2], advice: f[3]}, true
	}
	return errcodeRow{}, false
}
