package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"ua/cmd/ua-think/internal/failure"
	"ua/cmd/ua-think/internal/provider"
	"ua/cmd/ua-think/internal/session"
	"ua/cmd/ua-think/internal/settings"
	"ua/cmd/ua-think/internal/transport"
	"ua/cmd/ua-think/internal/usage"
	"ua/internal/common/config"
	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/style"
)

// listTime is how long a provider may take for its list of models.
const listTime = 20 * time.Second

// listModels prints the models that providers offer, one a line: PROVIDER/NAME, the tokens
// that it takes, and dollars for a million tokens in and out. Without operands it asks all
// providers for which there is a key or an address, and that of the model that is set, at the
// same time. Of several, one that
// fails is a warning, and its status becomes ours at the end.
func listModels(env *prog.Env, args []string) error {
	cfg, err := settings.Load()
	if err != nil {
		return err
	}
	fs := prog.Flags()
	asJSON := fs.Bool("json", false, "")
	if err := env.Parse(fs, args, help); err != nil {
		return err
	}
	names := fs.Args()
	if len(names) == 0 {
		names = provider.Reachable(cfg)
		spec, _ := provider.Default(os.Getenv(config.EnvModel), cfg.Think.Model)
		m, err := provider.Resolve(spec, cfg)
		if err == nil && m.Base != "" && !slices.Contains(names, m.Provider) {
			names = append(names, m.Provider)
		}
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
	found, errs := make([][]provider.Offer, len(names)), make([]error, len(names))
	var all sync.WaitGroup
	for i, name := range names {
		all.Go(func() { found[i], errs[i] = models(ctx, cfg, name) })
	}
	all.Wait()
	var text bytes.Buffer
	out := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.DiscardEmptyColumns)
	var failed error
	for i, name := range names {
		for _, o := range found[i] {
			printOffer(out, name+"/"+o.Name, o, cfg.Price, *asJSON)
		}
		if errs[i] != nil && len(names) == 1 {
			return failure.From(errs[i]).Exit()
		} else if errs[i] != nil {
			env.Warnf("%v", errs[i])
			failed = prog.Exit(failure.From(errs[i]).Status)
		}
	}
	out.Flush()
	for line := range strings.Lines(text.String()) {
		fmt.Fprintln(env.Out(), strings.TrimRight(line, " \n"))
	}
	return failed
}

// printOffer prints a model, with a price of the user's or of our table where its server
// tells none.
func printOffer(out *tabwriter.Writer, spec string, o provider.Offer, own map[string]usage.Price,
	asJSON bool,
) {
	if p, ok := usage.PriceOf(spec, own); ok && !o.Priced {
		o.Priced, o.Input, o.Output = true, p.Input, p.Output
	}
	members, tokens, price := map[string]any{"model": spec}, "", ""
	if o.Context > 0 {
		members["context"], tokens = o.Context, strconv.FormatInt(o.Context, 10)
	}
	if o.Priced {
		members["input"], members["output"] = o.Input, o.Output
		price = usage.Dollars(o.Input) + "\t" + usage.Dollars(o.Output)
	}
	if asJSON {
		line, _ := json.Marshal(members) // texts and numbers always encode
		fmt.Fprintf(out, "%s\n", line)
		return
	}
	fmt.Fprintf(out, "%s\t%s\t%s\n", style.Printable(spec), tokens, price)
}

// modelsAbove prints the models that a command of a run may ask.
func modelsAbove(env *prog.Env, cfg *settings.Settings) error {
	// Why nobody may ask is the error, too.
	s := &session.Session{Options: defaults(cfg).session, Out: event.NewOutbox(io.Discard)}
	if err := s.AskAbove(context.Background(), *aboveFor("")); err != nil {
		return err
	}
	for _, m := range s.Offered() {
		fmt.Fprintln(env.Out(), m)
	}
	return s.End(nil)
}

// models returns the models of one provider.
func models(ctx context.Context, cfg *settings.Settings, name string) ([]provider.Offer, error) {
	m, err := provider.Connect(name, "", cfg)
	if err == nil {
		m, err = m.Unlock(cfg)
	}
	if err != nil {
		return nil, err
	}
	return offers(ctx, cfg, m, m.ModelsURL())
}

// offers asks a provider for a list of models.
func offers(ctx context.Context, cfg *settings.Settings, m provider.Model, url string) (
	[]provider.Offer, error,
) {
	limits := defaults(cfg).time
	limits.Total = min(limits.Total, listTime)
	list, err := transport.New(limits).Fetch(ctx, m, url, nil)
	if err != nil {
		return nil, err
	}
	return provider.Offers(list), nil
}

// loaded returns m with the name of the one model that its server has loaded.
func loaded(cfg *settings.Settings, m provider.Model) (provider.Model, error) {
	ctx, stop := prog.Interruptible()
	defer stop()
	list, err := offers(ctx, cfg, m, m.LoadedURL())
	if err != nil {
		return m, failure.From(err).Exit()
	}
	var names []string
	for _, o := range list {
		if o.Loaded {
			names = append(names, o.Name)
		}
	}
	switch len(names) {
	case 0:
		return m, prog.Errorf(prog.Trouble, "%s has no model loaded", m.Provider).
			Hintf("load one there, or name one that ua models %s lists", m.Provider)
	case 1:
		m.Name = names[0]
		return m, nil
	}
	return m, prog.Errorf(prog.Trouble, "%s has %d models: which one?", m.Provider, len(names)).
		Hintf("such as -m %s/%s; ua models %s lists them", m.Provider, names[0], m.Provider)
}

// choose returns the models to ask, in order. Only the first one has its key: a key of
// the others may come from a command, which runs only if they are needed. Without a key of our
// own, where there is a run above, it returns what that run is asked for instead.
func choose(o *options, cfg *settings.Settings) (
	models []provider.Model, above *session.Above, err error,
) {
	socket := os.Getenv(run.EnvGateway)
	spec, err := provider.Default(o.model, os.Getenv(config.EnvModel), cfg.Think.Model)
	if err != nil && socket != "" {
		return nil, aboveFor(""), nil
	}
	if err != nil {
		return nil, nil, err
	}
	for i, spec := range append([]string{spec}, o.fallback...) {
		m, err := provider.Resolve(spec, cfg)
		if err == nil && i == 0 && m.Base != "" && socket != "" && !m.HasKey(cfg) {
			return nil, aboveFor(m.Spec()), nil
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

// aboveFor returns where the run above answers, for that model.
func aboveFor(model string) *session.Above {
	return &session.Above{Socket: os.Getenv(run.EnvGateway), Token: os.Getenv(run.EnvToken),
		Model: model}
}
