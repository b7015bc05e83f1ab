// Command ua runs an agent: it asks a model to do a task with the shell and
// prints the answer (ua(1)).
package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/term"

	"ua/cmd/ua/internal/agentloop"
	"ua/internal/common/config"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/stage"
)

func main() {
	if stage.OneProcessor() != nil {
		runtime.GOMAXPROCS(1) // as for the stages
	}
	prog.Main("ua", dispatch)
}

// dispatch decides what the command line is, in this order: a verb, a program ua-NAME, a
// terminal without words (a session), a word that only looks like a verb, and else a
// task.
func dispatch(env *prog.Env) error {
	if len(env.Args) == 1 && env.Args[0] == "-h" {
		env.Page(shortHelp + "\n")
		return nil
	}
	if len(env.Args) > 0 {
		if do := verbs()[env.Args[0]]; do != nil {
			return hinted(env.Args[0], do(env, env.Args[1:]))
		}
	}
	// The other program takes the place of this one, so that its status and signals are
	// its own.
	if path := programOf(env.Args); path != "" {
		if err := sounds(env, env.Args); err != nil {
			return err
		}
		return prog.Errorf(prog.NotFound, "%s: %v", path, syscall.Exec(path,
			append([]string{filepath.Base(path)}, env.Args[1:]...), os.Environ()))
	}
	if path := sessionShell(env); path != "" {
		return prog.Errorf(prog.NotFound, "%s: %v", path, syscall.Exec(path,
			[]string{"ua-shell"}, os.Environ()))
	}
	if err := meant(env.Args); err != nil {
		return err
	}
	text := help
	if len(env.Args) > 0 && (env.Args[0] == "resume" || env.Args[0] == "fork") {
		text = helpOf(env.Args[0])
	}
	return hinted("", agentloop.Work(env, text, false))
}

// sessionShell returns the path of ua-shell if ua stands alone on a terminal, and ""
// otherwise. Inside ua-shell no second one is started.
func sessionShell(env *prog.Env) string {
	if len(env.Args) > 0 || os.Getenv(run.EnvShellTTY) != "" ||
		!term.IsTerminal(int(env.Stdin.Fd())) || !term.IsTerminal(int(env.Stdout.Fd())) {
		return ""
	}
	return prog.Sibling("ua-shell")
}

// programOf returns the path of ua-NAME if the first argument is a NAME that has one.
func programOf(args []string) string {
	if len(args) == 0 || args[0] == "" || args[0][0] == '-' ||
		strings.Trim(args[0], "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		return ""
	}
	return config.Sibling("ua-" + args[0])
}
