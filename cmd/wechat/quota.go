package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
)

// pathQuota is the quota of one path.
type pathQuota struct {
	Path  string `json:"path"`
	Daily int64  `json:"daily"`
	Used  int64  `json:"used"`
	Left  int64  `json:"left"`
	Calls int64  `json:"calls,omitempty"` // in Seconds; 0: not told
	Secs  int64  `json:"seconds,omitempty"`
	Error string `json:"error,omitempty"`
}

func newQuota() *cobra.Command {
	var (
		flags  accountFlags
		asJSON bool
	)
	cmd := &cobra.Command{
		Use:   "quota [PATH|NAME...]",
		Short: "Shows what the account may call today",
		Long: "Shows what the account may call today, what is used of it, and how fast, by path or name of the endpoint. Without\n" +
			"any: the paths of what `wechat send` can send, and of tokens. WeCom does not tell quotas.",
		Example: "  wechat quota SendTemplateMessage /cgi-bin/user/info\n  wechat quota clear SendTemplateMessage",
		RunE: func(cmd *cobra.Command, args []string) error {
			a, err := flags.open(cmd)
			if err != nil {
				return err
			}
			paths, err := quotaPaths(a, args)
			if err != nil {
				return err
			}
			var (
				quotas []pathQuota
				failed error
			)
			for _, path := range paths {
				q, err := a.quota(cmd.Context(), path)
				if err != nil {
					if len(paths) == 1 {
						return err
					}
					q.Error, failed = err.Error(), err
				}
				quotas = append(quotas, q)
			}
			if asJSON {
				err = printJSON(cmd.OutOrStdout(), quotas)
			} else {
				err = writeQuotas(cmd.OutOrStdout(), quotas)
			}
			if err != nil {
				return err
			}
			return failed
		},
	}
	flags.add(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	cmd.AddCommand(newQuotaClear())
	return cmd
}

// quota asks for the quota of a path.
func (a *account) quota(ctx context.Context, path string) (pathQuota, error) {
	var reply struct {
		Quota struct {
			Daily int64 `json:"daily_limit"`
			Used  int64 `json:"used"`
			Left  int64 `json:"remain"`
		} `json:"quota"`
		Rate struct {
			Calls int64 `json:"call_count"`
			Secs  int64 `json:"refresh_second"`
		} `json:"rate_limit"`
	}
	err := a.ask(ctx, "GetAPIQuota", map[string]string{"cgi_path": path}, &reply)
	q := reply.Quota
	return pathQuota{Path: path, Daily: q.Daily, Used: q.Used, Left: q.Left, Calls: reply.Rate.Calls, Secs: reply.Rate.Secs}, err
}

// quotaPaths turns names of endpoints into paths. Without any it gives those of what send can send, and of tokens.
func quotaPaths(a *account, args []string) ([]string, error) {
	if len(args) == 0 {
		args = []string{"GetStableAccessToken"}
		for _, k := range kinds() {
			if k.product == a.Name {
				args = append(args, k.endpoint)
			}
		}
	}
	paths := make([]string, len(args))
	for i, arg := range args {
		if paths[i] = arg; strings.HasPrefix(arg, "/") {
			continue
		}
		spec, _, err := lookup(arg, a.platform)
		if err != nil {
			return nil, err
		}
		paths[i] = spec.Path()
	}
	return paths, nil
}

func writeQuotas(w io.Writer, quotas []pathQuota) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if _, err := fmt.Fprintln(table, "PATH\tA DAY\tUSED\tLEFT\tRATE"); err != nil {
		return err
	}
	for _, q := range quotas {
		rate := "-"
		if q.Calls > 0 {
			rate = fmt.Sprintf("%d in %d s", q.Calls, q.Secs)
		}
		line := fmt.Sprintf("%s\t%d\t%d\t%d\t%s\n", q.Path, q.Daily, q.Used, q.Left, rate)
		if q.Error != "" {
			line = fmt.Sprintf("%s\t%s\n", q.Path, q.Error)
		}
		if _, err := io.WriteString(table, line); err != nil {
			return err
		}
	}
	return table.Flush()
}

func newQuotaClear() *cobra.Command {
	var (
		flags accountFlags
		yes   bool
	)
	cmd := &cobra.Command{
		Use:   "clear [PATH|NAME...]",
		Short: "Sets the day's counts back to zero",
		Long: "Sets the day's count of the endpoints that are named back to zero, or without any of all. An account can do the first\n" +
			"50 times a month and the second 10 times, so it has to be confirmed.",
		Example: "  wechat quota clear SendTemplateMessage\n  wechat quota clear --yes",
		RunE: func(cmd *cobra.Command, args []string) error {
			a, err := flags.open(cmd)
			if err != nil {
				return err
			}
			what := "of every endpoint (one of 10 times a month)"
			var paths []string
			if len(args) > 0 {
				if paths, err = quotaPaths(a, args); err != nil {
					return err
				}
				what = fmt.Sprintf("of %s (%d of 50 times a month)", strings.Join(paths, ", "), len(paths))
			}
			if !yes {
				if err := confirm(cmd, fmt.Sprintf("Set the day's count %s of %s back to zero?", what, a.app.ID)); err != nil {
					return err
				}
			}
			if len(paths) == 0 {
				if err := a.ask(cmd.Context(), "ClearQuota", nil, nil); err != nil {
					return err
				}
			}
			for _, path := range paths {
				if err := a.ask(cmd.Context(), "ClearAPIQuota", map[string]string{"cgi_path": path}, nil); err != nil {
					return err
				}
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), "cleared")
			return err
		},
	}
	flags.add(cmd)
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}

// confirm asks at the terminal. Anything but yes is an error.
func confirm(cmd *cobra.Command, question string) error {
	if piped(cmd.InOrStdin()) {
		return usage(errNoTerminal)
	}
	if _, err := fmt.Fprintf(cmd.ErrOrStderr(), "%s [y/N] ", question); err != nil {
		return err
	}
	answer, err := bufio.NewReader(cmd.InOrStdin()).ReadString('\n')
	if err != nil {
		return usage(errNoTerminal)
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	return usage(fmt.Errorf("not done"))
}
