// Command ua runs an agent: it asks a model to do a task with the shell and
// prints the answer (ua(1)).
package main

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"golang.org/x/term"

	"ua/cmd/ua/internal/ring"
	"ua/cmd/ua/internal/stage"
	"ua/internal/common/prog"
)

func main() {
	if stage.OneProcessor() != nil {
		runtime.GOMAXPROCS(1) // as for the stages
	}
	prog.Main("ua", ua)
}

func ua(env *prog.Env) error {
	if len(env.Args) > 0 {
		if do := verbs()[env.Args[0]]; do != nil {
			return do(env, env.Args[1:])
		}
	}
	if path, ok := program(env.Args); ok {
		if err := sounds(env, env.Args); err != nil {
			return err
		}
		return prog.Errorf(prog.NotFound, "%s: %v", path, syscall.Exec(path,
			append([]string{filepath.Base(path)}, env.Args[1:]...), os.Environ()))
	}
	if path := session(env); path != "" {
		return prog.Errorf(prog.NotFound, "%s: %v", path, syscall.Exec(path,
			[]string{"ua-shell"}, os.Environ()))
	}
	if err := meant(env.Args); err != nil {
		return err
	}
	return ring.Work(env, help, false)
}

// session returns the path of ua-shell for a ua that is alone on a terminal, "" for any
// other. Inside of ua-shell no second one is started.
func session(env *prog.Env) string {
	if len(env.Args) > 0 || os.Getenv("UA_SHELL_TTY") != "" ||
		!term.IsTerminal(int(env.Stdin.Fd())) || !term.IsTerminal(int(env.Stdout.Fd())) {
		return ""
	}
	return prog.Sibling("ua-shell")
}

// program returns the path of ua-NAME when the first argument is NAME.
func program(args []string) (string, bool) {
	if len(args) == 0 || args[0] == "" {
		return "", false
	}
	for _, c := range args[0] {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return "", false
		}
	}
	if args[0][0] == '-' {
		return "", false
	}
	path := prog.Sibling("ua-" + args[0])
	return path, path != ""
}
