package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/seed175cf469/wechat"
)

func newEndpoints() *cobra.Command {
	var (
		product           string
		asJSON, asOpenAPI bool
	)
	cmd := &cobra.Command{
		Use:   "endpoints [word...]",
		Short: "Lists the endpoints that the SDK has",
		Long: "Lists the endpoints that the SDK has: those whose name or path contains every word, in either case,\n" +
			"or all of them. With --json each comes with the fields of its query, request and reply; with --openapi they are a\n" +
			"document of OpenAPI 3.1 with examples.",
		Example: "  wechat endpoints template\n  wechat endpoints --openapi > wechat.json\n  wechat endpoints --product work --json | jq '.[].path'",
		RunE: func(cmd *cobra.Command, words []string) error {
			found, err := find(product, words)
			if err != nil {
				return err
			}
			if asOpenAPI {
				document, err := newOpenAPI(found)
				if err != nil {
					return err
				}
				return printJSON(cmd.OutOrStdout(), document)
			}
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), found)
			}
			return writeTable(cmd.OutOrStdout(), found)
		},
	}
	cmd.Flags().StringVar(&product, "product", "", "only of this product: officialaccount, miniprogram or work")
	cmd.Flags().BoolVar(&asJSON, "json", false, "with all fields, as JSON")
	cmd.Flags().BoolVar(&asOpenAPI, "openapi", false, "as an OpenAPI 3.1 document")
	cmd.MarkFlagsMutuallyExclusive("json", "openapi")
	return cmd
}

// find lists the endpoints of a product, "" for all, whose name or path contains every word.
func find(product string, words []string) ([]wechat.Spec, error) {
	products := platforms()
	if product != "" {
		p, err := platformOf(product)
		if err != nil {
			return nil, err
		}
		products = []platform{p}
	}
	var all, found []wechat.Spec
	for _, p := range products {
		all = append(all, p.specs...)
	}
	for _, s := range all {
		text := strings.ToLower(s.Name + " " + s.Pattern)
		if !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, strings.ToLower(word)) }) {
			found = append(found, s)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("no endpoint has %q in its name or path", words)
	}
	return found, nil
}

func writeJSON(w io.Writer, specs []wechat.Spec) error {
	list := make([]wechat.Description, len(specs))
	for i, s := range specs {
		list[i] = s.Describe()
	}
	return printJSON(w, list)
}

func writeTable(w io.Writer, specs []wechat.Spec) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if _, err := fmt.Fprintln(table, "PRODUCT\tNAME\tEFFECT\tCALL"); err != nil {
		return err
	}
	for _, s := range specs {
		if _, err := fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", s.Product, s.Name, s.Effect, s.Pattern); err != nil {
			return err
		}
	}
	return table.Flush()
}
