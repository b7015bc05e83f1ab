package main

import (
	"os"

	"ua/cmd/ua-think/internal/link"
	"ua/cmd/ua-think/internal/provider"
	"ua/cmd/ua-think/internal/settings"
	"ua/internal/common/config"
	"ua/internal/common/run"
)

// choose returns the models to ask, in order. Only the first one has its key: a key of
// the others may come from a command, which runs only if they are needed. Without a key of our
// own, where there is a run above, it returns what that run is asked for instead.
func choose(o *options, cfg *settings.Settings) (
	models []provider.Model, above *link.Options, err error,
) {
	socket := os.Getenv(run.EnvGateway)
	spec, err := provider.Default(o.model, os.Getenv(config.EnvModel), cfg.Think.Model)
	if err != nil && socket != "" {
		return nil, &link.Options{Options: o.session}, nil
	}
	if err != nil {
		return nil, nil, err
	}
	for i, spec := range append([]string{spec}, o.fallback...) {
		m, err := provider.Resolve(spec, cfg)
		if err == nil && i == 0 && m.Base != "" && socket != "" && !m.HasKey(cfg) {
			return nil, &link.Options{Model: m.Spec(), Options: o.session}, nil
		}
		if err == nil && i == 0 && !o.session.DryRun {
			m, err = m.Unlock(cfg)
		}
		if err == nil && m.Base != "" && m.Name == "" {
			m, err = loaded(cfg, m)
		}
		if err != nil {
			return nil, nil, err
		}
		models = append(models, m)
	}
	return models, nil, nil
}

// dial begins a conversation with the run above. It may end at any time, which ends ctx.
func (o *options) dial(
	wish *link.Options, line func([]byte), ended func(),
) (*link.Client, error) {
	c, err := link.Dial(os.Getenv(run.EnvGateway), os.Getenv(run.EnvToken), *wish)
	if err == nil {
		err = c.Listen(line, ended)
	}
	return c, err
}
