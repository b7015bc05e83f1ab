package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"ua/cmd/ua/internal/agents"
	"ua/internal/common/prog"
	"ua/internal/common/style"
)

// agentsVerb lists the definitions that --agent may name.
func agentsVerb(env *prog.Env, args []string) error {
	return define(env, "agents", args, func(warn func(string)) (list []agents.Definition) {
		catalog := agents.Load(".", warn)
		for _, name := range catalog.Names() {
			list = append(list, catalog[name])
		}
		return list
	})
}

// skillsVerb lists the skills for work in this folder.
func skillsVerb(env *prog.Env, args []string) error {
	return define(env, "skills", args, func(warn func(string)) []agents.Definition {
		return agents.Skills(".", warn)
	})
}

// define prints what load returns: as a table of name, source, ceiling and description or,
// with --json, as one object a line.
func define(env *prog.Env, verb string, args []string,
	load func(warn func(string)) []agents.Definition) error {
	fs := prog.Flags()
	asJSON := fs.Bool("json", false, "")
	if err := parse(env, verb, fs, args, 0); err != nil {
		return err
	}
	// A file that cannot be read is a warning: the other definitions are still of use.
	list := load(func(w string) { env.Warnf("%s", w) })
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 8, 2, ' ', 0)
	for _, d := range list {
		if *asJSON {
			b, err := json.Marshal(map[string]any{"name": d.Name, "description": d.Description,
				"source": d.Source, "path": d.Path, "model": d.Model,
				"permissions": d.Permissions, "tools": d.Tools, "mode": d.Mode,
				"isolation": d.Isolation, "skills": d.Skills, "judge": d.Judge,
				"ceiling": d.Ceiling().String()})
			if err != nil {
				return err
			}
			env.Outf("%s\n", b)
			continue
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", d.Name, d.Source, d.Ceiling(),
			style.FirstLine(d.Description, 90))
	}
	_ = table.Flush()
	env.Page(text.String())
	return nil
}
