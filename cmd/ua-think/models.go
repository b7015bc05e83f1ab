package main

import (
	"bufio"
	"context"
	"fmt"
	"os"

	"ua/cmd/ua-think/internal/failure"
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
	via := new(gatewayClient)
	if len(names) == 0 && os.Getenv(run.EnvGateway) != "" {
		if err := via.ask(defaults(cfg)); err != nil {
			return err
		}
		names = append(names, via.about.Provider)
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
		found, err := models(ctx, cfg, name, via)
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

// models returns the names of the models of one provider.
func models(
	ctx context.Context, cfg *settings.Settings, name string, via *gatewayClient,
) ([]string, error) {
	m, err := provider.Connect(name, "", cfg)
	if err == nil && os.Getenv(run.EnvGateway) != "" && !m.HasKey(cfg) {
		m, err = via.reach(m, defaults(cfg))
	}
	if err == nil {
		m, err = m.Unlock(cfg)
	}
	if err != nil {
		return nil, err
	}
	list, err := transport.New(defaults(cfg).time, m.Gateway).Fetch(ctx, m, m.ModelsURL(), nil)
	if err != nil {
		return nil, err
	}
	return m.ModelNames(list), nil
}
