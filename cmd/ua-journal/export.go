package main

import (
	"encoding/csv"
	"io"
	"path/filepath"

	"ua/cmd/ua-journal/internal/store"
	"ua/cmd/ua-journal/internal/timeline"
	"ua/internal/common/prog"
)

// exportVerb prints runs in a format for other programs: a table, a picture, a page or
// spans.
func exportVerb(env *prog.Env, args []string) error {
	fs := prog.Flags()
	forms := []struct {
		name  string
		print func(io.Writer, []*timeline.Lane) error // nil for a table of calls
	}{{"csv", nil}, {"svg", timeline.SVG}, {"html", timeline.HTML}, {"otlp", timeline.OTLP}}
	// One flag for each format, so that the table above is the only list of them.
	asked := make([]*bool, len(forms))
	for i, f := range forms {
		asked[i] = fs.Bool(f.name, false, "")
	}
	all := fs.Bool("all", false, "")
	if err := env.Parse(fs, args, help); err != nil {
		return err
	}
	form := -1
	for i := range forms {
		if *asked[i] && form >= 0 {
			return prog.Errorf(prog.Trouble, "export: --%s and --%s are two formats; give one",
				forms[form].name, forms[i].name)
		} else if *asked[i] {
			form = i
		}
	}
	if form < 0 {
		return prog.Errorf(prog.Trouble, "export: no format").
			Hintf("--csv, --svg, --html or --otlp")
	}
	paths, err := several(fs.Args(), *all)
	if err != nil {
		return err
	}
	if forms[form].print == nil {
		return exportCSV(env, paths)
	}
	var lanes []*timeline.Lane
	for _, path := range paths {
		list, err := timeline.Read(path, warn(env, path))
		if err != nil {
			return err
		}
		lanes = append(lanes, list...)
	}
	return forms[form].print(env.Out(), lanes)
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
