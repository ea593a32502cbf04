package mock

import (
	"regexp"
	"slices"
	"strconv"
	"unicode/utf8"
)

const (
	maxAgents   = 100
	maxNickname = 16 // characters
)

// agent is a customer service account.
type agent struct{ account, nickname, id, picture, invited string }

var agentName = regexp.MustCompile(`^[A-Za-z0-9_]{1,10}@.+$`)

// agentRequest is what calls about agents say.
type agentRequest struct {
	Account  string `json:"kf_account"`
	Nickname string `json:"nickname"`
	InviteWX string `json:"invite_wx"`
}

func (st *state) agent(account string) *agent {
	if i := slices.IndexFunc(st.agents, func(a *agent) bool { return a.account == account }); i >= 0 {
		return st.agents[i]
	}
	return nil
}

func (st *state) addAgent(x *exchange) Reply {
	var r agentRequest
	x.into(&r)
	switch {
	case !agentName.MatchString(r.Account):
		return refuse(65404)
	case r.Nickname == "" || utf8.RuneCountInString(r.Nickname) > maxNickname:
		return refuse(65403)
	case st.agent(r.Account) != nil:
		return refuse(65406)
	case len(st.agents) >= maxAgents:
		return refuse(65405)
	}
	st.agents = append(st.agents, &agent{account: r.Account, nickname: r.Nickname, id: strconv.Itoa(st.number())})
	return done()
}

// change finds the agent that a call names and changes it.
func (st *state) change(account string, change func(*agent)) Reply {
	a := st.agent(account)
	if a == nil {
		return refuse(65401)
	}
	change(a)
	return done()
}

func (st *state) updateAgent(x *exchange) Reply {
	var r agentRequest
	x.into(&r)
	if r.Nickname == "" || utf8.RuneCountInString(r.Nickname) > maxNickname {
		return refuse(65403)
	}
	return st.change(r.Account, func(a *agent) { a.nickname = r.Nickname })
}

func (st *state) inviteAgent(x *exchange) Reply {
	var r agentRequest
	x.into(&r)
	return st.change(r.Account, func(a *agent) { a.invited = r.InviteWX })
}

func (st *state) deleteAgent(x *exchange) Reply {
	var r agentRequest
	x.into(&r)
	return st.change(r.Account, func(a *agent) {
		st.agents = slices.DeleteFunc(st.agents, func(o *agent) bool { return o == a })
	})
}

func (st *state) agentPicture(x *exchange) Reply {
	return st.change(x.Query.Get("kf_account"), func(a *agent) { a.picture = mockURL("agent", a.id) })
}

func (st *state) listAgents(*exchange) Reply {
	list := []fields{}
	for _, a := range st.agents {
		item := fields{"kf_account": a.account, "kf_nick": a.nickname, "kf_id": a.id, "kf_headimgurl": a.picture}
		if a.invited != "" {
			item["invite_wx"], item["invite_status"] = a.invited, "waiting"
		}
		list = append(list, item)
	}
	return bare(fields{"kf_list": list})
}
