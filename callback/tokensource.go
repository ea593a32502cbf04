package callback

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/seed175cf469/wechat"
)

// RefreshTokens keeps the refresh tokens of the accounts that authorised a third-party platform, which live until the
// owner takes the authorisation back. Such a token comes with api_query_auth, for the code of an Authorized.
type RefreshTokens interface {
	// Load returns the refresh token of an account.
	Load(ctx context.Context, appID string) (wechat.Secret, error)
	// Save keeps another one in its place.
	Save(ctx context.Context, appID string, token wechat.Secret) error
}

// Component is a third-party platform (第三方平台) that acts for the accounts that authorised it. It is safe for
// concurrent use.
type Component struct{ caller wechat.Caller }

// NewComponent returns the platform app, by its AppID and AppSecret. Its token is fetched through c with the ticket that
// the Middleware Tickets keeps in tickets, and is shared by TokenStore and kept as every token.
func NewComponent(c wechat.Caller, app wechat.App, tickets TicketStore) *Component {
	product := &wechat.Product{
		Name: "officialaccount", BaseURL: "https://api.weixin.qq.com", Authorize: tokenIn("component_access_token"),
		Token: func(ctx context.Context, c wechat.Caller, app wechat.App, _ bool) (wechat.Token, error) {
			ticket, err := tickets.Get(ctx, app.ID)
			if err != nil {
				return wechat.Token{}, fmt.Errorf("callback: the component_verify_ticket of %s: %w", app.ID, err)
			}
			asked := time.Now()
			res, err := getComponentToken.Do(ctx, c, &componentTokenRequest{ticket.Value.Reveal()})
			if err != nil {
				return wechat.Token{}, err
			}
			return wechat.NewToken(res.Token, res.ExpiresIn, asked), nil
		},
	}
	return &Component{wechat.Bind(c, product, app)}
}

// TokenSource gives the tokens of an account that authorised the platform, for its wechat.App:
//
//	oa := officialaccount.New(client, wechat.App{ID: appID, TokenSource: component.TokenSource(appID, refresh)})
//
// Make one for each account and keep it: the account's token is kept as long as its source.
func (p *Component) TokenSource(appID string, refresh RefreshTokens) wechat.TokenSource {
	return wechat.TokenFunc(func(ctx context.Context, _ wechat.Token) (wechat.Token, error) {
		old, err := refresh.Load(ctx, appID)
		if err != nil {
			return wechat.Token{}, fmt.Errorf("callback: the refresh token of %s: %w", appID, err)
		}
		asked := time.Now()
		res, err := getAuthorizerToken.Do(ctx, p.caller, &authorizerTokenRequest{appID, old.Reveal()})
		if err != nil {
			return wechat.Token{}, err
		}
		if fresh := wechat.Secret(res.RefreshToken); fresh != "" && fresh != old {
			if err := refresh.Save(ctx, appID, fresh); err != nil {
				return wechat.Token{}, fmt.Errorf("callback: keeping the refresh token of %s: %w", appID, err)
			}
		}
		return wechat.NewToken(res.Token, res.ExpiresIn, asked), nil
	})
}

// SuiteApp is a third-party app of WeCom (第三方应用) that acts for the companies that installed it. It is safe for
// concurrent use.
type SuiteApp struct{ caller wechat.Caller }

// NewSuiteApp returns the suite app, by its suite id and secret. Its token is fetched through c with the ticket that the
// Middleware Tickets keeps in tickets, and is shared by TokenStore and kept as every token.
func NewSuiteApp(c wechat.Caller, app wechat.App, tickets TicketStore) *SuiteApp {
	product := &wechat.Product{
		Name: "work", BaseURL: "https://qyapi.weixin.qq.com", Authorize: tokenIn("suite_access_token"),
		Token: func(ctx context.Context, c wechat.Caller, app wechat.App, _ bool) (wechat.Token, error) {
			ticket, err := tickets.Get(ctx, app.ID)
			if err != nil {
				return wechat.Token{}, fmt.Errorf("callback: the suite_ticket of %s: %w", app.ID, err)
			}
			asked := time.Now()
			res, err := getSuiteToken.Do(ctx, c, &suiteTokenRequest{ticket.Value.Reveal()})
			if err != nil {
				return wechat.Token{}, err
			}
			return wechat.NewToken(res.Token, res.ExpiresIn, asked), nil
		},
	}
	return &SuiteApp{wechat.Bind(c, product, app)}
}

