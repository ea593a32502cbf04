package main

import (
	"encoding/json"

	"github.com/spf13/cobra"
)

func newRid() *cobra.Command {
	var flags accountFlags
	cmd := &cobra.Command{
		Use:   "rid RID",
		Short: "Shows what the platform recorded of a failed request",
		Long: "Shows, as JSON, what the platform recorded of a request that failed, by the rid of its error: when it came and from\n" +
			"where, its body and the reply. It can hold personal data. The platform keeps it for seven days.",
		Example: "  wechat rid 61725984-6126f6f9-040f19c4",
		Args:    asUsage(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			a, err := flags.open(cmd)
			if err != nil {
				return err
			}
			var reply struct {
				Request json.RawMessage `json:"request"`
			}
			if err := a.ask(cmd.Context(), "GetRidInfo", map[string]string{"rid": args[0]}, &reply); err != nil {
				return err
			}
			return printJSON(cmd.OutOrStdout(), reply.Request)
		},
	}
	flags.add(cmd)
	return cmd
}
