package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"ua/cmd/ua-gate/internal/shelltext"
	"ua/internal/common/prog"
	"ua/internal/common/style"
	"ua/internal/common/verdict"
)

// check reports by its exit status whether a command would be allowed: 0, or 1 if not.
func check(env *prog.Env, o options, operands []string) error {
	g, c, err := judgeOperand(env, o, operands)
	if err != nil {
		return err
	}
	v, err := g.decide(&c, nil, nil)
	if err != nil {
		return err
	}
	if o.json {
		env.Outf("%s\n", v.event(c.id))
	} else {
		env.Outf("%s\n", v.line())
	}
	if v.Decision != verdict.Allow {
		return prog.Exit(prog.No)
	}
	return nil
}

// judgeOperand returns a gate with the options, and the call for the command that the
// operands name.
func judgeOperand(env *prog.Env, o options, operands []string) (g *gate, c call, err error) {
	command, err := commandOperand(env, operands)
	if err != nil {
		return nil, c, err
	}
	g, err = newGate(env, o)
	return g, shellCall("check", command), err
}

// line returns the verdict in words.
func (v *Verdict) line() string {
	s := fmt.Sprintf("%s %s: %s", v.Decision, v.Risk, style.Visible(v.Reason))
	if v.Rule != "" {
		s += fmt.Sprintf(" [%s]", v.Rule)
	}
	if v.Command != "" {
		s += fmt.Sprintf("\ninstead: %s", style.Visible(v.Command))
	}
	return s
}

// commandOperand returns the command of the operands. One operand is shell text, several
// are the words of a simple command, and none or "-" stands for stdin.
func commandOperand(env *prog.Env, operands []string) (string, error) {
	switch {
	case len(operands) == 0 || len(operands) == 1 && operands[0] == "-":
		text, err := readAll(env.Stdin)
		return strings.TrimRight(string(text), "\n"), err
	case len(operands) == 1:
		return operands[0], nil
	}
	command, err := shelltext.Quote(operands)
	if err != nil {
		return "", prog.Errorf(prog.Trouble, "%v", err)
	}
	return command, nil
}

// maxInput is how many bytes a command or a hook's input on stdin may have.
const maxInput = 64 << 20

// readAll reads r to its end. More than maxInput bytes is an error.
func readAll(r io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxInput+1))
	if err == nil && len(text) > maxInput {
		err = errors.New("longer than 64 MiB")
	}
	if err != nil {
		return nil, prog.Errorf(prog.Trouble, "stdin: %v", err)
	}
	return text, nil
}