// TokenSource gives the tokens of a company that installed the suite, by its permanent code, for its wechat.App. Make
// one for each company and keep it: the company's token is kept as long as its source.
func (s *SuiteApp) TokenSource(corpID string, permanentCode wechat.Secret) wechat.TokenSource {
	return wechat.TokenFunc(func(ctx context.Context, _ wechat.Token) (wechat.Token, error) {
		asked := time.Now()
		res, err := getCorpToken.Do(ctx, s.caller, &corpTokenRequest{corpID, permanentCode.Reveal()})
		if err != nil {
			return wechat.Token{}, err
		}
		return wechat.NewToken(res.Token, res.ExpiresIn, asked), nil
	})
}

// tokenIn puts a token into the query under a name of its own.
func tokenIn(name string) func(r *http.Request, t wechat.Token) {
	return func(r *http.Request, t wechat.Token) {
		q := r.URL.Query()
		q.Set(name, t.Value.Reveal())
		r.URL.RawQuery = q.Encode()
	}
}

type componentTokenRequest struct {
	Ticket string `json:"component_verify_ticket"`
}

type componentToken struct {
	Token     string `json:"component_access_token"`
	ExpiresIn int64  `json:"expires_in"`
}

type authorizerTokenRequest struct {
	AppID        string `json:"authorizer_appid"`
	RefreshToken string `json:"authorizer_refresh_token"`
}

type authorizerToken struct {
	Token        string `json:"authorizer_access_token"`
	RefreshToken string `json:"authorizer_refresh_token"`
	ExpiresIn    int64  `json:"expires_in"`
}

type suiteTokenRequest struct {
	Ticket string `json:"suite_ticket"`
}

type suiteToken struct {
	Token     string `json:"suite_access_token"`
	ExpiresIn int64  `json:"expires_in"`
}

type corpTokenRequest struct {
	CorpID        string `json:"auth_corpid"`
	PermanentCode string `json:"permanent_code"`
}

type corpToken struct {
	Token     string `json:"access_token"`
	ExpiresIn int64  `json:"expires_in"`
}

var (
	getComponentToken = wechat.Endpoint[componentTokenRequest, componentToken]{
		Name: "GetComponentToken", Pattern: "POST /cgi-bin/component/api_component_token", Effect: wechat.EffectRead, NoToken: true,
		Const: map[string]string{"component_appid": wechat.ConstAppID, "component_appsecret": wechat.ConstSecret},
	}
	getAuthorizerToken = wechat.Endpoint[authorizerTokenRequest, authorizerToken]{
		Name: "GetAuthorizerToken", Pattern: "POST /cgi-bin/component/api_authorizer_token", Effect: wechat.EffectSet,
		Const: map[string]string{"component_appid": wechat.ConstAppID},
	}
	getSuiteToken = wechat.Endpoint[suiteTokenRequest, suiteToken]{
		Name: "GetSuiteToken", Pattern: "POST /cgi-bin/service/get_suite_token", Effect: wechat.EffectRead, NoToken: true,
		Const: map[string]string{"suite_id": wechat.ConstAppID, "suite_secret": wechat.ConstSecret},
	}
	getCorpToken = wechat.Endpoint[corpTokenRequest, corpToken]{
		Name: "GetCorpToken", Pattern: "POST /cgi-bin/service/get_corp_token", Effect: wechat.EffectRead,
	}
)
