package main

import (
	"bufio"
	"errors"
	"os"
	"slices"
	"strconv"

	"ua/cmd/ua-journal/internal/redaction"
	"ua/internal/common/prog"
)

// redactVerb removes texts or whole lines from a journal. In place of each line a stub
// stays with the hash of the original. The chain still holds, and it shows what was
// redacted.
func redactVerb(env *prog.Env, args []string) error {
	fs := prog.Flags()
	r := &operands{env: env, Redaction: redaction.Redaction{Warn: env.Warnf}}
	fs.Func("match", "", r.match)
	fs.Func("line", "", r.line)
	if err := env.Parse(fs, args, help); err != nil {
		return err
	}
	if len(r.Texts) == 0 && len(r.Lines) == 0 {
		return prog.Errorf(prog.Trouble,
			"redact: no text or line given").
			Hintf("--match TEXT, --match - (texts on stdin) or --line N")
	}
	if fs.NArg() != 1 {
		return prog.Errorf(prog.Trouble, "redact takes one run")
	}
	path, err := locate(fs.Arg(0))
	if err != nil {
		return err
	}
	if _, err := os.Stat(path); err != nil {
		return err
	}
	if err := r.Journal(path); err != nil {
		return err
	}
	env.Outf("%s: %d lines redacted\n", path, r.Count)
	return nil
}

// operands holds what the options ask to redact.
type operands struct {
	redaction.Redaction
	env *prog.Env
}

// match takes a text or, for "-", the lines of stdin, which no list of processes shows.
func (r *operands) match(text string) error {
	if text != "-" {
		r.Texts = append(r.Texts, text)
	} else {
		in := bufio.NewScanner(r.env.Stdin)
		for in.Scan() {
			if in.Text() != "" {
				r.Texts = append(r.Texts, in.Text())
			}
		}
		if err := in.Err(); err != nil {
			return err
		}
	}
	// Such a text would occur by chance.
	if slices.ContainsFunc(r.Texts, func(t string) bool { return len(t) < 4 }) {
		return prog.Errorf(prog.Trouble, "a text shorter than 4 bytes would match too much")
	}
	return nil
}

// line takes the number of a line.
func (r *operands) line(arg string) error {
	n, err := strconv.ParseInt(arg, 10, 64)
	if err != nil || n < 1 {
		return errors.New("want the number of a line, from 1")
	}
	r.Lines = append(r.Lines, n)
	return nil
}
