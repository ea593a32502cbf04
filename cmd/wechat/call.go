package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/seed175cf469/wechat"
)

func newCall() *cobra.Command {
	var (
		flags        accountFlags
		data, output string
		show         bool
	)
	cmd := &cobra.Command{
		Use:   "call NAME [field=value...]",
		Short: "Calls any endpoint with JSON in and out",
		Long: "Calls any endpoint of any product, by the name that `wechat endpoints` lists, and prints the reply as JSON.\n\n" +
			"The fields have the names of the API, whether they travel in the body or in the query string. They come as an object\n" +
			"from --data, or from standard input where that is a pipe or a file, and one by one from the arguments, which win. A file\n" +
			"to upload is given by its path. What the account knows (appid, secret, agentid) is filled in. A reply that is a file\n" +
			"goes to --output.",
		Example: "  wechat call GetUserInfo openid=oABC lang=zh_CN\n" +
			"  wechat call CreateMenu --data @menu.json\n" +
			"  jq -n '{tag: {name: \"vip\"}}' | wechat call CreateTag\n" +
			"  wechat call UploadTempMedia type=image media=photo.jpg",
		Args:              asUsage(cobra.MinimumNArgs(1)),
		ValidArgsFunction: completeEndpoints,
		RunE: func(cmd *cobra.Command, args []string) error {
			products := platforms()
			a, err := flags.open(cmd)
			if err != nil {
				// A misspelt name is worth telling before a missing account.
				if _, _, unknown := lookup(args[0], products...); unknown != nil && !strings.Contains(unknown.Error(), "--product") {
					return unknown
				}
				return err
			}
			if a.explicit {
				products = []platform{a.platform}
			}
			spec, p, err := lookup(args[0], products...)
			if err != nil {
				if s, own, e := lookup(args[0], a.platform); e == nil { // in several products: the account's
					spec, p, err = s, own, nil
				}
			}
			if err != nil {
				return err
			}
			a.platform = p
			req, err := readRequest(newForm(spec), data, args[1:], cmd.InOrStdin())
			if err != nil {
				return usage(err)
			}
			res, err := do(cmd.Context(), wechat.Bind(a.client(), a.Product, a.app), spec, req)
			if err != nil {
				return err
			}
			return writeReply(cmd.OutOrStdout(), spec, res, output, show)
		},
	}
	flags.add(cmd)
	cmd.Flags().StringVarP(&data, "data", "d", "", "fields as a JSON object; @FILE reads a file, - standard input")
	cmd.Flags().StringVarP(&output, "output", "o", "", "where a reply that is a file goes")
	cmd.Flags().BoolVar(&show, "show", false, "print tokens and tickets that the reply has")
	return cmd
}

// completeEndpoints completes the names of endpoints.
func completeEndpoints(_ *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	var names []string
	if len(args) == 0 {
		for _, p := range platforms() {
			for _, s := range p.specs {
				if strings.HasPrefix(strings.ToLower(s.Name), strings.ToLower(begun)) {
					names = append(names, s.Name)
				}
			}
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// readRequest puts a request together from --data or standard input and the arguments.
func readRequest(f *form, data string, pairs []string, stdin io.Reader) (any, error) {
	raw, err := readData(data, stdin, f.asks() && len(pairs) == 0)
	if err != nil {
		return nil, err
	}
	raw = bytes.TrimSpace(raw)
	fields := map[string]json.RawMessage{}
	var body json.RawMessage
	switch {
	case len(raw) == 0:
	case f.whole():
		body = raw
	default:
		if err := json.Unmarshal(raw, &fields); err != nil {
			return nil, fmt.Errorf("the fields are no JSON object: %w", err)
		}
	}
	for _, p := range pairs {
		if err := f.pair(fields, p); err != nil {
			return nil, err
		}
	}
	return f.request(fields, body)
}

// readData reads what --data names. Without it standard input is read where it is piped and wanted.
func readData(data string, stdin io.Reader, wanted bool) ([]byte, error) {
	if path, ok := strings.CutPrefix(data, "@"); ok && path != "-" {
		return os.ReadFile(path) //nolint:gosec // G304: the file that the user names
	}
	switch data {
	case "-", "@-":
		return io.ReadAll(stdin)
	case "":
		if wanted && piped(stdin) {
			return io.ReadAll(stdin)
		}
	}
	return []byte(data), nil
}

// piped reports whether somebody has put something into r: it is no terminal and not /dev/null.
func piped(r io.Reader) bool {
	f, ok := r.(*os.File)
	if !ok {
		return true
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice == 0
}

// writeReply prints a reply, or puts the file that it is where it belongs.
func writeReply(w io.Writer, spec wechat.Spec, res any, output string, show bool) error {
	if blob := blobOf(res); blob != nil && len(blob.Data) > 0 {
		if output != "" && output != "-" {
			return os.WriteFile(output, blob.Data, 0o600)
		}
		if f, ok := w.(*os.File); ok && output == "" && term.IsTerminal(int(f.Fd())) {
			return usage(fmt.Errorf("the reply is a file of type %s: say where to with --output, or - for here", blob.ContentType))
		}
		_, err := w.Write(blob.Data)
		return err
	}
	b, err := json.Marshal(res)
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber() // ids are longer than a float64 holds
	var reply any
	if err := d.Decode(&reply); err != nil {
		return err
	}
	if object, ok := reply.(map[string]any); ok && !show {
		hide(object, spec.Name)
	}
	return printJSON(w, reply)
}

// blobOf finds the file in a reply; nil: it has none.
func blobOf(res any) *wechat.Blob {
	if blob, ok := res.(*wechat.Blob); ok {
		return blob
	}
	v := reflect.ValueOf(res).Elem()
	if v.Kind() != reflect.Struct {
		return nil
	}
	for i := range v.NumField() {
		if v.Type().Field(i).Type == reflect.TypeFor[wechat.Blob]() {
			blob, _ := v.Field(i).Interface().(wechat.Blob)
			return &blob
		}
	}
	return nil
}

// hide takes the tokens out of a reply, and the tickets of calls that are for one.
func hide(reply map[string]any, endpoint string) {
	for name, value := range reply {
		text, _ := value.(string)
		isTicket := strings.HasSuffix(endpoint, "Ticket") && strings.HasSuffix(name, "ticket")
		if text != "" && (strings.HasSuffix(name, "access_token") || name == "refresh_token" || isTicket) {
			reply[name] = wechat.Secret(text)
		}
	}
}

var errNoTerminal = errors.New("it has to be confirmed: there is no terminal to ask at, so say --yes")
