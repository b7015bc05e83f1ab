package agentloop

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"ua/cmd/ua/internal/settings"
	"ua/internal/common/config"
	"ua/internal/common/prog"
	"ua/internal/common/stage"
)

// runVia does the task by an engine. Options about the agent's work go to the other side;
// those about this process stay here.
func runVia(env *prog.Env, o *options) error {
	s, err := settings.Load()
	if err != nil {
		return err
	}
	o.place()
	if o.parent != "" {
		return prog.Errorf(prog.Trouble, "--via: a subagent's run can't go through an engine")
	}
	if o.resume || o.last {
		return prog.Errorf(prog.Trouble,
			"--via: an earlier run can only be resumed where its journal is")
	}
	if err := knownEngine(o.via); err != nil {
		return err
	}
	f := &far{args: env.Args}
	t := task{text: strings.TrimSpace(strings.Join(o.words, " "))}
	// The other side gets stdin as it is. Here it serves as the task's text, for lists of
	// runs.
	if o.stdin || t.text == "" {
		if f.input, err = readStdin(env.Stdin); err != nil {
			return err
		}
	}
	if t.text == "" {
		t.text = strings.TrimSpace(strings.ToValidUTF8(string(f.input), "\uFFFD"))
	}
	if t.text == "" {
		return prog.Errorf(prog.No, "the task is empty").Hintf(`ua --via 'srun' "what is big in /var?"`)
	}
	here := &options{via: o.via, far: f, words: o.words, json: o.json,
		quiet: o.quiet, out: o.out, background: o.background,
		terms: terms{Agent: o.Agent, Model: o.Model, TimeLimit: o.TimeLimit}}
	if here.TimeLimit > 0 {
		here.TimeLimit += config.Duration(2 * stage.Grace) // it is the agent's, who says so itself
	}
	if err := here.readSystem(); err != nil {
		return err
	}
	if err := here.configure(env, s); err != nil {
		return err
	}
	here.splitPath()
	here.Try = config.TryNever // settings of this machine, which the other one has too
	return doTask(env, here, t)
}

// knownEngine refuses what has the name of an engine and is another program: moreutils has a
// parallel, too.
func knownEngine(via string) error {
	for word := range strings.FieldsSeq(via) {
		path, err := config.LookOutside(word)
		if err != nil || filepath.Base(word) != "parallel" {
			continue // what can't be started says so
		}
		c := exec.Command(path, "--version")
		c.Env = config.OutsideEnv(os.Environ())
		if out, _ := c.Output(); !strings.HasPrefix(string(out), "GNU parallel") {
			return prog.Errorf(prog.Trouble, "--via: %s is not GNU parallel", path).
				Hintf("install GNU parallel (in Debian the package parallel), or name it by its path")
		}
	}
	return nil
}

// leash has the run end when nobody reads its events any more, and leaves to the side that has
// started it what is that side's.
func (o *options) leash() {
	o.leashed, o.json = true, true
	o.via, o.out, o.quiet, o.background = "", "", false, false
}
