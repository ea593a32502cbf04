package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/mock"
)

// scenario is what the platform is told to be, as it stands in a YAML file.
type scenario struct {
	Listen       string                 `yaml:"listen"`
	Apps         []scenarioApp          `yaml:"apps"`
	TokenLife    duration               `yaml:"token_life"`
	Unfollowed   []string               `yaml:"unfollowed"` // people who do not follow any account
	CheckOpenIDs bool                   `yaml:"check_openids"`
	Limits       map[string][]limitRule `yaml:"limits"` // by endpoint; "all": the calls of an app together
	Faults       map[string][]faultRule `yaml:"faults"` // by endpoint; "all": every endpoint
}

type scenarioApp struct {
	Product   string   `yaml:"product"`
	AppID     string   `yaml:"appid"`
	Secret    string   `yaml:"secret"`
	AgentID   int64    `yaml:"agentid"`
	Followers []string `yaml:"followers"` // when set, nobody else follows
}

type limitRule struct {
	Rate      int      `yaml:"rate"`
	Per       string   `yaml:"per"` // second, minute, day, or a duration; empty: calls at once
	Recipient bool     `yaml:"recipient"`
	Block     duration `yaml:"block"`
	HTTP429   bool     `yaml:"http429"`
}

type faultRule struct {
	Skip   int      `yaml:"skip"`
	Every  int      `yaml:"every"`
	Times  int      `yaml:"times"`
	Delay  duration `yaml:"delay"`
	Refuse bool     `yaml:"refuse"`
	Reset  bool     `yaml:"reset"`
	Cut    bool     `yaml:"cut"`
	Done   bool     `yaml:"done"`
	Status int      `yaml:"status"`
	Code   int      `yaml:"errcode"`
	Text   string   `yaml:"errmsg"`
	Body   string   `yaml:"body"`
}

// duration is a time.Duration that is written like 50ms or 2h.
type duration time.Duration

// UnmarshalText reads it.
func (d *duration) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	*d = duration(parsed)
	return err
}

func newMock() *cobra.Command {
	var (
		listen, deliveries string
		quiet, asJSON      bool
	)
	cmd := &cobra.Command{
		Use:   "mock [FILE]",
		Short: "Plays the platform on a port",
		Long: "Plays WeChat's platform on a port, for trying things out: all endpoints of all products, tokens, quotas and faults.\n" +
			"The YAML file says which apps there are, what is refused and what goes wrong; without one every app id and secret\n" +
			"is accepted. Each call is printed as it comes, and when the platform is stopped (Ctrl-C) what it has seen.",
		Example: "  wechat mock platform.yaml\n  wechat token --base-url http://127.0.0.1:8080",
		Args:    asUsage(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			s := scenario{}
			if len(args) > 0 {
				data, err := os.ReadFile(args[0])
				if err == nil {
					err = decodeYAML(data, &s)
				}
				if err != nil {
					return usage(fmt.Errorf("%s: %w", args[0], err))
				}
			}
			p, err := s.platform()
			if err != nil {
				return usage(err)
			}
			if listen != "" || s.Listen == "" {
				s.Listen = listen
			}
			if s.Listen == "" {
				s.Listen = "127.0.0.1:8080"
			}
			if !quiet {
				p.live = cmd.OutOrStdout()
			}
			if err := p.serve(cmd, s.Listen); err != nil {
				return err
			}
			if deliveries != "" {
				if err := p.writeDeliveries(deliveries); err != nil {
					return err
				}
			}
			return p.report(cmd.OutOrStdout(), asJSON)
		},
	}
	cmd.Flags().StringVar(&listen, "listen", "", "address (default: the file's, or 127.0.0.1:8080; port 0 takes any)")
	cmd.Flags().StringVar(&deliveries, "deliveries", "", "write the messages that were delivered to this CSV file at the end")
	cmd.Flags().BoolVarP(&quiet, "quiet", "q", false, "do not print each call")
	cmd.Flags().BoolVar(&asJSON, "json", false, "what it has seen as JSON")
	return cmd
}

// mockPlatform is a platform on a port that tells what happens.
type mockPlatform struct {
	server *mock.Server
	names  map[string]string // of endpoints, by method and path
	live   io.Writer         // nil: do not print each call

	mu     sync.Mutex
	counts map[string]map[string]int // by endpoint and outcome
}

