package main

import (
	"encoding/csv"
	"path/filepath"

	"ua/cmd/ua-journal/internal/store"
	"ua/internal/common/prog"
)

// exportVerb prints one row for each call of runs as CSV (RFC 4180).
func exportVerb(env *prog.Env, args []string) error {
	fs := prog.Flags()
	asCSV := fs.Bool("csv", false, "")
	all := fs.Bool("all", false, "")
	if err := env.Parse(fs, args, help); err != nil {
		return err
	}
	if !*asCSV {
		return prog.Errorf(prog.Trouble, "export: no format").Hintf("--csv is the one there is")
	}
	paths, err := several(fs.Args(), *all)
	if err != nil {
		return err
	}
	out := csv.NewWriter(env.Out())
	out.Write([]string{"run", "ts", "call_id", "tool", "command", "risk", "decision", "by", "status", "exit_code", "duration_ms", "profile", "output_bytes"})
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
