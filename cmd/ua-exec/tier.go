package main

import (
	"io"
	"sync"
	"syscall"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-exec/internal/environ"
	"ua/cmd/ua-exec/internal/pipe"
	"ua/cmd/ua-exec/internal/process"
	"ua/internal/common/prog"
	"ua/internal/common/verdict"
)

// A tier is the tier of the sandboxes in which commands run: of the one around ua-exec,
// or of those that ua-sandbox makes for each command.
type tier struct {
	env    *prog.Env
	around int // of the sandbox that ua-exec is in, 0 for none
	probe  func() (int, bool)
}

// newTier returns the tier of a ua-exec in a sandbox of tier around, 0 for none.
func newTier(env *prog.Env, x *executor, around int) *tier {
	l := &tier{env: env, around: around}
	l.probe = sync.OnceValues(func() (int, bool) { return l.ask(x) })
	return l
}

// known returns the tier, and whether it is known. ua-sandbox is asked at most once.
func (l *tier) known() (int, bool) {
	if l.around > 0 {
		return l.around, true
	}
	return l.probe()
}

// ask makes ua-sandbox find out the tier, and warns the person if it is low.
func (l *tier) ask(x *executor) (int, bool) {
	r, w, err := pipe.New()
	if err != nil {
		return 0, false
	}
	defer r.Close()
	null := x.null.Fd()
	env := x.environ.Of(verdict.ProfileReadOnly, false, environ.Credential{})
	pid, exited, err := x.children.Start(process.Program{
		Argv:  []string{x.shell.sandbox, "--probe", "--json"},
		Env:   env,
		Files: pipe.Files{null, uintptr(w), null},
	})
	syscall.Close(w)
	if err != nil {
		return 0, false
	}
	x.processes.Know(pid, true)
	defer x.processes.Know(pid, false)
	said, err := io.ReadAll(io.LimitReader(r, 64<<10))
	<-exited
	v := gjson.GetBytes(said, "tier")
	if err != nil || v.Type != gjson.Number {
		return 0, false
	}
	if v.Int() < 3 {
		l.env.Warnf("commands are confined only at tier %d: ua-sandbox --probe says why", v.Int())
	}
	return int(v.Int()), true
}
