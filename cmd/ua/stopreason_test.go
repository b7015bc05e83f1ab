package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"ua/internal/common/prog"
	"ua/internal/test/scripttest"
)

// sources are the ways in which an answer comes to a run: each has ua get the lines, and
// returns the arguments for it.
var sources = map[string]func(p *place, lines string) []string{
	"replay": func(p *place, lines string) []string {
		p.write("main.jsonl", lines)
		return []string{"ua", "task"}
	},
	"exec": func(p *place, lines string) []string {
		p.write("answer", lines)
		return []string{"ua", "-m", "exec:cat >/dev/null; cat answer", "task"}
	},
	"a stage that stays": func(p *place, lines string) []string {
		p.write("answer", lines)
		return []string{"ua", "--think",
			`while read -r l; do case $l in *'"type":"turn"'*) cat answer;; esac; done`, "task"}
	},
	"a stage that ends": func(p *place, lines string) []string {
		p.write("answer", lines)
		return []string{"ua", "--think", "cat answer", "task"}
	},
	"a journal": func(p *place, lines string) []string {
		p.recording("main.jsonl", "first")
		p.run("ua", "task")
		f, err := os.OpenFile(p.glob("*/journal.jsonl")[0], os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			p.t.Fatal(err)
		}
		fmt.Fprint(f, `{"type":"turn","n":2}`+"\n"+lines)
		f.Close()
		p.write("answer", wholeAnswer)
		return []string{"ua", "resume", "-m", "exec:cat >/dev/null; cat answer", "last", "more"}
	},
}

const wholeAnswer = `{"type":"response","model":"m","stop_reason":"end_turn",` +
	`"content":[{"type":"text","text":"whole"}]}` + "\n"

// TestStopReasons has an answer end for each reason that a provider, a recording or a stage
// may give, with text and without, from each source: the run ends by itself, 0 is the
// status of a whole answer with text alone, and no other touches the file of --output. What
// a journal has of that kind does not keep its run from going on.
func TestStopReasons(t *testing.T) {
	short := []string{`"end_turn"`, `"tool_use"`, `"interrupted"`, `"abort"`, `null`}
	reasons := append([]string{`"stop_sequence"`, `"max_tokens"`, `"refusal"`, `"error"`,
		`"pause_turn"`, `"insufficient_system_resource"`, `"network_error"`, `"sensitive"`,
		`"recitation"`, `"malformed_function_call"`, `"model_length"`, `"content_filter"`, `"stop"`,
		`"END_TURN"`, `"\u001b[2J"`, `""`, `7`}, short...)
	for source := range sources {
		for _, reason := range reasons {
			t.Run(source+"/"+strings.Trim(reason, `"`), func(t *testing.T) {
				t.Parallel()
				whole := reason == `"end_turn"` || reason == `"stop_sequence"` || source == "a journal"
				switch reason {
				case `"stop"`, `"END_TURN"`: // what servers say for it
					whole = whole || source == "replay" || source == "exec" // through ua-think
				}
				endsAs(t, source, reason, `{"type":"text","text":"an answer"}`, whole)
			})
		}
		for _, block := range []string{``, `{"type":"text","text":" \n"}`,
			`{"type":"text","text":"\ufeff\u200b"}`,
			`{"type":"thinking","thinking":"hm"}`} {
			for _, reason := range short {
				t.Run(source+"/without text/"+reason+block, func(t *testing.T) {
					t.Parallel()
					endsAs(t, source, reason, block, source == "a journal")
				})
			}
		}
	}
}

// endsAs has a run get one answer from the source, which it is to take as a whole one or not.
func endsAs(t *testing.T, source, reason, block string, whole bool) {
	t.Helper()
	p := newPlace(t, os.Getuid())
	args := sources[source](p, `{"type":"response","model":"m","stop_reason":`+reason+
		`,"content":[`+block+"]}\n")
	p.write("out", "before")
	cmd := p.command(append(args, "-o", "out")...)
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	scripttest.Await(t, "the end of the run", func() bool { return len(ended) > 0 })
	status := cmd.ProcessState.ExitCode()
	kept, _ := os.ReadFile(filepath.Join(p.cwd, "out"))
	// An answer without a reason may be taken as whole or not, but only as one of them.
	if reason == `null` || reason == `""` || reason == `7` {
		whole = whole || status == 0 && strings.Contains(block, "answer")
	}
	want := prog.TryLater
	switch think := source == "replay" || source == "exec"; {
	case whole:
		want = 0
	// Again, it would be the same. Words of providers are known to ua-think alone.
	case slices.Contains([]string{`"max_tokens"`, `"refusal"`}, reason),
		think && slices.Contains([]string{`"content_filter"`, `"sensitive"`, `"recitation"`,
			`"model_length"`}, reason):
		want = prog.No
	}
	if status != want || (string(kept) == "before") == whole {
		t.Errorf("status %d, want %d; the file has %q: %s", status, want, kept, &said)
	}
	if status != 0 && (said.Len() == 0 || strings.Contains(said.String(), "\x1b")) {
		t.Errorf("said: %q", &said)
	}
}
