package main

import (
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

func newMan(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:     "man DIR",
		Short:   "Writes the man pages into a directory",
		Example: "  wechat man ~/.local/share/man/man1",
		Args:    asUsage(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o750); err != nil {
				return err
			}
			root.DisableAutoGenTag = true // pages do not differ by the day on which they are made
			return doc.GenManTree(root, &doc.GenManHeader{Title: "WECHAT", Section: "1", Source: "wechat", Manual: "wechat"}, args[0])
		},
	}
}
