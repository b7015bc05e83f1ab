package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/journal"
	"ua/internal/common/prog"
)

// grepVerb prints the events that match everything that the options ask for. Its status
// is 1 if none does.
func grepVerb(env *prog.Env, args []string) error {
	fs := prog.Flags()
	var q query
	types := fs.String("type", "", "")
	fs.Func("field", "", q.field)
	fs.Func("e", "", q.text)
	all := fs.Bool("all", false, "")
	if err := env.Parse(fs, args, help); err != nil {
		return err
	}
	if *types != "" {
		q.types = strings.Split(*types, ",")
	}
	found := false
	match := func(line []byte, run string) error {
		if !q.matches(line) {
			return nil
		}
		found = true
		_, err := env.Out().Write(append(named(line, run), '\n'))
		return err
	}
	if slices.Equal(fs.Args(), []string{auditLog}) {
		err := eachRecord(env, func(line []byte) error { return match(line, "") })
		if err == nil && !found {
			err = prog.Exit(prog.No)
		}
		return err
	}
	paths, err := several(fs.Args(), *all)
	if err != nil {
		return err
	}
	err = eachJournal(paths, func(j *os.File, size int64) error {
		name := ""
		// With a single run its name would say nothing.
		if len(paths) > 1 {
			name = filepath.Base(filepath.Dir(j.Name()))
		}
		return journal.Each(j, size, warn(env, j.Name()), func(line []byte, _ int64) error {
			return match(line, name)
		})
	})
	if err == nil && !found {
		err = prog.Exit(prog.No)
	}
	return err
}

// several returns the journals that the operands name, or with all every journal.
func several(args []string, all bool) ([]string, error) {
	if !all {
		return locateAll(args)
	}
	if len(args) > 0 {
		return nil, prog.Errorf(prog.Trouble, "%q: --all takes no run", args[0])
	}
	return allRuns()
}

// named returns a copy of line. If there are several runs, it has a member with the run.
func named(line []byte, run string) []byte {
	if run == "" || gjson.GetBytes(line, "run").Exists() {
		return bytes.Clone(line)
	}
	// The member is put in front of the last brace; nothing else of the line changes.
	line = bytes.TrimSpace(line)
	out := append(bytes.Clone(line[:len(line)-1]), `,"run":`...)
	return append(event.AppendString(out, run), '}')
}

// A query says which events are wanted: those of one of the types, if any are given, in
// which every pattern matches.
type query struct {
	types  []string
	fields []fieldMatch
	texts  []*regexp.Regexp
}

// A fieldMatch is a pattern for one member of an event.
type fieldMatch struct {
	path string // of a member, in gjson syntax
	want *regexp.Regexp
}

// field parses PATH=REGEXP.
func (q *query) field(arg string) error {
	path, pattern, ok := strings.Cut(arg, "=")
	if !ok || path == "" {
		return prog.Errorf(prog.Trouble, "not PATH=REGEXP")
	}
	re, err := regexp.Compile(pattern)
	q.fields = append(q.fields, fieldMatch{path, re})
	return err
}

// text parses a pattern for the whole line.
func (q *query) text(pattern string) error {
	re, err := regexp.Compile(pattern)
	q.texts = append(q.texts, re)
	return err
}

// matches reports whether the event fits the query.
func (q *query) matches(line []byte) bool {
	if q.types != nil && !slices.Contains(q.types, event.Type(line)) {
		return false
	}
	for _, f := range q.fields {
		if v := gjson.GetBytes(line, f.path); !v.Exists() || !f.want.MatchString(v.String()) {
			return false
		}
	}
	for _, re := range q.texts {
		if !re.Match(line) {
			return false
		}
	}
	return true
}
