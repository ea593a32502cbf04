package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed175cf469/wechat"
)

// finding is one line of what doctor has found out.
type finding struct {
	Check  string `json:"check"`
	Status string `json:"status"` // one of those below
	Found  string `json:"found"`
	Advice string `json:"advice,omitempty"` // what to do
}

const (
	statusOK   = "ok"
	statusWarn = "warn"
	statusFail = "FAIL"
	statusSkip = "skip"
)

const (
	stepFor    = 10 * time.Second // for which a check may last
	mostSkew   = 30 * time.Second // by which a clock may be wrong unnoticed
	certLeft   = 14 * 24 * time.Hour
	quotaAlarm = 90 // per cent used
)

func newDoctor() *cobra.Command {
	var (
		flags  accountFlags
		asJSON bool
	)
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Finds out why calls fail and says what to do",
		Long: "Finds out why calls fail, step by step: the name of the host, the connection, TLS, this machine's clock, the secret,\n" +
			"the allow list of addresses, the quota. Each line that is not ok says what to do. It changes nothing. The exit code is 1\n" +
			"when a step fails.",
		Example: "  wechat doctor\n  wechat doctor --profile shop --json",
		Args:    asUsage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			a, err := flags.open(cmd)
			if err != nil {
				return err
			}
			d := &doctor{account: a}
			d.examine(cmd.Context())
			if asJSON {
				err = printJSON(cmd.OutOrStdout(), d.findings)
			} else {
				err = writeFindings(cmd.OutOrStdout(), d.findings)
			}
			if err != nil || d.failed == 0 {
				return err
			}
			return fmt.Errorf("%d of %d checks failed", d.failed, len(d.findings))
		},
	}
	flags.add(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return cmd
}

func writeFindings(w io.Writer, findings []finding) error {
	for _, f := range findings {
		if _, err := fmt.Fprintf(w, "%-4s  %-10s  %s\n", f.Status, f.Check, f.Found); err != nil {
			return err
		}
		if f.Advice != "" {
			if _, err := fmt.Fprintf(w, "                  -> %s\n", f.Advice); err != nil {
				return err
			}
		}
	}
	return nil
}

// doctor examines an account.
type doctor struct {
	account  *account
	findings []finding
	failed   int
}

func (d *doctor) note(check, status, found, advice string) {
	d.findings = append(d.findings, finding{check, status, found, advice})
	if status == statusFail {
		d.failed++
	}
}

// examine goes through the steps. What a failed step makes pointless is skipped.
func (d *doctor) examine(ctx context.Context) {
	a := d.account
	d.note("account", statusOK, fmt.Sprintf("%s, %s, at %s", a.app.ID, a.Name, a.host()), "")
	reached := d.network(ctx)
	if !reached {
		for _, check := range []string{"secret", "allow list", "quota"} {
			d.note(check, statusSkip, "the platform cannot be reached", "")
		}
		return
	}
	if d.credential(ctx) {
		d.quotas(ctx)
		return
	}
	d.note("quota", statusSkip, "there is no access token", "")
}

// network looks at all that lies between this machine and the platform.
func (d *doctor) network(ctx context.Context) bool {
	target, err := url.Parse(d.account.host())
	if err != nil || target.Host == "" {
		d.note("DNS", statusFail, fmt.Sprintf("%q is no URL", d.account.host()), "correct base_url or --base-url, as in https://api.weixin.qq.com")
		return false
	}
	hop, through := target, ""
	if proxy, err := http.ProxyFromEnvironment(&http.Request{URL: target}); err == nil && proxy != nil {
		hop, through = proxy, " (the proxy of the environment)"
	}
	addr, ok := d.resolve(ctx, hop.Hostname(), through)
	if !ok {
		return false
	}
	port := hop.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443", "socks5": "1080"}[hop.Scheme]
	}
	if !d.connect(ctx, net.JoinHostPort(addr, port), through) {
		return false
	}
	return d.talk(ctx, target)
}

