// Ua-journal keeps the events of a run in a journal, which is the only state of the run,
// and reads them back.
package main

import (
	"maps"
	"os"
	"slices"
	"syscall"

	"ua/internal/common/prog"
)

func main() { prog.Main("ua-journal", start) }

// start calls the verb that the arguments name.
func start(env *prog.Env) error {
	fs := prog.Flags()
	if err := env.Parse(fs, env.Args, help); err != nil {
		return err
	}
	if fs.NArg() == 0 {
		return prog.Errorf(prog.Trouble, "no verb").Hintf("--help lists the verbs")
	}
	name, args := fs.Arg(0), fs.Args()[1:]
	if do := verbs()[name]; do != nil {
		return do(env, args)
	}
	return extension(name, args)
}

// extension runs the program ua-journal-NAME in place of this one. Such a program is a
// verb too, as ua-journal-index is.
func extension(name string, args []string) error {
	if path := prog.Sibling("ua-journal-" + name); path != "" && !isPath(name) {
		err := syscall.Exec(path, append([]string{path}, args...), os.Environ())
		return prog.Errorf(prog.Trouble, "%s: %w", path, err)
	}
	err := prog.Errorf(prog.Trouble, "unknown verb %q", name)
	if near := prog.Nearest(name, slices.Sorted(maps.Keys(verbs()))); near != "" {
		return err.Hintf("did you mean %s?", near)
	}
	return err.Hintf("--help lists the verbs")
}
