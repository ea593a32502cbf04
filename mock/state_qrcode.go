package mock

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	month          = 30 * 24 * time.Hour // the longest that a temporary code or a short key works
	defaultQRLife  = time.Minute
	maxPermanentQR = 100_000
	maxSceneText   = 64 // characters
	maxShort       = 4 << 10
)

// qrCodes are the codes of an account.
type qrCodes struct {
	tickets   map[string]*qrCode
	permanent map[qrScene]*qrCode
}

type qrCode struct {
	ticket, url string
	expires     time.Time // zero: never
}

type qrScene struct {
	ID  int64  `json:"scene_id"`
	Str string `json:"scene_str"`
}

func (st *state) createQRCode(x *exchange) Reply {
	var r struct {
		Action  string `json:"action_name"`
		Expires int    `json:"expire_seconds"`
		Info    struct {
			Scene qrScene `json:"scene"`
		} `json:"action_info"`
	}
	x.into(&r)
	scene := r.Info.Scene
	byNumber := scene.ID != 0 && scene.Str == ""
	byText := scene.ID == 0 && scene.Str != "" && utf8.RuneCountInString(scene.Str) <= maxSceneText
	fits := map[string]bool{"QR_SCENE": byNumber, "QR_STR_SCENE": byText, "QR_LIMIT_STR_SCENE": byText,
		"QR_LIMIT_SCENE": byNumber && scene.ID >= 1 && scene.ID <= maxPermanentQR}
	ok, known := fits[r.Action]
	switch {
	case !known:
		return refuse(40052)
	case !ok || r.Expires < 0:
		return refuse(40053)
	}
	if strings.Contains(r.Action, "LIMIT") {
		return st.permanentQRCode(scene)
	}
	life := min(time.Duration(r.Expires)*time.Second, month)
	if life == 0 {
		life = defaultQRLife
	}
	q := st.newQRCode()
	q.expires = time.Now().Add(life)
	return bare(fields{"ticket": q.ticket, "url": q.url, "expire_seconds": int(life / time.Second)})
}

// permanentQRCode is the code of a scene, which has the same one for ever.
func (st *state) permanentQRCode(scene qrScene) Reply {
	q := st.qrCodes.permanent[scene]
	if q == nil {
		if len(st.qrCodes.permanent) >= maxPermanentQR {
			return refuse(45029)
		}
		q = st.newQRCode()
		if st.qrCodes.permanent == nil {
			st.qrCodes.permanent = map[qrScene]*qrCode{}
		}
		st.qrCodes.permanent[scene] = q
	}
	return bare(fields{"ticket": q.ticket, "url": q.url})
}

func (st *state) newQRCode() *qrCode {
	n := st.number()
	q := &qrCode{ticket: fmt.Sprintf("mock+ticket/%d==", n), url: fmt.Sprintf("http://weixin.qq.com/q/%d", n)}
	if st.qrCodes.tickets == nil {
		st.qrCodes.tickets = map[string]*qrCode{}
	}
	st.qrCodes.tickets[q.ticket] = q
	return q
}

// showQRCode does not know whose code it is.
func (st *state) showQRCode(x *exchange) Reply {
	for _, owner := range st.s.states {
		if q := owner.qrCodes.tickets[x.Query.Get("ticket")]; q != nil && (q.expires.IsZero() || time.Now().Before(q.expires)) {
			var picture bytes.Buffer
			_ = jpeg.Encode(&picture, image.NewGray(image.Rect(0, 0, 8, 8)), nil) // a Buffer takes everything
			return blob("image/jpg", picture.Bytes())
		}
	}
	return Page(http.StatusNotFound)
}

// shortText is a text behind a short key.
type shortText struct {
	text          string
	made, expires time.Time
}

func (st *state) shorten(x *exchange) Reply {
	var r struct {
		LongData string `json:"long_data"`
		Expires  int    `json:"expire_seconds"`
	}
	x.into(&r)
	life := time.Duration(r.Expires) * time.Second
	switch {
	case r.LongData == "":
		return refuse(47003)
	case len(r.LongData) > maxShort:
		return refuse(9410010)
	case life > month || life < 0:
		return refuse(9410011)
	case life == 0:
		life = month
	}
	key := fmt.Sprintf("mock%011d", st.number())
	if st.texts == nil {
		st.texts = map[string]*shortText{}
	}
	now := time.Now()
	st.texts[key] = &shortText{r.LongData, now, now.Add(life)}
	return succeed(fields{"short_key": key})
}

func (st *state) fetchShort(x *exchange) Reply {
	key, _ := x.field("body", "short_key")
	t, now := st.texts[key], time.Now()
	if t == nil || !now.Before(t.expires) {
		return refuse(9410012)
	}
	return succeed(fields{"long_data": t.text, "create_time": t.made.Unix(), "expire_seconds": int64(t.expires.Sub(now) / time.Second)})
}
