// Command wechat uses WeChat's server APIs from the shell: it sends lists, calls endpoints, explains errcodes, finds out
// what is wrong with an account, and plays the platform. docs/cli.md has an example of each command.
package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(exitCode(newRoot().ExecuteContext(ctx)))
}

// The exit codes.
const (
	exitFailed      = 1   // what was asked for did not work
	exitUsage       = 2   // nothing was done: the command line, the list or the configuration is wrong
	exitSome        = 3   // send: the list has ended, but some rows were refused or are unknown
	exitStopped     = 4   // send: the list was stopped and can be resumed
	exitQuota       = 5   // send: the same, as the day's quota is used up
	exitInterrupted = 130 // by a signal
)

// exitError is an error with an exit code of its own.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

// usage marks an error of the person at the keyboard.
func usage(err error) error { return &exitError{exitUsage, err} }

func exitCode(err error) int {
	var e *exitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &e):
		return e.code
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	}
	return exitFailed
}

// newRoot puts the commands together; each has a file of its own.
func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "wechat",
		Short: "Uses WeChat's server APIs from the shell",
		Long: "Uses WeChat's server APIs (official account, mini program, WeCom) from the shell.\n\n" +
			"The account comes from --appid and --secret-file, or from WECHAT_APPID, WECHAT_SECRET and WECHAT_AGENTID, or from\n" +
			"a profile of the configuration file. No command takes a secret on its command line, and none prints one.\n\n" +
			"Exit codes: 0 it worked, 1 it did not, 2 nothing was done as something was wrong with what was asked for,\n" +
			"130 interrupted. send has more: 3 some rows were refused or are unknown, 4 stopped before the end, 5 stopped\n" +
			"as the day's quota is used up.",
		Args:          asUsage(cobra.NoArgs),
		SilenceUsage:  true, // a failed call is no reason to print it
		SilenceErrors: false,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usage(err) })
	root.AddCommand(newSend(), newCall(), newEndpoints(), newErrcode(), newToken(), newQuota(), newRid(), newDoctor(), newMock(), newMan(root))
	return root
}

// asUsage makes what a check of arguments finds an error of usage.
func asUsage(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return usage(err)
		}
		return nil
	}
}
