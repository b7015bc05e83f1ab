package main

import (
	"encoding/json"
	"fmt"
	"text/tabwriter"

	"ua/cmd/ua/internal/agents"
	"ua/cmd/ua/internal/ring"
	"ua/internal/common/prog"
	"ua/internal/common/style"
)

// agentsVerb lists the definitions that --agent may name: as a table of name, source,
// ceiling and description or, with --json, as one object a line.
func agentsVerb(env *prog.Env, args []string) error {
	fs := prog.Flags()
	asJSON := fs.Bool("json", false, "")
	if err := env.Parse(fs, args, helpOf("agents")); err != nil {
		return err
	}
	if fs.NArg() > 0 {
		return ring.AsTask("agents", fs.Args(), prog.Errorf(prog.Trouble,
			"%q: agents takes no operands", fs.Arg(0)))
	}
	// A file that cannot be read is a warning: the other definitions are still of use.
	catalog := agents.Load(".", func(w string) { env.Warnf("%s", w) })
	table := tabwriter.NewWriter(env.Stdout, 0, 8, 2, ' ', 0)
	for _, name := range catalog.Names() {
		d := catalog[name]
		if *asJSON {
			b, err := json.Marshal(map[string]any{"name": d.Name, "description": d.Description,
				"source": d.Source, "path": d.Path, "model": d.Model,
				"permissions": d.Permissions, "tools": d.Tools, "mode": d.Mode,
				"isolation": d.Isolation, "judge": d.Judge, "ceiling": d.Ceiling().String()})
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintf(env.Out(), "%s\n", b); err != nil {
				return prog.Errorf(prog.Trouble, "%v", err)
			}
			continue
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", d.Name, d.Source, d.Ceiling(),
			style.FirstLine(d.Description, 90))
	}
	return table.Flush()
}
