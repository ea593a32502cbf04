package mock

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"time"

	"github.com/seed175cf469/wechat"
)

// state is what an account has on the platform. It is guarded by the server's lock, under which the replies are
// encoded too.
type state struct {
	s     *Server
	app   string
	began time.Time
	people
	tags         tags
	menus        menus
	templates    templates
	media        []*file // temporary
	material     []*file
	drafts       []*draft
	publications []*publication
	masses       []*massMessage
	qrCodes      qrCodes
	texts        map[string]*shortText
	agents       []*agent
}

// behaviours are the endpoints that read and change the state of an account, by path.
var behaviours = map[string]func(*state, *exchange) Reply{
	"/cgi-bin/user/info":                     (*state).userInfo,
	"/cgi-bin/user/info/batchget":            (*state).userInfos,
	"/cgi-bin/user/info/updateremark":        (*state).updateRemark,
	"/cgi-bin/user/get":                      (*state).listFollowers,
	"/cgi-bin/tags/members/getblacklist":     (*state).listBlocked,
	"/cgi-bin/tags/members/batchblacklist":   (*state).block,
	"/cgi-bin/tags/members/batchunblacklist": (*state).unblock,

	"/cgi-bin/tags/create":                 (*state).createTag,
	"/cgi-bin/tags/get":                    (*state).listTags,
	"/cgi-bin/tags/update":                 (*state).updateTag,
	"/cgi-bin/tags/delete":                 (*state).deleteTag,
	"/cgi-bin/tags/getidlist":              (*state).tagsOf,
	"/cgi-bin/user/tag/get":                (*state).listTagged,
	"/cgi-bin/tags/members/batchtagging":   (*state).tag,
	"/cgi-bin/tags/members/batchuntagging": (*state).untag,

	"/cgi-bin/menu/create":               (*state).createMenu,
	"/cgi-bin/menu/get":                  (*state).getMenu,
	"/cgi-bin/menu/delete":               (*state).deleteMenu,
	"/cgi-bin/menu/addconditional":       (*state).addConditionalMenu,
	"/cgi-bin/menu/delconditional":       (*state).deleteConditionalMenu,
	"/cgi-bin/menu/trymatch":             (*state).matchMenu,
	"/cgi-bin/get_current_selfmenu_info": (*state).currentMenu,

	"/cgi-bin/template/api_set_industry":         (*state).setIndustry,
	"/cgi-bin/template/get_industry":             (*state).getIndustry,
	"/cgi-bin/template/api_add_template":         (*state).addTemplate,
	"/cgi-bin/template/get_all_private_template": (*state).listTemplates,
	"/cgi-bin/template/del_private_template":     (*state).deleteTemplate,

	"/cgi-bin/media/upload":               (*state).uploadMedia,
	"/cgi-bin/media/get":                  (*state).getMedia,
	"/cgi-bin/media/uploadimg":            (*state).uploadImage,
	"/cgi-bin/media/uploadnews":           (*state).uploadNews,
	"/cgi-bin/media/uploadvideo":          (*state).uploadVideo,
	"/cgi-bin/material/add_material":      (*state).addMaterial,
	"/cgi-bin/material/get_material":      (*state).getMaterial,
	"/cgi-bin/material/del_material":      (*state).deleteMaterial,
	"/cgi-bin/material/get_materialcount": (*state).countMaterial,
	"/cgi-bin/material/batchget_material": (*state).listMaterial,

	"/cgi-bin/draft/add":              (*state).addDraft,
	"/cgi-bin/draft/get":              (*state).getDraft,
	"/cgi-bin/draft/update":           (*state).updateDraft,
	"/cgi-bin/draft/delete":           (*state).deleteDraft,
	"/cgi-bin/draft/count":            (*state).countDrafts,
	"/cgi-bin/draft/batchget":         (*state).listDrafts,
	"/cgi-bin/freepublish/submit":     (*state).submitPublish,
	"/cgi-bin/freepublish/get":        (*state).publishStatus,
	"/cgi-bin/freepublish/getarticle": (*state).getArticle,
	"/cgi-bin/freepublish/batchget":   (*state).listArticles,
	"/cgi-bin/freepublish/delete":     (*state).deleteArticle,

	"/cgi-bin/message/mass/sendall": (*state).sendToAll,
	"/cgi-bin/message/mass/send":    (*state).sendToMany,
	"/cgi-bin/message/mass/get":     (*state).massStatus,
	"/cgi-bin/message/mass/delete":  (*state).deleteMass,

	"/cgi-bin/qrcode/create": (*state).createQRCode,
	"/cgi-bin/showqrcode":    (*state).showQRCode,
	"/cgi-bin/shorten/gen":   (*state).shorten,
	"/cgi-bin/shorten/fetch": (*state).fetchShort,

	"/cgi-bin/customservice/getkflist":       (*state).listAgents,
	"/customservice/kfaccount/add":           (*state).addAgent,
	"/customservice/kfaccount/update":        (*state).updateAgent,
	"/customservice/kfaccount/del":           (*state).deleteAgent,
	"/customservice/kfaccount/inviteworker":  (*state).inviteAgent,
	"/customservice/kfaccount/uploadheadimg": (*state).agentPicture,

	"/cgi-bin/openapi/quota/get": (*state).getQuota,
}

