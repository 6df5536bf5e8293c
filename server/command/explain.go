package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"

	"github.com/spf13/cobra"
	"github.com/tidwall/gjson"
	"sigs.k8s.io/yaml"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/server/authoring/trial"
	"github.com/stratagem-dev/stratagem/server/explain"
)

// explainFlags are the flags of explain.
type explainFlags struct {
	file, old, module, operation, config, output string
}

func explainCommand() *cobra.Command {
	var f explainFlags
	cmd := &cobra.Command{
		Use: "explain -f OBJECT.yaml", Short: "Show what each hook makes of an object, without storing anything", Args: cobra.NoArgs,
		Long: "Sends a create, or an update where the object is there, as a dry run and shows what every step of it changed, said and\n" +
			"cost. With --module the request goes through a module on disk; no server is needed then.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			explanation, err := f.explain(cmd.Context())
			if err != nil {
				return err
			}
			switch f.output {
			case "":
				return explanation.Print(cmd.OutOrStdout())
			case "json":
				return json.NewEncoder(cmd.OutOrStdout()).Encode(explanation)
			case "yaml":
				return printYAML(cmd.OutOrStdout(), explanation)
			}
			return fmt.Errorf(`--output %q: must be "json" or "yaml"`, f.output)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.file, "filename", "f", "", `file with the object, YAML or JSON; "-" is standard input`)
	flags.StringVar(&f.module, "module", "", "module to explain with, in place of a server")
	flags.StringVar(&f.old, "old", "", "with --module: file with the object as it is stored, which makes the request an update")
	flags.StringVar(&f.operation, "operation", "", "create, update, or a subresource to write (default: by whether the object is there)")
	flags.StringVar(&f.config, "kubeconfig", "", "kubeconfig to use (default: $KUBECONFIG, then ~/.kube/config)")
	flags.StringVarP(&f.output, "output", "o", "", "json or yaml (default: text)")
	_ = cmd.MarkFlagRequired("filename")
	return cmd
}

func (f *explainFlags) explain(ctx context.Context) (*explain.Explanation, error) {
	obj, err := readObject(f.file)
	if err != nil {
		return nil, err
	}
	if f.module == "" {
		if f.old != "" {
			return nil, errors.New("--old: a server knows what it stores; the flag goes with --module")
		}
		return f.explainOnline(ctx, obj)
	}
	req := trial.Request{Operation: f.operation, Input: obj}
	if f.old != "" {
		if req.Old, err = readObject(f.old); err != nil {
			return nil, err
		}
	}
	switch {
	case f.operation != "":
	case req.Old != nil:
		req.Operation = "update"
	default:
		req.Operation = "create"
	}
	var result trial.Result
	err = withWorld(ctx, f.module, func(w *trial.World) (err error) {
		result, err = w.Run(ctx, req)
		return err
	})
	return result.Explanation, err
}

// explainOnline asks a server.
func (f *explainFlags) explainOnline(ctx context.Context, obj engine.Object) (*explain.Explanation, error) {
	client, err := newClient(f.config)
	if err != nil {
		return nil, err
	}
	collection, err := client.collection(ctx, obj)
	if err != nil {
		return nil, err
	}
	method, path := "POST", collection
	if f.operation != "create" {
		one := collection + "/" + url.PathEscape(obj.Name())
		stored, err := client.do(ctx, "GET", one, "application/json", "", nil)
		var missing *answerError
		switch {
		case err == nil || f.operation != "":
			method, path, obj = "PUT", one, changing(obj, stored)
		case !errors.As(err, &missing) || missing.code != 404:
			return nil, err
		}
		if f.operation != "" && f.operation != "update" {
			path += "/" + url.PathEscape(f.operation)
		}
	}
	answer, err := client.do(ctx, method, path+"?dryRun=All&explain=true", "application/json", "application/json", obj)
	if err != nil {
		return nil, err
	}
	var explanation explain.Explanation
	if err := json.Unmarshal(answer, &explanation); err != nil {
		return nil, err
	}
	if explanation.Kind != explain.Kind {
		return nil, fmt.Errorf("the server answered with a %s: it cannot explain", gjson.GetBytes(answer, "kind").String())
	}
	return &explanation, nil
}

// changing gives an object the resourceVersion of the stored one, where it states none: what is asked is what the change would do now.
func changing(obj engine.Object, stored []byte) engine.Object {
	version := gjson.GetBytes(stored, "metadata.resourceVersion").String()
	if obj.ResourceVersion() != "" || version == "" {
		return obj
	}
	meta := obj.Meta()
	meta.SetString("resourceVersion", version)
	return obj.WithMeta(meta)
}

// readObject reads an object in YAML or JSON from a file, or from standard input.
func readObject(file string) (engine.Object, error) {
	var data []byte
	var err error
	if file == "-" {
		data, err = io.ReadAll(os.Stdin)
	} else {
		data, err = os.ReadFile(file)
	}
	if err != nil {
		return nil, err
	}
	converted, err := yaml.YAMLToJSON(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	obj, _, err := engine.ParseObject(converted)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return obj, nil
}

func printYAML(out io.Writer, value any) error {
	text, err := yaml.Marshal(value)
	if err != nil {
		return err
	}
	_, err = out.Write(text)
	return err
}
