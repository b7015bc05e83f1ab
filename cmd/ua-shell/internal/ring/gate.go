package ring

import (
	"os"
	"os/exec"

	"ua/internal/common/event"
	"ua/internal/common/prog"
)

// Judge has the gate judge a call: what it says comes by Judged.
func (r *Ring) Judge(call []byte) error {
	if !r.gate.alive() {
		if err := r.startGate(); err != nil {
			return err
		}
	}
	r.gate.in.Put(call)
	if r.GateLine != "" {
		r.gate.in.Put(event.New(behindCall).Line())
	}
	return nil
}

// behindCall is the type of the line behind a call that tells two gates in a row that
// no verdict comes from before them.
const behindCall = "behind_call"

// judged passes on what the gates say.
func (r *Ring) judged(line []byte) {
	if event.Type(line) != behindCall {
		r.Judged(line)
	}
}

// startGate starts ua-gate. The answers reach it by a descriptor: what runs in the
// shell finds no file by which it could answer for the person.
func (r *Ring) startGate() error {
	answers, err := pipe()
	if err != nil {
		return err
	}
	if r.answers != nil {
		r.answers.Close()
	}
	r.answers = answers.w
	args := []string{"--ask", "--answers", "/dev/fd/3", "--ask-timeout", r.Patience.String(),
		"--journal", r.Run.Journal(), "--shell", r.Shell}
	if !r.Confined {
		args = append(args, "--unconfined")
	}
	if r.GateLine == "" {
		args = append(args, "--first-gate")
	}
	argv, err := builtin("ua-gate", args)
	if err != nil {
		return err
	}
	if r.GateLine != "" {
		argv = append([]string{"/bin/sh", "-c", "(" + r.GateLine + "\n) 3<&- | \"$0\" \"$@\""},
			argv...)
	}
	r.gate, err = start("ua-gate", argv, os.Environ(), r.Post, r.judged, r.says("ua-gate"), r.end,
		answers.r)
	return err
}

// Answer gives the gate a person's answer, an answer event.
func (r *Ring) Answer(line []byte) {
	if r.answers != nil {
		r.answers.Write(append(line, '\n'))
	}
}

// Level returns the risk that the gate sees in a command, without a question.
func (r *Ring) Level(command, cwd string) *exec.Cmd {
	return exec.Command(prog.Sibling("ua-gate"), "check", "--json",
		"--shell", r.Shell, "--cwd", cwd, "--", command)
}
