package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed175cf469/wechat"
)

// tokenLife is how long a fresh access token lives.
const tokenLife = 2 * time.Hour

func newToken() *cobra.Command {
	var (
		flags                 accountFlags
		refresh, show, asJSON bool
	)
	cmd := &cobra.Command{
		Use:   "token",
		Short: "Shows how old the access token is and when it ends",
		Long: "Shows how old the account's access token is and when it ends. The platform gives the one that is in use, and not\n" +
			"another, unless the profile says classic. The value is shown with --show only: whoever has it can act for the account.\n\n" +
			"--refresh ends the token that is in use, for everybody who has it, and gets another. The platform does that 20 times\n" +
			"a day, and not twice within 30 seconds.",
		Example: "  wechat token\n  wechat token --refresh\n  wechat token --show --json | jq -r .access_token",
		Args:    asUsage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			a, err := flags.open(cmd)
			if err != nil {
				return err
			}
			client := a.client()
			token, err := client.Token(cmd.Context(), a.Product, a.app, wechat.Token{})
			if err == nil && refresh {
				token, err = client.Token(cmd.Context(), a.Product, a.app, token)
			}
			if err != nil {
				return err
			}
			left := time.Until(token.Expiry).Round(time.Second)
			info := tokenInfo{App: a.app.ID, Product: a.Name, Age: max(0, tokenLife-left).String(), Left: left.String(), Expiry: token.Expiry.Round(time.Second)}
			if show {
				info.Value = token.Value.Reveal()
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), info)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "app      %s (%s)\nage      %s\nexpires  %s, in %s\n", info.App, info.Product, info.Age, info.Expiry.Format(time.RFC3339), info.Left)
			if show && err == nil {
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "token    %s\n", info.Value)
			}
			return err
		},
	}
	flags.add(cmd)
	cmd.Flags().BoolVar(&refresh, "refresh", false, "end the token that is in use and get another")
	cmd.Flags().BoolVar(&show, "show", false, "show the token itself")
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return cmd
}

// tokenInfo is what is told of a token.
type tokenInfo struct {
	App     string    `json:"app"`
	Product string    `json:"product"`
	Age     string    `json:"age"` // of a life of two hours
	Left    string    `json:"left"`
	Expiry  time.Time `json:"expiry"`
	Value   string    `json:"access_token,omitempty"`
}
