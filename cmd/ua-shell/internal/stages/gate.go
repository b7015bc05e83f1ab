package stages

import (
	"bytes"
	"os"
	"os/exec"

	"ua/internal/common/config"
	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/stage"
	"ua/internal/common/verdict"
)

// Judge has the gate judge a call. The gate's answers come by Judged.
func (r *Ring) Judge(call []byte) {
	if !r.gate.alive() {
		if err := r.startGate(); err != nil {
			r.Lost("ua-gate", err.Error())
			return
		}
	}
	r.gate.in.Put(call)
	r.gate.in.Put(event.New(behindCall).Line())
}

// behindCall is the type of the line that follows a call. It tells the gate that no verdict
// before it belongs to this call, and the ring that none follows.
const behindCall = "behind_call"

// judged passes on what the gate says of a call, once it is all there. Exactly one verdict
// stands behind a call: of two, which a line of the user's may have added, none holds.
func (r *Ring) judged(line []byte) {
	switch event.Type(line) {
	case "verdict":
		if r.verdict != nil {
			line = event.New("verdict").Str("call_id", event.Str(line, "call_id")).
				Str("risk", verdict.Denied.String()).Str("decision", string(verdict.Deny)).
				Str("by", "gate").Str("reason", "it has two verdicts: a second gate replaces "+
				"the verdict behind the call by the stricter one (ua-events(5))").Line()
		}
		r.verdict = bytes.Clone(line)
	case behindCall:
		if r.verdict != nil {
			r.Judged(r.verdict)
		}
		r.verdict = nil
	default:
		r.Judged(line)
	}
}

// startGate starts ua-gate. The answers reach it by a descriptor, so that a program in
// the shell finds no file by which it could answer for the person. By another one it can read
// the keys of models, for a judge alone.
func (r *Ring) startGate() error {
	env, keys := config.SplitKeys(os.Environ())
	lent, err := config.LendKeys(keys)
	if err != nil {
		return err
	}
	answers, err := stage.Pipe()
	if err != nil {
		return err
	}
	if r.answers != nil {
		r.answers.Close()
	}
	r.answers, r.verdict = answers.W, nil
	args := []string{"--ask", "--answers", "/dev/fd/3", "--keys-fd", "4", "--ask-timeout",
		r.Patience.String(), "--journal", r.Run.Journal(), "--shell", r.Shell}
	if r.Confined {
		args = append(args, "--live", "--net-allow", "packages", "--net-allow", "git")
	} else {
		args = append(args, "--unconfined")
	}
	c, err := stage.Builtin("ua-gate", args...)
	if err != nil {
		return err
	}
	if r.Settings.Gate != "" {
		env = config.OutsideEnv(env)
		if len(keys) > 0 {
			gateway, err := r.forJudge()
			if err != nil {
				return err
			}
			env = append(env, gateway...)
		}
		// The user's line gets neither of the two descriptors.
		c.Line, c.Argv = true, append([]string{"/bin/sh", "-c",
			"(" + r.Settings.Gate + "\n) 3<&- 4<&- | \"$0\" \"$@\""}, c.Argv...)
	}
	c.Env, c.Extra = env, []*os.File{answers.R, lent}
	r.gate, err = start(c, r.Post, r.judged, r.says("ua-gate"), r.end)
	return err
}

// Answer gives the gate a person's answer, which is an answer event.
func (r *Ring) Answer(line []byte) {
	if r.answers != nil {
		r.answers.Write(append(line, '\n'))
	}
}

// Level returns the command that prints the risk that the gate sees in a command. It asks
// nobody.
func (r *Ring) Level(command, cwd string) *exec.Cmd {
	cmd := exec.Command(prog.Sibling("ua-gate"), "explain", "--json",
		"--shell", r.Shell, "--cwd", cwd, "--", command)
	cmd.Env = config.WithoutKeys(os.Environ())
	return cmd
}
