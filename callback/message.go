package callback

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Message is what was pushed: a pointer to one of the types of this package, such as *Text or *Subscribe. What has no
// type of its own is a *Raw.
type Message interface {
	Head() *Header
}

// Header is what pushes have in common, and a part of each of their types. Fields that a push does not have are zero.
type Header struct {
	ToUserName   string // the account: gh_... or the corp id
	FromUserName string // the person: openid or userid; "sys" for events of WeCom itself
	CreateTime   int64  // Unix seconds
	MsgType      string // "event" for events
	MsgID        int64  `wx:"MsgId"` // the same in each repeat of a push; 0 for most events
	MsgDataID    int64  `wx:"MsgDataId"`
	Idx          int64
	Event        string
	ChangeType   string
	AgentID      int64

	InfoType   string // what platforms and suites are told of authorisations, in place of MsgType
	AppID      string `wx:"AppId"` // the third-party platform
	SuiteID    string `wx:"SuiteId"`
	AuthCorpID string `wx:"AuthCorpId"`
	TimeStamp  int64

	src *source
}

// source is the body that a message was read from. It is behind a pointer so that a message that is printed does not
// show what may stand in it, such as a ticket.
type source struct {
	body []byte
	root *node
	format
}

// Head returns h. It makes every type that has a Header a Message.
func (h *Header) Head() *Header { return h }

// Time is when the push was made: CreateTime or TimeStamp.
func (h *Header) Time() time.Time { return time.Unix(cmp.Or(h.CreateTime, h.TimeStamp), 0) }

// Raw is the clear body as it came, XML or JSON; nil in a message that was not read from one.
func (h *Header) Raw() []byte {
	if h.src == nil {
		return nil
	}
	return slices.Clone(h.src.body)
}

// Decode reads the body into a struct of the caller's own, for fields that the message's type does not have. A field
// is found by its name, without regard to case and underscores, or by the name in a tag such as `wx:"trace_id"`;
// `wx:"List>item"` goes down. Fields that are missing, or do not fit, stay as they are.
func (h *Header) Decode(v any) error {
	p := reflect.ValueOf(v)
	if p.Kind() != reflect.Pointer || p.IsNil() || p.Elem().Kind() != reflect.Struct {
		return errors.New("callback: Decode needs a pointer to a struct")
	}
	if h.src == nil {
		return errors.New("callback: the message was not read from a body")
	}
	decode(p.Elem(), h.src.root)
	return nil
}

// Raw is a push of a kind that this package has no type for. Header.Decode reads its fields.
type Raw struct{ Header }

// kind ties a type to the pushes that it stands for.
type kind struct {
	keys []string // as key gives them; the first is the one that XML and JSON fill in
	make func() Message
}

func of[T any, P interface {
	*T
	Message
}](keys ...string) kind {
	return kind{keys, func() Message { return P(new(T)) }}
}

// A push is addressed by one of
//
//	text                           its MsgType
//	event/subscribe                its Event
//	event/change_contact/create_user   its Event and ChangeType
//	info/suite_ticket              its InfoType, also with a ChangeType; else as event/...
//	bot/text, bot/event/enter_chat its msgtype and eventtype
//
// in lower case, as official accounts and WeCom write the same events in different ones.
const (
	eventPrefix = "event/"
	infoPrefix  = "info/"
	botPrefix   = "bot/"
)

// makers finds the type of a push, and a key of a type.
var makers = sync.OnceValue(func() map[string]func() Message {
	m := map[string]func() Message{}
	for _, k := range kinds() {
		for _, key := range k.keys {
			m[key] = k.make
		}
	}
	return m
})

var keyOf = sync.OnceValue(func() map[reflect.Type]string {
	m := map[reflect.Type]string{}
	for _, k := range kinds() {
		m[reflect.TypeOf(k.make())] = k.keys[0]
	}
	return m
})

func kinds() []kind {
	return slices.Concat(messageKinds(), officialAccountKinds(), cardKinds(), miniProgramKinds(), workKinds(), contactKinds(), authorizationKinds(), botKinds())
}

// keys are what a push may be addressed by, the narrowest first.
func keys(root *node, p Product) []string {
	get := func(name string) string { return strings.ToLower(strings.TrimSpace(root.get(name))) }
	kind := get("MsgType")
	if p == Bot {
		if kind == "event" {
			for _, event := range root.find("event") {
				return []string{botPrefix + eventPrefix + strings.ToLower(event.get("eventtype"))}
			}
		}
		return []string{botPrefix + kind}
	}
	change := get("ChangeType")
	both := func(prefix, name string) (list []string) {
		if change != "" {
			list = append(list, prefix+name+"/"+change)
		}
		return append(list, prefix+name)
	}
	if info := get("InfoType"); info != "" {
		return append(both(infoPrefix, info), both(eventPrefix, info)...)
	}
	if kind == "event" {
		return both(eventPrefix, get("Event"))
	}
	return []string{kind}
}

