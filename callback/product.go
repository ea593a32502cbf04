package callback

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/internal/wxcrypt"
)

// Product is who pushes: it decides what is signed, what is encrypted and what can be answered.
type Product uint8

// The products.
const (
	OfficialAccount Product = iota + 1 // 公众号
	MiniProgram                        // 小程序
	Work                               // an app of a company on WeCom (企业微信自建应用), also customer service
	Suite                              // a third-party app of WeCom: 指令回调, tickets and authorisations
	SuiteData                          // a third-party app of WeCom: 数据回调, messages and events of its customers
	Platform                           // a third-party platform (第三方平台): authorisations, and what its accounts receive
	Bot                                // an AI bot of WeCom (智能机器人)
)

var productNames = [...]string{
	OfficialAccount: "officialaccount", MiniProgram: "miniprogram", Work: "work", Suite: "suite", SuiteData: "suitedata",
	Platform: "platform", Bot: "bot",
}

// String is the name in lower case.
func (p Product) String() string {
	if p == 0 || int(p) >= len(productNames) {
		return "unknown"
	}
	return productNames[p]
}

// plain reports whether the product's console has a mode without encryption.
func (p Product) plain() bool { return p == OfficialAccount || p == MiniProgram }

// wecom reports whether a URL check is encrypted.
func (p Product) wecom() bool { return p == Work || p == Suite || p == SuiteData || p == Bot }

// Config is what a Handler needs to know. Product, Token and, but for plain mode, Key and ID must be set.
type Config struct {
	Product Product
	// ID is for whom pushes are encrypted, which is checked: the AppID, the corp id, the suite id, or the AppID of
	// the platform. Bots for a company's own use have none.
	ID string
	// Accept decides in place of ID, where there are several: SuiteData gets pushes for the corp id of each customer,
	// and needs it.
	Accept func(id string) bool

	// Token and Key (EncodingAESKey) are those of the console. Without a Key, which only official accounts and mini
	// programs can do without, pushes are taken in the clear, and whoever can see one can forge others for as long
	// as Window. With a Key, nothing is taken in the clear, whatever the sender says.
	Token wechat.Secret
	Key   wechat.Secret
	// OldToken and OldKey are taken too, while the console is being changed. Empty: none.
	OldToken wechat.Secret
	OldKey   wechat.Secret
	// CloudHosting takes pushes that come through WeChat's cloud hosting (云托管), which are neither signed nor
	// encrypted: only for a service that cannot be reached from elsewhere. Token and Key must be empty.
	CloudHosting bool

	// Window is how far the time of a push may be from the clock, before or after. 0: 5 minutes. Negative: pushes
	// of any age are taken, and recorded ones are not recognised once SeenFor has passed.
	Window time.Duration
	// Timeout is how long a receiver may take: its context ends then. The platform hangs up after 5 seconds.
	// 0: 4.5 seconds.
	Timeout time.Duration
	// WorkTimeout is how long what was begun with Go may take. 0: 10 minutes.
	WorkTimeout time.Duration
	// MaxWork is how many pushes and pieces of work may be under way at once for Go to begin another. 0: 10,000.
	MaxWork int
	// MaxBody is the size of the largest body in bytes. 0: 256 KiB.
	MaxBody int64

	// Seen remembers pushes, so that repeats are recognised. Nil: in memory, for this Handler. Several processes
	// need to share one.
	Seen Seen
	// SeenFor is how long. 0: twice Window and a minute, so that no recorded push is ever handled again.
	SeenFor time.Duration
	// RefuseUnseen turns pushes away, for the platform to repeat them, when Seen fails. By default they are handled,
	// perhaps twice.
	RefuseUnseen bool

	// Report is told what went wrong: a *RefusedError for what was turned away, a *PanicError, and the errors of
	// receivers and of Seen. It must not block. Nil: nobody is told.
	Report func(ctx context.Context, err error)
}

// credential is a token and the keys that may go with it.
type credential struct {
	token string
	key   *wxcrypt.Key // nil: plain
}

const (
	defaultWindow      = 5 * time.Minute
	defaultTimeout     = 4500 * time.Millisecond
	defaultWorkTimeout = 10 * time.Minute
	defaultMaxWork     = 10_000
	defaultMaxBody     = 256 << 10
)

// complete fills in defaults, and complains of what cannot work.
func (c *Config) complete() ([]credential, error) {
	var errs []error
	complain := func(text string) { errs = append(errs, errors.New("callback: "+text)) }
	if c.Product == 0 || int(c.Product) >= len(productNames) {
		complain("Config.Product is not set")
	}
	if c.ID != strings.TrimSpace(c.ID) {
		complain("Config.ID has white space around it")
	}
	switch {
	case c.CloudHosting:
		if c.Token != "" || c.Key != "" || c.OldToken != "" || c.OldKey != "" {
			complain("CloudHosting goes without Token and Key")
		}
		if !c.Product.plain() {
			complain("CloudHosting is for official accounts and mini programs")
		}
	case c.Token == "":
		complain("Config.Token is empty")
	case c.Key == "" && (c.OldKey != "" || !c.Product.plain()):
		complain("Config.Key is empty")
	case c.Key != "" && c.Accept == nil && c.Product == SuiteData:
		complain("Config.Accept is not set: pushes for a suite's customers are encrypted for the corp id of each")
	case c.Key != "" && c.Accept == nil && c.ID == "" && c.Product != Bot:
		complain("Config.ID is empty")
	}
	var credentials []credential
	tokens := []string{c.Token.Reveal(), c.OldToken.Reveal()}
	for i, secret := range []wechat.Secret{c.Key, c.OldKey} {
		if secret == "" && i > 0 {
			continue
		}
		var key *wxcrypt.Key
		if secret != "" {
			var err error
			if key, err = wxcrypt.ParseKey(secret.Reveal()); err != nil {
				errs = append(errs, fmt.Errorf("callback: Config.%s: %w", [...]string{"Key", "OldKey"}[i], err))
			}
		}
		for _, token := range tokens {
			if token != "" {
				credentials = append(credentials, credential{token, key})
			}
		}
	}
	if c.Accept == nil {
		id := c.ID
		c.Accept = func(receiver string) bool { return receiver == id }
	}
	orDefault(&c.Window, defaultWindow)
	orDefault(&c.Timeout, defaultTimeout)
	orDefault(&c.WorkTimeout, defaultWorkTimeout)
	orDefault(&c.MaxWork, defaultMaxWork)
	orDefault(&c.MaxBody, defaultMaxBody)
	orDefault(&c.SeenFor, 2*max(c.Window, defaultWindow)+time.Minute)
	if c.Seen == nil {
		c.Seen = NewMemorySeen()
	}
	if c.Report == nil {
		c.Report = func(context.Context, error) {}
	}
	return credentials, errors.Join(errs...)
}

func orDefault[T comparable](v *T, d T) {
	var zero T
	if *v == zero {
		*v = d
	}
}
