package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/miniprogram"
	"github.com/seed175cf469/wechat/officialaccount"
	"github.com/seed175cf469/wechat/work"
)

// platform is one of the three products.
type platform struct {
	*wechat.Product
	specs []wechat.Spec
}

// platforms are all products, in the order in which they are listed.
func platforms() []platform {
	return []platform{
		{officialaccount.Product(), officialaccount.Endpoints()},
		{miniprogram.Product(), miniprogram.Endpoints()},
		{work.Product(), work.Endpoints()},
	}
}

// platformOf finds a product by its name.
func platformOf(name string) (platform, error) {
	all := platforms()
	if i := slices.IndexFunc(all, func(p platform) bool { return p.Name == name }); i >= 0 {
		return all[i], nil
	}
	return platform{}, usage(fmt.Errorf("unknown product %q: there are officialaccount, miniprogram and work", name))
}

// profile is an account in the configuration file.
type profile struct {
	Product    string `yaml:"product"`
	AppID      string `yaml:"appid"`
	Secret     string `yaml:"secret"`
	SecretFile string `yaml:"secret_file"`
	AgentID    int64  `yaml:"agentid"`
	Classic    bool   `yaml:"classic"`
	BaseURL    string `yaml:"base_url"`
}

// configuration is the configuration file.
type configuration struct {
	Default  string             `yaml:"default"`
	Profiles map[string]profile `yaml:"profiles"`
}

// accountFlags are the flags of commands that need an account.
type accountFlags struct {
	product, appID, secretFile, profile, config, baseURL string
	agentID                                              int64
	verbose                                              bool
}

func (f *accountFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.product, "product", "", "officialaccount, miniprogram or work (default: the profile's, or what the app id tells)")
	flags.StringVar(&f.appID, "appid", "", "AppID, or CorpID (WECHAT_APPID)")
	flags.StringVar(&f.secretFile, "secret-file", "", "file that holds the secret, /dev/stdin for a pipe (WECHAT_SECRET is the secret itself)")
	flags.Int64Var(&f.agentID, "agentid", 0, "agent id, on WeCom (WECHAT_AGENTID)")
	flags.StringVar(&f.profile, "profile", "", "profile of the configuration file (WECHAT_PROFILE)")
	flags.StringVar(&f.config, "config", "", "configuration file (default ~/.config/wechat/config.yaml)")
	flags.StringVar(&f.baseURL, "base-url", "", "send everything to this URL instead of WeChat, for example to that of wechat mock")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "log every attempt to stderr")
}

// account is an account and how to reach it.
type account struct {
	platform
	app      wechat.App
	baseURL  string
	verbose  bool
	explicit bool // the product was told, and not guessed
	stderr   io.Writer
	asker    wechat.Caller // of ask; made at the first call
}

// open puts the account together. Flags go first; what they leave out comes from one place: the profile that was asked
// for, the environment, or the profile that is the default.
func (f *accountFlags) open(cmd *cobra.Command) (*account, error) {
	p, err := f.source(cmd.ErrOrStderr())
	if err != nil {
		return nil, usage(err)
	}
	if f.appID != "" && f.appID != p.AppID {
		if p.AppID != "" {
			p = profile{} // it is another account's
		}
		p.AppID = f.appID
	}
	if f.secretFile != "" {
		p.Secret, p.SecretFile = "", f.secretFile
	}
	if p.SecretFile != "" {
		if p.Secret, err = readSecret(p.SecretFile); err != nil {
			return nil, usage(err)
		}
	}
	if f.agentID != 0 {
		p.AgentID = f.agentID
	}
	if f.baseURL != "" {
		p.BaseURL = f.baseURL
	}
	a := &account{explicit: f.product != "" || p.Product != "", baseURL: strings.TrimSuffix(p.BaseURL, "/"), verbose: f.verbose, stderr: cmd.ErrOrStderr()}
	if f.product != "" {
		p.Product = f.product
	}
	if p.Product == "" {
		p.Product = "officialaccount"
		if p.AgentID != 0 || strings.HasPrefix(p.AppID, "ww") {
			p.Product = "work"
		}
	}
	switch {
	case p.AppID == "":
		return nil, usage(errors.New("no account: set --appid and --secret-file, or WECHAT_APPID and WECHAT_SECRET, or make a profile"))
	case p.Secret == "":
		return nil, usage(fmt.Errorf("no secret for %s: set --secret-file or WECHAT_SECRET, or make a profile", p.AppID))
	}
	a.app = wechat.App{ID: p.AppID, Secret: wechat.Secret(p.Secret), AgentID: p.AgentID, Classic: p.Classic}
	if a.platform, err = platformOf(p.Product); err != nil {
		return nil, err
	}
	if err := wechat.Verify(a.app); err != nil {
		return nil, usage(err)
	}
	return a, nil
}