// resolve looks up the name of a host.
func (d *doctor) resolve(ctx context.Context, host, through string) (addr string, ok bool) {
	if _, err := netip.ParseAddr(host); err == nil {
		d.note("DNS", statusOK, host+through+" is an address, no name", "")
		return host, true
	}
	ctx, cancel := context.WithTimeout(ctx, stepFor)
	defer cancel()
	addrs, err := net.DefaultResolver.LookupHost(ctx, host)
	if err != nil {
		d.note("DNS", statusFail, fmt.Sprintf("%s%s cannot be found: %v", host, through, err), "check the name and /etc/resolv.conf, and that this machine may ask its DNS server")
		return "", false
	}
	d.note("DNS", statusOK, fmt.Sprintf("%s%s is %s", host, through, strings.Join(addrs, ", ")), "")
	return addrs[0], true
}

// connect makes a TCP connection.
func (d *doctor) connect(ctx context.Context, addr, through string) bool {
	began := time.Now()
	conn, err := (&net.Dialer{Timeout: stepFor}).DialContext(ctx, "tcp", addr)
	if err != nil {
		d.note("TCP", statusFail, err.Error(), "open outgoing connections to "+addr+through+" in the firewall or security group")
		return false
	}
	_ = conn.Close() // nothing was sent
	d.note("TCP", statusOK, fmt.Sprintf("%s%s in %v", addr, through, time.Since(began).Round(time.Millisecond)), "")
	return true
}

// talk makes a plain request, which tells about TLS and about the clock.
func (d *doctor) talk(ctx context.Context, target *url.URL) bool {
	ctx, cancel := context.WithTimeout(ctx, stepFor)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, target.String(), nil)
	if err != nil {
		d.note("TLS", statusFail, err.Error(), "correct the base URL")
		return false
	}
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true}
	began := time.Now()
	res, err := transport.RoundTrip(req)
	if err != nil {
		d.note("TLS", statusFail, err.Error(), "if something between here and the platform opens TLS, add its certificate to this machine's; otherwise update the machine's certificates (ca-certificates)")
		return false
	}
	_ = res.Body.Close() // a HEAD has none
	now := time.Now()
	if res.TLS == nil {
		d.note("TLS", statusWarn, "plain HTTP: secret and tokens can be read on the way", "fine for wechat mock on this machine; use https for anything else")
	} else {
		cert := res.TLS.PeerCertificates[0]
		found := fmt.Sprintf("certificate of %s by %s, until %s", cert.Subject.CommonName, cert.Issuer.CommonName, cert.NotAfter.Format(time.DateOnly))
		if cert.NotAfter.Sub(now) < certLeft {
			d.note("TLS", statusWarn, found, "the certificate ends soon: its owner has to renew it")
		} else {
			d.note("TLS", statusOK, found, "")
		}
	}
	d.clock(res.Header.Get("Date"), began.Add(now.Sub(began)/2), now.Sub(began))
	return true
}

// clock compares this machine's clock with the platform's.
func (d *doctor) clock(date string, here time.Time, took time.Duration) {
	there, err := http.ParseTime(date)
	if err != nil {
		d.note("clock", statusSkip, "the platform does not tell its time", "")
		return
	}
	skew := here.Sub(there.Add(500 * time.Millisecond)) // a Date is cut to the second
	if skew.Abs() <= mostSkew+took {
		d.note("clock", statusOK, fmt.Sprintf("within %v of the platform's", max(time.Second, skew.Abs()).Round(time.Second)), "")
		return
	}
	word := "ahead of"
	if skew < 0 {
		word = "behind"
	}
	d.note("clock", statusFail, fmt.Sprintf("%v %s the platform's", skew.Abs().Round(time.Second), word), "set the clock by NTP (timedatectl set-ntp true): signatures, daily quotas and the ends of tokens depend on it")
}

