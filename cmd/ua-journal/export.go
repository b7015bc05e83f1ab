package main

import (
	"encoding/csv"
	"maps"
	"path/filepath"
	"slices"

	"ua/cmd/ua-journal/internal/spans"
	"ua/cmd/ua-journal/internal/store"
	"ua/internal/common/prog"
)

// exportVerb prints runs in a format for other programs: a table, a page, spans or
// trajectories.
func exportVerb(env *prog.Env, args []string) error {
	fs := prog.Flags()
	form := map[string]*bool{}
	for _, name := range []string{"atif", "csv", "html", "otlp"} {
		form[name] = fs.Bool(name, false, "")
	}
	all := fs.Bool("all", false, "")
	if err := env.Parse(fs, args, help); err != nil {
		return err
	}
	one := slices.Collect(maps.Values(form))
	if one = slices.DeleteFunc(one, func(asked *bool) bool { return !*asked }); len(one) != 1 {
		return prog.Errorf(prog.Trouble, "export takes one format").
			Hintf("--atif, --csv, --html or --otlp")
	}
	paths, err := several(fs.Args(), *all)
	if err != nil {
		return err
	}
	switch {
	case *form["csv"]:
		return exportCSV(env, paths)
	case *form["html"]:
		return exportPage(env, paths)
	case *form["atif"]:
		return exportATIF(env, paths)
	}
	return spans.Write(env.Out(), paths, func(path string) func(error) { return warn(env, path) })
}

// exportCSV prints a table with one row for each call (RFC 4180).
func exportCSV(env *prog.Env, paths []string) error {
	out := csv.NewWriter(env.Out())
	out.Write([]string{"run", "ts", "call_id", "tool", "command", "risk", "decision", "by",
		"status", "exit_code", "duration_ms", "profile", "output_bytes"})
	for _, path := range paths {
		j, size, err := store.Open(path)
		if err != nil {
			return err
		}
		calls, err := readCalls(j, size, warn(env, path))
		j.Close()
		if err != nil {
			return err
		}
		for _, c := range calls {
			out.Write(c.row(filepath.Base(filepath.Dir(path))))
		}
	}
	out.Flush()
	return out.Error()
}
