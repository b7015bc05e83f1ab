// Package command runs one command from its call to its result.
package command

import (
	"context"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"sync"
	"syscall"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-exec/internal/credential"
	"ua/cmd/ua-exec/internal/environ"
	"ua/cmd/ua-exec/internal/landsocket"
	"ua/cmd/ua-exec/internal/options"
	"ua/cmd/ua-exec/internal/outputdir"
	"ua/cmd/ua-exec/internal/pipe"
	"ua/cmd/ua-exec/internal/process"
	"ua/cmd/ua-exec/internal/shell"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/secret"
	"ua/internal/common/verdict"
)

// A Runner is what all commands of a run have in common.
type Runner struct {
	Ctx         context.Context // ends with the run
	Options     *options.Options
	Shell       *shell.Shell
	Environ     *environ.Environ
	Children    *process.Children
	Folder      *outputdir.Folder // of their outputs
	Credentials *credential.Set
	Background  Background
	Socket      string // of jobs, "" where there is none

	cwd      string
	null     *os.File
	landing  *landsocket.Socket
	tier     func() (tier int, known bool) // of the sandboxes in which they run
	withheld sync.Once                     // tells the model which variables were
}

// NewRunner returns the runner of commands in the working folder.
func NewRunner(ctx context.Context, env *prog.Env, o *options.Options) (*Runner, error) {
	around, _ := strconv.Atoi(os.Getenv(run.EnvSandbox))
	sh, err := shell.Find(o, around > 0)
	if err != nil {
		return nil, err
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	cwd, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	r := &Runner{
		Ctx: ctx, Options: o, Shell: sh, null: null, cwd: cwd,
		landing:  landsocket.New(), // before the environment is read, in which it is named
		Folder:   &outputdir.Folder{Path: o.Dir, Max: o.DirMax},
		Children: process.NewChildren(),
	}
	r.Environ = environ.New(os.Environ(), o.Env, o.Unset, o.EnvJudged, cwd)
	r.Environ.Writable = o.Write
	if others := secret.OthersKeys(r.Environ.Withheld); len(others) > 0 && around == 0 {
		env.Warnf("%s", secret.Withheld(others))
	}
	sh.Pass = append(slices.Sorted(maps.Keys(environ.Quiet())), "BASH_ENV")
	sh.Pass = slices.Concat(sh.Pass, o.Env, r.Environ.Names())
	r.Credentials = &credential.Set{
		Environ: r.Environ, Folder: r.Folder, Children: r.Children, Nested: around > 0,
	}
	r.tier = sync.OnceValues(func() (int, bool) { return r.probe(env, around) })
	return r, nil
}

// probe returns the tier of the sandbox around ua-exec, or the one of those that ua-sandbox
// makes for each command. It warns the person if that is low.
func (r *Runner) probe(env *prog.Env, around int) (tier int, known bool) {
	if around > 0 {
		return around, true
	}
	out, w, err := pipe.New()
	if err != nil {
		return 0, false
	}
	defer out.Close()
	pid, exited, err := r.Children.Start(process.Program{
		Argv:  []string{r.Shell.Sandbox, "--probe", "--json"},
		Env:   r.Environ.Of(verdict.ProfileReadOnly, false, environ.Credential{}),
		Files: pipe.Files{r.null.Fd(), uintptr(w), r.null.Fd()},
	})
	syscall.Close(w)
	if err != nil {
		return 0, false
	}
	defer r.Children.Tell(pid, nil)
	said, err := io.ReadAll(io.LimitReader(out, 64<<10))
	<-exited
	v := gjson.GetBytes(said, "tier")
	if err != nil || v.Type != gjson.Number {
		return 0, false
	}
	if v.Int() < 3 {
		env.Warnf("commands are confined only at tier %d: ua-sandbox --probe says why", v.Int())
	}
	return int(v.Int()), true
}

// Close releases what the runner holds open.
func (r *Runner) Close() {
	r.null.Close()
	r.Credentials.WithdrawAll()
}
