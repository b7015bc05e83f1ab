package main

import (
	"bytes"
	"io"
	"maps"
	"os/exec"
	"slices"

	"ua/cmd/ua-journal/internal/otlp"
	"ua/internal/common/config"
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
	to := fs.String("post", "", "")
	if err := env.Parse(fs, args, help); err != nil {
		return err
	}
	one := slices.Collect(maps.Values(form))
	if one = slices.DeleteFunc(one, func(asked *bool) bool { return !*asked }); len(one) != 1 {
		return prog.Errorf(prog.Trouble, "export takes one format").
			Hintf("--atif, --csv, --html or --otlp")
	}
	if *to != "" && !*form["otlp"] {
		return prog.Errorf(prog.Trouble, "--post sends what --otlp prints")
	}
	paths, err := several(fs.Args(), *all)
	if err == nil && !*all && (*form["html"] || *form["otlp"]) {
		paths, err = withSubagents(paths)
	}
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
	write := func(w io.Writer) error {
		return otlp.Write(w, paths, func(path string) func(error) { return warn(env, path) })
	}
	if *to == "" {
		return write(env.Out())
	}
	return post(env, *to, write)
}

// post sends what write writes to a collector, by curl(1), which knows proxies, certificates
// and how to try again: this program has no part in networks.
func post(env *prog.Env, to string, write func(io.Writer) error) error {
	curl, err := config.LookOutside("curl")
	if err != nil {
		return prog.Errorf(prog.NotFound, "--post: %v", err)
	}
	var body bytes.Buffer
	if err := write(&body); err != nil {
		return err
	}
	cmd := exec.Command(curl, "-sSf", "--retry", "3", "--max-time", "60", "-o", "/dev/null", "-H",
		"Content-Type: application/json", "--data-binary", "@-", "--url", to)
	cmd.Stdin, cmd.Stderr = &body, env.Stderr
	if err := cmd.Run(); err != nil {
		return prog.Errorf(prog.TryLater, "--post: %s did not take the spans", to)
	}
	return nil
}