// source is where the account comes from, but for the flags.
func (f *accountFlags) source(warn io.Writer) (profile, error) {
	name := f.profile
	env := profile{AppID: os.Getenv("WECHAT_APPID"), Secret: os.Getenv("WECHAT_SECRET")}
	if name == "" {
		if s := os.Getenv("WECHAT_AGENTID"); s != "" {
			var err error
			if env.AgentID, err = strconv.ParseInt(s, 10, 64); err != nil {
				return profile{}, fmt.Errorf("WECHAT_AGENTID is %q: it has to be a number", s)
			}
		}
		if env.AppID != "" || env.Secret != "" {
			return env, nil
		}
		name = os.Getenv("WECHAT_PROFILE")
	}
	path := f.config
	if path == "" {
		path = defaultConfig()
	}
	data, err := os.ReadFile(path) //nolint:gosec // G304: the file that the user names
	if errors.Is(err, fs.ErrNotExist) && name == "" && f.config == "" {
		return profile{}, nil
	}
	if err != nil {
		return profile{}, err
	}
	var c configuration
	if err := decodeYAML(data, &c); err != nil {
		return profile{}, fmt.Errorf("%s: %w", path, err)
	}
	if name == "" {
		name = c.Default
	}
	if name == "" {
		return profile{}, nil
	}
	p, ok := c.Profiles[name]
	if !ok {
		return profile{}, fmt.Errorf("%s has no profile %q", path, name)
	}
	if info, err := os.Stat(path); err == nil && p.Secret != "" && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		if _, err := fmt.Fprintf(warn, "warning: %s holds a secret and others can read it: chmod 600 it\n", path); err != nil {
			return profile{}, err
		}
	}
	if p.SecretFile != "" && !filepath.IsAbs(p.SecretFile) {
		p.SecretFile = filepath.Join(filepath.Dir(path), p.SecretFile)
	}
	return p, nil
}

// defaultConfig is where the configuration file is looked for; "" where there is no home.
func defaultConfig() string {
	dir := os.Getenv("XDG_CONFIG_HOME")
	if dir == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		dir = filepath.Join(home, ".config")
	}
	return filepath.Join(dir, "wechat", "config.yaml")
}

// decodeYAML is strict, so that a misspelt key is an error. What the library's errors quote of the text is left out, as
// it could be a secret.
func decodeYAML(data []byte, into any) error {
	d := yaml.NewDecoder(strings.NewReader(string(data)))
	d.KnownFields(true)
	err := d.Decode(into)
	var wrong *yaml.TypeError
	switch {
	case errors.Is(err, io.EOF):
		return errors.New("it is empty")
	case errors.As(err, &wrong):
		for i, text := range wrong.Errors {
			if before, after, ok := strings.Cut(text, "`"); ok {
				_, after, _ = strings.Cut(after, "`")
				wrong.Errors[i] = before + "what is there" + after
			}
		}
		return errors.New(strings.Join(wrong.Errors, "; "))
	}
	return err
}

// readSecret reads a secret that is a file of its own.
func readSecret(path string) (string, error) {
	b, err := os.ReadFile(path) //nolint:gosec // G304: the file that the user names
	if err != nil {
		return "", err
	}
	secret := strings.TrimSpace(string(b))
	if secret == "" || strings.ContainsAny(secret, "\r\n") {
		return "", fmt.Errorf("%s does not hold one line with a secret", path)
	}
	return secret, nil
}

// client returns a client for the account.
func (a *account) client(opts ...wechat.Option) *wechat.Client {
	if a.baseURL != "" {
		opts = append(opts, wechat.WithBaseURL(a.Name, a.baseURL))
	}
	if a.verbose {
		opts = append(opts, wechat.WithLogger(slog.New(slog.NewTextHandler(a.stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))))
	}
	return wechat.New(opts...)
}

// host is the URL that the account's calls go to.
func (a *account) host() string {
	if a.baseURL != "" {
		return a.baseURL
	}
	return a.BaseURL
}