// live answers a call from the state of its account. What the state refuses to an account that nobody has made
// known is answered as if there were no state, unless it is about people who have been told to Unfollow.
func (s *Server) live(x *exchange) Reply {
	behave := behaviours[x.Path]
	if behave == nil || x.Product == work {
		return Reply{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.stateOf(x.App)
	reply := behave(st, x)
	if !reply.succeeds() && !st.strict() && reply.Code != errNotFollowing && reply.Code != errSomeFailed {
		return Reply{}
	}
	return reply
}

// stateOf is the state of an app.
func (s *Server) stateOf(app string) *state {
	st := s.states[app]
	if st == nil {
		st = &state{s: s, app: app, began: time.Now()}
		s.states[app] = st
	}
	return st
}

// strict reports whether the account was made known, so that what it does not have does not exist. Calls that do
// not say for which account they are can know that only if all accounts are known.
func (st *state) strict() bool {
	return st.closed || len(st.s.apps[st.app]) > 0 || st.app == "" && len(st.s.apps) > 0
}

// number is a number that was not given out before.
func (st *state) number() int {
	st.s.n++
	return st.s.n
}

// fields are those of a JSON object.
type fields = map[string]any

// succeed is a reply with these fields beside errcode and errmsg.
func succeed(v any) Reply { return Reply{JSON: json.RawMessage(encoded(v))} }

// bare is a reply with nothing but these fields, as most calls that read have it.
func bare(v any) Reply { return Reply{Body: encoded(v)} }

// done is a reply that says no more than success.
func done() Reply { return succeed(fields{}) }

// refuse is the reply with an errcode.
func refuse(code wechat.Code) Reply { return Reply{Code: code} }

func encoded(v any) []byte {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(v) // it is made of texts, numbers and what came as JSON
	return bytes.TrimSpace(b.Bytes())
}

// blob is a reply that is a file.
func blob(contentType string, data []byte) Reply {
	return Reply{Body: data, Header: http.Header{"Content-Type": {contentType}}}
}

// into decodes the body. Its types have been checked.
func (x *exchange) into(v any) { _ = json.Unmarshal(x.Body, v) }

// object is the body as it came.
func (x *exchange) object() fields {
	o, _ := x.json.(fields)
	return o
}

// file is an uploaded file.
func (x *exchange) file(field string) (name string, data []byte) {
	f := x.files[field]
	if f.Open == nil {
		return "", nil
	}
	content, err := f.Open()
	if err != nil {
		return f.Name, nil
	}
	defer func() { _ = content.Close() }()
	data, _ = io.ReadAll(content) // from memory
	return f.Name, data
}

// window is the part of a list that a call asks for.
type window struct {
	Offset    int `json:"offset"`
	Count     int `json:"count"`
	NoContent int `json:"no_content"`
}

// maxWindow is the largest Count.
const maxWindow = 20

// listing answers a call that asks for a window of a list.
func listing[T any](list []T, w window, item func(T) fields) Reply {
	if w.Offset < 0 || w.Count < 1 || w.Count > maxWindow {
		return refuse(40097)
	}
	from := min(w.Offset, len(list))
	items := []fields{}
	for _, element := range list[from:min(from+w.Count, len(list))] {
		items = append(items, item(element))
	}
	return bare(fields{"total_count": len(list), "item_count": len(items), "item": items})
}