// Parse reads a clear body, for programs that receive pushes in another way than through a Handler. It fails only for
// what is neither XML nor a JSON object. Nothing of it is checked.
func Parse(p Product, body []byte) (Message, error) {
	root, f, err := parse(body)
	if err != nil {
		return nil, err
	}
	m := Message(new(Raw))
	for _, key := range keys(root, p) {
		if known := makers()[key]; known != nil {
			m = known()
			break
		}
	}
	decode(reflect.ValueOf(m).Elem(), root)
	if b, ok := m.(interface{ adopt() }); ok {
		b.adopt()
	} else if p == Bot {
		var b BotHeader
		decode(reflect.ValueOf(&b).Elem(), root)
		b.adopt()
		*m.Head() = b.Header
	}
	m.Head().src = &source{body, root, f}
	return m, nil
}

// identity is what all repeats of a push have in common and no other push has: the MsgId of a message, else
// everything that is in it. The name of a person and the second are not enough: a program can change ten members of
// a company in one second, and "sys" tells of all of them.
func (h *Header) identity(p Product) string {
	id := strings.TrimSpace(h.src.root.get("MsgId"))
	if (p == Bot || h.Event == "" && h.InfoType == "") && strings.Trim(id, "0") != "" {
		return strings.Join([]string{p.String(), h.ToUserName, strconv.FormatInt(h.AgentID, 10), id}, "/")
	}
	sum := sha256.Sum256(h.src.body)
	return p.String() + "/" + hex.EncodeToString(sum[:16])
}

// XML writes a message as the platform would, for tests. MsgType, Event, ChangeType or InfoType are filled in from the
// type where they are empty, and so are CreateTime and, for what is no event, MsgId.
func XML(m Message) []byte { return render(m, formatXML) }

// JSON is XML for accounts that receive JSON.
func JSON(m Message) []byte { return render(m, formatJSON) }

func render(m Message, f format) []byte {
	v := reflect.New(reflect.TypeOf(m).Elem())
	v.Elem().Set(reflect.ValueOf(m).Elem())
	m = v.Interface().(Message)
	now := time.Now().Unix()
	if b, ok := m.(interface{ complete(key string, now int64) }); ok {
		b.complete(keyOf()[reflect.TypeOf(m)], now)
	} else {
		m.Head().complete(keyOf()[reflect.TypeOf(m)], now)
	}
	return write(encode(v.Elem(), f), f)
}

// complete fills in what every push of a kind has.
func (h *Header) complete(key string, now int64) {
	if name, ok := strings.CutPrefix(key, infoPrefix); ok {
		h.InfoType = cmp.Or(h.InfoType, name)
		if h.SuiteID != "" {
			h.TimeStamp = cmp.Or(h.TimeStamp, now)
		} else {
			h.CreateTime = cmp.Or(h.CreateTime, now)
		}
		return
	}
	h.CreateTime = cmp.Or(h.CreateTime, now)
	name, ok := strings.CutPrefix(key, eventPrefix)
	if !ok {
		h.MsgType = cmp.Or(h.MsgType, key)
		h.MsgID = cmp.Or(h.MsgID, rand.Int64())
		return
	}
	event, change, _ := strings.Cut(name, "/")
	h.MsgType, h.Event, h.ChangeType = cmp.Or(h.MsgType, "event"), cmp.Or(h.Event, event), cmp.Or(h.ChangeType, change)
}

// Messages that people send.

// Text is a text.
type Text struct {
	Header
	Content    string
	MenuItemID string `wx:"bizmsgmenuid"` // of the item of a menu message that was clicked
}

// Image is a picture.
type Image struct {
	Header
	PicURL  string `wx:"PicUrl"`
	MediaID string `wx:"MediaId"`
}

// Voice is a recording.
type Voice struct {
	Header
	MediaID     string `wx:"MediaId"`
	MediaID16K  string `wx:"MediaId16K"` // sampled at 16 kHz
	Format      string // amr, speex
	Recognition string // what was said; only where the account has recognition
}

// Video is a video.
type Video struct {
	Header
	MediaID      string `wx:"MediaId"`
	ThumbMediaID string `wx:"ThumbMediaId"`
}

// ShortVideo is a video that was taken in the conversation.
type ShortVideo struct {
	Header
	MediaID      string `wx:"MediaId"`
	ThumbMediaID string `wx:"ThumbMediaId"`
}

// Location is a place that somebody sends.
type Location struct {
	Header
	Latitude  float64 `wx:"Location_X"`
	Longitude float64 `wx:"Location_Y"`
	Scale     int64
	Label     string
	AppType   string // WeCom: wxwork
}

// Link is a link.
type Link struct {
	Header
	Title       string
	Description string
	URL         string `wx:"Url"`
	PicURL      string `wx:"PicUrl"` // WeCom
}

// MiniProgramPage is the card of a mini program's page, sent in its customer service.
type MiniProgramPage struct {
	Header
	Title        string
	AppID        string `wx:"AppId"`
	PagePath     string
	ThumbURL     string `wx:"ThumbUrl"`
	ThumbMediaID string `wx:"ThumbMediaId"`
}

// File is a file that was sent in customer service.
type File struct {
	Header
	Title        string
	Description  string
	FileKey      string
	FileMD5      string `wx:"FileMd5"`
	FileTotalLen int64
}

func messageKinds() []kind {
	return []kind{
		of[Text]("text"), of[Image]("image"), of[Voice]("voice"), of[Video]("video"), of[ShortVideo]("shortvideo"),
		of[Location]("location"), of[Link]("link"), of[MiniProgramPage]("miniprogrampage"), of[File]("file"),
	}
}
