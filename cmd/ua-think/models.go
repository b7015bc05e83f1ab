package main

import (
	"bufio"
	"context"
	"fmt"
	"os"

	"ua/cmd/ua-think/internal/failure"
	"ua/cmd/ua-think/internal/link"
	"ua/cmd/ua-think/internal/provider"
	"ua/cmd/ua-think/internal/settings"
	"ua/cmd/ua-think/internal/transport"
	"ua/internal/common/prog"
	"ua/internal/common/run"
)

// listModels prints the models that providers offer, one PROVIDER/NAME a line. Without
// operands it asks all providers for which there is a key or a server. Then one that
// fails is a warning, and its status becomes ours at the end.
func listModels(env *prog.Env, args []string) error {
	cfg, err := settings.Load()
	if err != nil {
		return err
	}
	fs := prog.Flags()
	if err := env.Parse(fs, args, help); err != nil {
		return err
	}
	named := fs.NArg() > 0
	names := fs.Args()
	if !named {
		names = provider.Reachable(cfg)
	}
	if len(names) == 0 && os.Getenv(run.EnvGateway) != "" {
		return modelsAbove(env, cfg)
	}
	if len(names) == 0 {
		// Its error says how a provider is set up.
		_, err := provider.Default()
		return err
	}
	ctx, stop := prog.Interruptible()
	defer stop()
	out := bufio.NewWriter(env.Out())
	defer out.Flush()
	var failed error
	for _, name := range names {
		found, err := models(ctx, cfg, name)
		for _, m := range found {
			fmt.Fprintf(out, "%s/%s\n", name, m)
		}
		// Of several providers, one that fails does not hide the models of the others.
		if err != nil && (named || len(names) == 1) {
			return failure.From(err).Exit()
		} else if err != nil {
			env.Warnf("%v", err)
			failed = prog.Exit(failure.From(err).Status)
		}
	}
	return failed
}

// modelsAbove prints the models that a command of a run may ask.
func modelsAbove(env *prog.Env, cfg *settings.Settings) error {
	o := defaults(cfg)
	c, err := o.dial(&link.Options{Options: o.session}, func([]byte) {}, func() {})
	if err != nil {
		return err
	}
	defer c.Close()
	for _, m := range c.Models {
		fmt.Fprintln(env.Out(), m)
	}
	return nil
}

// models returns the names of the models of one provider.
func models(ctx context.Context, cfg *settings.Settings, name string) ([]string, error) {
	m, err := provider.Connect(name, "", cfg)
	if err == nil {
		m, err = m.Unlock(cfg)
	}
	if err != nil {
		return nil, err
	}
	list, err := transport.New(defaults(cfg).time).Fetch(ctx, m, m.ModelsURL(), nil)
	if err != nil {
		return nil, err
	}
	return m.ModelNames(list), nil
}
