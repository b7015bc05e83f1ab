package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"

	"github.com/tidwall/gjson"

	"ua/internal/common/prog"
)

// listModels prints what providers offer, one PROVIDER/NAME a line: those that
// are named, or all that there is a key or a server for.
func listModels(env *prog.Env, names []string) error {
	cfg, err := loadSettings()
	if err != nil {
		return err
	}
	fs := prog.Flags()
	if err := env.Parse(fs, names, help); err != nil {
		return err
	}
	named := fs.NArg() > 0
	if names = fs.Args(); !named {
		names = reachable(cfg)
	}
	if len(names) == 0 {
		_, err := pick("", &settings{})
		return err
	}
	ctx, stop := interruptible()
	defer stop()
	c := newClient(defaults(cfg).limits)
	out := bufio.NewWriter(env.Stdout)
	defer out.Flush()
	var failed error
	for _, name := range names {
		found, err := c.models(ctx, cfg, name)
		for _, m := range found {
			fmt.Fprintf(out, "%s/%s\n", name, m)
		}
		if err != nil && (named || len(names) == 1) {
			return asFailure(err).exit()
		} else if err != nil {
			env.Warnf("%v", err)
			failed = prog.Exit(asFailure(err).status)
		}
	}
	return failed
}

// reachable is the providers of the config and those whose key or address the
// environment holds.
func reachable(cfg *settings) (names []string) {
	for _, p := range []struct{ name, env string }{
		{"anthropic", "ANTHROPIC_API_KEY"}, {"anthropic", "ANTHROPIC_AUTH_TOKEN"},
		{"openai", "OPENAI_API_KEY"}, {"openai-chat", "OPENAI_BASE_URL"}, {"ollama", "OLLAMA_HOST"},
	} {
		if os.Getenv(p.env) != "" && !slices.Contains(names, p.name) {
			names = append(names, p.name)
		}
	}
	for _, name := range cfg.providers() {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if slices.Contains(names, "openai-chat") {
		names = slices.DeleteFunc(names, func(n string) bool { return n == "openai" })
	}
	return names
}

// models asks one provider for its models' names.
func (c *client) models(ctx context.Context, cfg *settings, name string) ([]string, error) {
	m, err := connect(name, "", cfg)
	if err == nil {
		m, err = cfg.unlock(m)
	}
	if err != nil {
		return nil, err
	}
	k := call{url: join(m.base, "", "/models"), header: http.Header{}}
	switch m.api {
	case "anthropic":
		k = anthropic(m, &request{o: &options{thinking: -1}, talk: &conversation{system: `""`}})
		k.url = join(m.base, "/v1", "/models?limit=1000")
	case "ollama":
		k.url = join(m.base, "/api", "/tags")
	}
	if m.key != "" && m.api != "anthropic" {
		k.header.Set("Authorization", "Bearer "+m.key)
	}
	ctx, cancel := context.WithTimeout(ctx, c.limits.toBegin(m))
	defer cancel()
	k.body = nil
	c.warm(k.url)
	resp, err := c.send(ctx, m, http.MethodGet, k)
	if err != nil {
		return nil, hide(m, unreachable(m, err))
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 16<<20))
	if err != nil {
		return nil, cut(err)
	}
	if resp.StatusCode != http.StatusOK {
		return nil, hide(m, httpFailure(name, resp, body))
	}
	var names []string
	for _, path := range []string{"data.#.id", "models.#.name"} {
		for _, v := range gjson.GetBytes(body, path).Array() {
			names = append(names, v.String())
		}
	}
	slices.Sort(names)
	return names, nil
}
