package main

import (
	"context"
	"encoding/json"
	"os"
	"strings"

	"ua/cmd/ua-think/internal/failure"
	"ua/cmd/ua-think/internal/gateway"
	"ua/cmd/ua-think/internal/provider"
	"ua/cmd/ua-think/internal/settings"
	"ua/cmd/ua-think/internal/transport"
	"ua/internal/common/config"
	"ua/internal/common/prog"
	"ua/internal/common/run"
)

// choose returns the models to ask, in order. Only the first one has its key: a key of
// the others may come from a command, which runs only if they are needed.
func choose(o *options, cfg *settings.Settings) (models []provider.Model, err error) {
	spec, err := provider.Default(o.model, os.Getenv(config.EnvModel), cfg.Think.Model)
	via := new(gatewayClient)
	if err != nil && os.Getenv(run.EnvGateway) != "" {
		spec, err = via.model(o)
	}
	if err != nil {
		return nil, err
	}
	for i, spec := range append([]string{spec}, o.fallback...) {
		m, err := provider.Resolve(spec, cfg)
		// Without a key of our own the gateway answers, if it serves that provider.
		if err == nil && m.Base != "" && os.Getenv(run.EnvGateway) != "" && !m.HasKey(cfg) {
			m, err = via.reach(m, o)
		}
		if err == nil && i == 0 && !o.session.DryRun {
			m, err = m.Unlock(cfg)
		}
		if err != nil {
			return nil, err
		}
		models = append(models, m)
	}
	return models, nil
}

// A gatewayClient reaches a model for a program that has no key of its own, through the
// gateway that UA_GATEWAY names.
type gatewayClient struct {
	about gateway.About
	known bool
}

// model returns the model that the gateway offers, as PROVIDER/NAME.
func (g *gatewayClient) model(o *options) (string, error) {
	if err := g.ask(o); err != nil {
		return "", err
	}
	return g.about.Model, nil
}

// reach returns m as it is asked through the gateway. A gateway knows only one provider.
func (g *gatewayClient) reach(m provider.Model, o *options) (provider.Model, error) {
	if err := g.ask(o); err != nil {
		return m, err
	}
	if m.Provider != g.about.Provider {
		return m, prog.Errorf(prog.Trouble, "there is no key for %s, and the gateway serves %s",
			m.Provider, g.about.Provider).
			Hintf("ask %s, or another model of %s", g.about.Model, g.about.Provider)
	}
	return m.Via(os.Getenv(run.EnvGateway), g.about.API, os.Getenv(run.EnvToken)), nil
}

// ask asks the gateway once what it offers (GET /ua).
func (g *gatewayClient) ask(o *options) error {
	if g.known {
		return nil
	}
	socket := os.Getenv(run.EnvGateway)
	m := provider.Model{Provider: "the gateway"}.Via(socket, "openai-chat", os.Getenv(run.EnvToken))
	url := strings.TrimSuffix(m.Base, "/v1") + "/ua"
	text, err := transport.New(o.time, socket).Fetch(context.Background(), m, url, nil)
	if err == nil {
		err = json.Unmarshal(text, &g.about)
	}
	if err != nil {
		return failure.From(err).Exit()
	}
	g.known = true
	return nil
}
