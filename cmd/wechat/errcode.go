package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/catalog"
)

// meaning is what an errcode means on one product or several.
type meaning struct {
	Products  []string  `json:"products"`
	Code      int       `json:"errcode"`
	English   string    `json:"english"`
	Chinese   string    `json:"chinese"`
	Advice    string    `json:"advice,omitempty"`
	Kind      string    `json:"kind,omitempty"`
	Endpoints []mention `json:"endpoints,omitempty"`
}

// mention is an endpoint that the errcode means something particular for.
type mention struct {
	Product string `json:"product"`
	Name    string `json:"name"`
	Means   string `json:"means"`
}

func newErrcode() *cobra.Command {
	var (
		product string
		asJSON  bool
	)
	cmd := &cobra.Command{
		Use:   "errcode CODE",
		Short: "Explains an errcode in English and Chinese",
		Long: "Explains an errcode in English and Chinese: what it means, what to do, and for which endpoints it means\n" +
			"something particular. Write -- before a negative one.",
		Example: "  wechat errcode 45009\n  wechat errcode --product work 60020\n  wechat errcode -- -1",
		Args:    asUsage(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			code, err := strconv.Atoi(strings.TrimPrefix(strings.ToLower(args[0]), "errcode "))
			if err != nil {
				return usage(fmt.Errorf("%q is no errcode: it has to be a number", args[0]))
			}
			found, err := explain(product, wechat.Code(code))
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), found)
			}
			return writeMeanings(cmd.OutOrStdout(), found)
		},
	}
	cmd.Flags().StringVar(&product, "product", "", "on this product only: officialaccount, miniprogram or work")
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return cmd
}

// explain finds what code means on a product, "" for all. Products on which it means the same share an entry.
func explain(product string, code wechat.Code) ([]meaning, error) {
	products := platforms()
	if product != "" {
		p, err := platformOf(product)
		if err != nil {
			return nil, err
		}
		products = []platform{p}
	}
	var found []meaning
	known := map[wechat.Explanation]int{}
	for _, p := range products {
		e, ok := wechat.Explain(p.Name, code)
		if !ok {
			continue
		}
		i, ok := known[e]
		if !ok {
			i = len(found)
			known[e] = i
			m := meaning{Code: int(code), English: e.English, Chinese: e.Chinese, Advice: e.Advice}
			if e.Kind != 0 {
				m.Kind = e.Kind.String()
			}
			found = append(found, m)
		}
		found[i].Products = append(found[i].Products, p.Name)
		endpoints, err := catalog.Product(p.Name)
		if err != nil {
			return nil, err
		}
		for _, endpoint := range endpoints {
			for _, c := range endpoint.Codes {
				if int(code) == c.Code || int(code) > c.Code && int(code) <= c.Last {
					found[i].Endpoints = append(found[i].Endpoints, mention{p.Name, endpoint.Name, c.Means})
				}
			}
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("errcode %d is not documented", int(code))
	}
	return found, nil
}

func writeMeanings(w io.Writer, found []meaning) error {
	var b strings.Builder
	for i, m := range found {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%d on %s\n", m.Code, strings.Join(m.Products, ", "))
		for _, line := range [][2]string{{"English", m.English}, {"中文", m.Chinese}, {"Kind", m.Kind}, {"Advice", m.Advice}} {
			if line[1] != "" {
				fmt.Fprintf(&b, "  %s: %s\n", line[0], line[1])
			}
		}
		for _, e := range m.Endpoints {
			fmt.Fprintf(&b, "  %s: %s\n", e.Name, e.Means)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