// credential gets a token and makes a call with it.
func (d *doctor) credential(ctx context.Context) bool {
	a := d.account
	ctx = wechat.ContextWithRetry(ctx, wechat.Realtime())
	client := a.client()
	a.asker = wechat.Bind(client, a.Product, a.app)
	token, err := client.Token(ctx, a.Product, a.app, wechat.Token{})
	if err != nil {
		if !d.allowList(err) {
			d.note("secret", statusFail, err.Error(), adviceFor(a.Name, err))
			d.note("allow list", statusSkip, "it is looked at after the secret", "")
		}
		return false
	}
	d.note("secret", statusOK, "accepted; the token lives "+time.Until(token.Expiry).Round(time.Second).String()+" more", "")
	if spec, _, err := lookup("GetAPIDomainIPs", a.platform); err == nil {
		if _, err := do(ctx, a.asker, spec, nil); err != nil {
			if !d.allowList(err) {
				d.note("allow list", statusWarn, err.Error(), adviceFor(a.Name, err))
			}
			return true
		}
	}
	d.note("allow list", statusOK, "this machine's address may call", "")
	return true
}

// allowList notes a refusal of this machine's address; false: it is another failure.
func (d *doctor) allowList(err error) bool {
	var refused *wechat.Error
	if !errors.As(err, &refused) || refused.Code != 40164 && refused.Code != 60020 {
		return false
	}
	address := "this machine's address, as the outside sees it,"
	for word := range strings.FieldsFuncSeq(refused.Message, func(r rune) bool { return strings.ContainsRune(" ,[]()", r) }) {
		if addr, err := netip.ParseAddr(strings.TrimSuffix(word, ".")); err == nil {
			address = addr.Unmap().String()
			break
		}
	}
	where := "开发接口管理 > 基本配置 > IP白名单 (mp.weixin.qq.com)"
	if refused.Code == 60020 {
		where = "应用管理 > the app > 企业可信IP (work.weixin.qq.com)"
	}
	if d.account.Name == "miniprogram" {
		where = "开发管理 > 开发设置 > IP白名单 (mp.weixin.qq.com)"
	}
	d.note("allow list", statusFail, fmt.Sprintf("%s is not on it (%d)", address, int(refused.Code)), "add "+address+" to it: "+where+"; it takes some minutes")
	return true
}

// adviceFor says what to do about a failed call.
func adviceFor(product string, err error) string {
	var refused *wechat.Error
	if !errors.As(err, &refused) || refused.Code == 0 {
		return "the platform was reached, but did not answer: try again, and look at a proxy or gateway between"
	}
	switch refused.Code {
	case 40013:
		return "the app id is wrong: copy it from the console again"
	case 40001, 40125:
		return "the secret is wrong or was reset: copy it from the console again, without spaces"
	}
	if e, ok := wechat.Explain(product, refused.Code); ok {
		return strings.TrimSuffix(e.English+" / "+e.Chinese+": "+e.Advice, ": ")
	}
	return "look the errcode up in the official documentation"
}

// quotas looks at the day's quota of what is sent.
func (d *doctor) quotas(ctx context.Context) {
	a := d.account
	if a.Quota == nil {
		d.note("quota", statusSkip, a.Name+" does not tell quotas", "")
		return
	}
	for _, k := range kinds() {
		if k.product != a.Name {
			continue
		}
		spec, _, err := lookup(k.endpoint, a.platform)
		if err != nil {
			d.note("quota", statusFail, err.Error(), "")
			continue
		}
		q, err := a.quota(ctx, spec.Path())
		switch {
		case err != nil:
			d.note("quota", statusWarn, spec.Name+": "+err.Error(), adviceFor(a.Name, err))
		case q.Daily > 0 && q.Left == 0:
			d.note("quota", statusFail, fmt.Sprintf("%s: all %d calls of the day are used", spec.Name, q.Daily), "wait until 00:00 in China, or clear it: wechat quota clear "+spec.Name)
		case q.Daily > 0 && q.Used*100 >= q.Daily*quotaAlarm:
			d.note("quota", statusWarn, fmt.Sprintf("%s: %d of %d calls of the day are used", spec.Name, q.Used, q.Daily), "send less, or clear it: wechat quota clear "+spec.Name)
		default:
			d.note("quota", statusOK, fmt.Sprintf("%s: %d of %d calls of the day are left", spec.Name, q.Left, q.Daily), "")
		}
	}
}
