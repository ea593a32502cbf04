// Command wechat looks into WeChat's server APIs from the shell.
package main

import (
	"context"
	"os"
	"os/signal"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := newRoot().ExecuteContext(ctx)
	stop()
	if err != nil {
		os.Exit(1)
	}
}

// newRoot puts the commands together; each has a file of its own.
func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:          "wechat",
		Short:        "Looks into WeChat's server APIs",
		SilenceUsage: true, // a failed call is no reason to print it
	}
	root.AddCommand(newEndpoints())
	return root
}
