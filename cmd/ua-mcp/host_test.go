package main

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"ua/internal/common/run"
	"ua/internal/common/verdict"
)

// verdictOf is a verdict that the gate could give, with parts as TEXT|LEVEL|ROW.
func verdictOf(call, decision string, parts ...string) string {
	var list []string
	for _, p := range parts {
		f := strings.Split(p, "|")
		list = append(list, `{"text":"`+f[0]+`","level":"`+f[1]+`","row":"`+f[2]+`"}`)
	}
	return `{"type":"verdict","call_id":"` + call + `","decision":"` + decision + `","simple":[` +
		strings.Join(list, ",") + "]}\n"
}

// TestMay holds that nothing may be asked but what the verdict on the very call names.
func TestMay(t *testing.T) {
	const token = "the secret of the run"
	h := &judgedCalls{token: token, lives: t.TempDir()}
	h.arrived = sync.NewCond(&h.mu)
	h.hear(strings.NewReader("no event\n" +
		verdictOf("a", "allow", "hub get --n 1|network|hub", "echo x|read_only|echo") +
		verdictOf("b", "deny", "hub get|network|hub") +
		verdictOf("c", "allow", "X=1 hub call get $x|read_only|hub --destroys", "hub|read_only|hub") +
		verdictOf("d", "allow", "./hub get|build_test|program:own", "hub get|write|program:own",
			"hub 'get'|network|hub", "hub $(x) get|network|hub", "xargs hub get|network|xargs",
			"hub get|destructive|program:unknown") +
		`{"type":"verdict","call_id":"e","decision":"allow","simple":[{"text":7}]}` + "\n"))
	bearer := func(call string, lives bool) string {
		id := run.CommandID(call)
		if lives {
			os.WriteFile(filepath.Join(h.lives, run.LiveName(id)), nil, 0o600)
		}
		return run.CommandToken(token, id)
	}
	for _, c := range []struct {
		call, words string
		least       verdict.Level
		may         bool
	}{
		{"a", "get", verdict.ReadOnly, true},
		{"a", "get --n 2", verdict.ReadOnly, true},
		{"a", "", verdict.ReadOnly, true},
		{"a", "put", verdict.ReadOnly, false},
		{"a", "call get", verdict.ReadOnly, false},
		{"b", "get", verdict.ReadOnly, false},
		{"c", "call get", verdict.ReadOnly, true},
		{"c", "call get", verdict.Destructive, false},
		{"c", "call put", verdict.ReadOnly, false},
		{"c", "--all", verdict.ReadOnly, false},
		{"d", "get", verdict.ReadOnly, false},
		{"e", "get", verdict.ReadOnly, false},
	} {
		parts, err := h.parts(bearer(c.call, true))
		if err == nil {
			err = may(parts, "hub", strings.Fields(c.words), c.least)
		}
		if (err == nil) != c.may {
			t.Errorf("%s: hub %s: %v", c.call, c.words, err)
		}
		if may(parts, "other", strings.Fields(c.words), c.least) == nil {
			t.Errorf("%s: another server may be asked", c.call)
		}
	}
	for _, given := range []string{"", token, bearer("a", false), bearer("a", true) + "0",
		run.CommandToken("another secret", run.CommandID("a"))} {
		if _, err := h.parts(given); err == nil {
			t.Errorf("the token %q is taken", given)
		}
	}
}