// platform makes the platform of a scenario.
func (s *scenario) platform() (*mockPlatform, error) {
	p := &mockPlatform{names: map[string]string{}, counts: map[string]map[string]int{}}
	var specs []wechat.Spec
	var names []string
	for _, product := range platforms() {
		specs = append(specs, product.specs...)
	}
	for _, spec := range specs {
		names = append(names, spec.Name)
		if key := spec.Method() + " " + spec.Path(); p.names[key] == "" {
			p.names[key] = spec.Name
		}
	}
	p.server = mock.NewServer(specs...)
	if s.TokenLife > 0 {
		p.server.TokenLife(time.Duration(s.TokenLife))
	}
	for _, app := range s.Apps {
		if app.AppID == "" || app.Secret == "" {
			return nil, errors.New("an app needs an appid and a secret")
		}
		var product []string
		if app.Product != "" {
			if _, err := platformOf(app.Product); err != nil {
				return nil, err
			}
			product = []string{app.Product}
		}
		p.server.App(wechat.App{ID: app.AppID, Secret: wechat.Secret(app.Secret), AgentID: app.AgentID}, product...)
		if app.Followers != nil {
			p.server.Followers(app.AppID, app.Followers...)
		}
	}
	p.server.Unfollow(s.Unfollowed...)
	if s.CheckOpenIDs {
		p.server.CheckOpenIDs(nil)
	}
	return p, s.rules(p.server, names)
}

// rules sets the limits and faults.
func (s *scenario) rules(server *mock.Server, names []string) error {
	for name := range maps.Keys(s.Limits) {
		if err := knownEndpoint(name, names); err != nil {
			return fmt.Errorf("limits: %w", err)
		}
	}
	for name := range maps.Keys(s.Faults) {
		if err := knownEndpoint(name, names); err != nil {
			return fmt.Errorf("faults: %w", err)
		}
	}
	for name, rules := range s.Limits {
		limits := make([]mock.Limit, len(rules))
		for i, rule := range rules {
			var err error
			if limits[i], err = rule.limit(); err != nil {
				return fmt.Errorf("limits: %s: %w", name, err)
			}
		}
		server.Limit(endpointName(name), limits...)
	}
	for name, rules := range s.Faults {
		for _, rule := range rules {
			server.Fault(endpointName(name), rule.fault())
		}
	}
	return nil
}

// endpointName is the name that the server has for what the file calls an endpoint.
func endpointName(name string) string {
	if name == "all" {
		return ""
	}
	return name
}

func knownEndpoint(name string, names []string) error {
	if name == "all" || slices.Contains(names, name) {
		return nil
	}
	return fmt.Errorf("no endpoint %q%s", name, didYouMean(name, names))
}

func (r limitRule) limit() (mock.Limit, error) {
	if r.Rate <= 0 {
		return mock.Limit{}, errors.New("the rate has to be more than 0")
	}
	var l mock.Limit
	switch r.Per {
	case "":
		l = mock.AtOnce(r.Rate)
	case "second":
		l = mock.PerSecond(r.Rate)
	case "minute":
		l = mock.PerMinute(r.Rate)
	case "day":
		l = mock.PerDay(r.Rate)
	default:
		window, err := time.ParseDuration(r.Per)
		if err != nil || window <= 0 {
			return l, fmt.Errorf("per is %q: it has to be second, minute, day or a duration like 10s", r.Per)
		}
		l = mock.Limit{Rate: r.Rate, Window: window}
	}
	l.Recipient, l.Block = r.Recipient, time.Duration(r.Block)
	if r.HTTP429 {
		l = l.As429()
	}
	return l, nil
}

func (r faultRule) fault() mock.Fault {
	f := mock.Fault{Skip: r.Skip, Every: r.Every, Times: r.Times, Delay: time.Duration(r.Delay), Refuse: r.Refuse, Reset: r.Reset, Cut: r.Cut, Done: r.Done}
	if r.Status != 0 || r.Code != 0 || r.Body != "" {
		f.Reply = &mock.Reply{Status: r.Status, Code: wechat.Code(r.Code), Message: r.Text}
		if r.Body != "" {
			f.Reply.Body = []byte(r.Body)
		}
	}
	return f
}

// serve runs the platform until the context of cmd ends.
func (p *mockPlatform) serve(cmd *cobra.Command, addr string) error {
	listener, err := new(net.ListenConfig).Listen(cmd.Context(), "tcp", addr)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(cmd.ErrOrStderr(), "the platform is at http://%s\n", listener.Addr()); err != nil {
		return err
	}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: r.In.Host})
			r.Out.Host = r.In.Host
		},
		Transport: p,
		// What is no reply in memory is none over HTTP either.
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	server := &http.Server{Handler: proxy, ReadHeaderTimeout: time.Minute}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case <-cmd.Context().Done():
		err = server.Close()
		<-ended
	case err = <-ended:
	}
	return err
}

// RoundTrip asks the platform in memory and takes down what it answered.
func (p *mockPlatform) RoundTrip(r *http.Request) (*http.Response, error) {
	began := time.Now()
	res, err := p.server.Transport().RoundTrip(r)
	outcome := "no reply"
	if err == nil {
		outcome = outcomeOf(res)
	}
	name := p.names[r.Method+" "+r.URL.Path]
	if name == "" {
		name = r.Method + " " + r.URL.Path
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.counts[name] == nil {
		p.counts[name] = map[string]int{}
	}
	p.counts[name][outcome]++
	if p.live != nil {
		now := time.Now()
		_, _ = fmt.Fprintf(p.live, "%s  %-24s  %-14s  %v\n", now.Format("15:04:05.000"), name, outcome, now.Sub(began).Round(time.Millisecond)) // a broken pipe is no reason to stop serving
	}
	return res, err
}

// outcomeOf names what was answered: ok, the errcode, or the HTTP status.
func outcomeOf(res *http.Response) string {
	body, err := io.ReadAll(res.Body)
	res.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), failingReader{err}))
	var reply struct {
		Code int `json:"errcode"`
	}
	switch {
	case err != nil:
		return "cut"
	case res.StatusCode != http.StatusOK:
		return "HTTP " + strconv.Itoa(res.StatusCode)
	case json.Unmarshal(body, &reply) == nil && reply.Code != 0:
		return "errcode " + strconv.Itoa(reply.Code)
	}
	return "ok"
}

// failingReader ends with an error, or with io.EOF where that is nil.
type failingReader struct{ err error }

func (f failingReader) Read([]byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	return 0, io.EOF
}

// seen is what the platform has seen when it is stopped.
type seen struct {
	Calls      map[string]map[string]int `json:"calls"` // by endpoint and outcome
	Delivered  int                       `json:"delivered"`
	Recipients int                       `json:"recipients"`
	Duplicates int                       `json:"duplicates"` // messages that somebody got again
}

func (p *mockPlatform) report(w io.Writer, asJSON bool) error {
	messages := p.server.Delivered("")
	people := map[string]bool{}
	for _, m := range messages {
		people[m.Recipient] = true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	s := seen{Calls: p.counts, Delivered: len(messages), Recipients: len(people), Duplicates: len(p.server.Duplicates())}
	if asJSON {
		return printJSON(w, s)
	}
	if _, err := fmt.Fprintf(w, "\n%d messages delivered to %d recipients, %d of them again\n", s.Delivered, s.Recipients, s.Duplicates); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(s.Calls)) {
		for _, outcome := range slices.Sorted(maps.Keys(s.Calls[name])) {
			if _, err := fmt.Fprintf(w, "%7d  %s: %s\n", s.Calls[name][outcome], name, outcome); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeDeliveries writes the messages that were delivered.
func (p *mockPlatform) writeDeliveries(path string) error {
	f, err := os.Create(path) //nolint:gosec // G304: the file that the user names
	if err != nil {
		return err
	}
	w := csv.NewWriter(f)
	records := [][]string{{"time", "app", "endpoint", "recipient"}}
	for _, m := range p.server.Delivered("") {
		records = append(records, []string{m.Call.Time.Format(time.RFC3339Nano), m.Call.App, m.Call.Endpoint, m.Recipient})
	}
	return errors.Join(w.WriteAll(records), f.Close())
}
