package execmodel

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/answer"
	"ua/cmd/ua-think/internal/failure"
	"ua/internal/common/event"
	"ua/internal/common/prog"
)

// ask has a shell command answer and returns what left, the content that is kept and how
// the answer stopped.
func ask(ctx context.Context, command, body string, limit time.Duration) (
	out, content, stop string, err error,
) {
	var text bytes.Buffer
	a := &answer.Answer{Out: event.NewOutbox(&text), Limits: answer.Limits{Event: 10000, Text: 10000},
		IDs: map[string]bool{}}
	err = Ask(ctx, command, []byte(body), limit, os.Stderr, a)
	a.Out.Close(0)
	return text.String(), string(a.Content()), a.Stop, err
}

// TestAnswers takes what a program writes for an answer.
func TestAnswers(t *testing.T) {
	for name, c := range map[string]struct{ command, types, content, stop, wrong string }{
		"deltas": {`echo '{"type":"delta","kind":"thinking","text":"hm"}'
			echo '{"type":"delta","kind":"text","text":"a"}'
			echo '{"type":"delta","kind":"text","text":"b"}'`,
			"delta", `[{"type":"thinking","thinking":"hm"},{"type":"text","text":"ab"}]`, "end_turn",
			""},
		"a call": {`echo '{"type":"tool_call","id":"c","name":"shell","input":{"command":"ls"}}'`,
			"tool_call delta",
			`[{"type":"tool_use","id":"c","name":"shell","input":{"command":"ls"}}]`, "tool_use", ""},
		"a response alone": {`echo '{"type":"response","stop_reason":"end_turn",` +
			`"content":[{"type":"text","text":"a","own":1}]}'`,
			"delta", `[{"type":"text","text":"a","own":1}]`, "end_turn", ""},
		"what was said stays said": {`echo '{"type":"delta","kind":"text","text":"a"}'
			echo '{"type":"tool_call","id":"c","name":"shell","input":{}}'
			echo '{"type":"response","stop_reason":"tool_use","content":[{"type":"text","text":"a"},` +
			`{"type":"tool_use","id":"c","name":"shell","input":{}}]}'`,
			"delta tool_call delta",
			`[{"type":"text","text":"a"},{"type":"tool_use","id":"c","name":"shell","input":{}}]`,
			"tool_use", ""},
		"what it is asked": {`read line; echo '{"type":"delta","kind":"text","text":"'$line'"}'`,
			"delta", `[{"type":"text","text":"the question"}]`, "end_turn", ""},
		"an error of its own": {`echo '{"type":"error","stage":"mine","message":"m"}'
			echo '{"type":"delta","text":"a"}'`,
			"error delta", `[{"type":"text","text":"a"}]`, "end_turn", ""},
		"no event": {`echo plain; echo '{"type":"delta","text":"a"}'`, "error delta",
			`[{"type":"text","text":"a"}]`, "end_turn", ""},
		"unknown types": {`echo '{"type":"mine"}'; echo '{"type":"delta","text":"a"}'`, "delta",
			`[{"type":"text","text":"a"}]`, "end_turn", ""},
		"nothing":    {"true", "", "[]", "end_turn", ""}, // which the session judges
		"no content": {`echo '{"type":"response"}'`, "", "[]", "", "has no content"},
		"too much": {`head -c 20000 /dev/zero | tr '\0' x | sed 's/.*/{"type":"delta","text":"&"}/'; ` +
			`echo; sleep 1000`, "", "[]", "",
			"longer than 10000 bytes"},
		"its status": {"exit 3", "", "[]", "", "failed: exit status 3"},
		"killed":     {"kill -9 $$", "", "[]", "", "failed: "},
	} {
		out, content, stop, err := ask(t.Context(), c.command, "the question\n", time.Minute)
		var types []string
		for line := range strings.Lines(out) {
			types = append(types, gjson.Get(line, "type").Str)
		}
		types = slices.Compact(types) // deltas may be joined
		if got := strings.Join(types, " "); got != c.types || content != c.content || stop != c.stop ||
			(err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s: %q, %s, %q, %v\n%s", name, got, content, stop, err, out)
		}
	}
}

// TestStatus: a program says by its status whether trying again makes sense.
func TestStatus(t *testing.T) {
	for command, want := range map[string]failure.Failure{
		"exit 1": {Status: prog.Trouble}, "exit 75": {Status: prog.TryLater, Retry: true},
		"exit 127": {Status: prog.Trouble},
	} {
		_, _, _, err := ask(t.Context(), command, "", time.Minute)
		var f *failure.Failure
		if !errors.As(err, &f) || f.Status != want.Status || f.Retry != want.Retry {
			t.Errorf("%s: %+v", command, f)
		}
	}
}

// TestEnds: nothing that a program has started outlives the answer.
func TestEnds(t *testing.T) {
	for name, c := range map[string]struct {
		limit time.Duration
		wrong string
		then  string
	}{
		"the limit":   {time.Millisecond * 500, "took longer than 500ms", "sleep 1000"},
		"its own":     {time.Minute, "", "true"},
		"its failure": {time.Minute, "exit status 4", "exit 4"},
	} {
		fifo := filepath.Join(t.TempDir(), "lives")
		script := "mkfifo " + fifo + "; (sleep 1000) >" + fifo +
			` & echo '{"type":"delta","text":"a"}'; exec >&-; ` + c.then
		opened := make(chan *os.File)
		go func() { // which lasts until the program has made and opened it
			for {
				if f, err := os.Open(fifo); err == nil {
					opened <- f
					return
				}
			}
		}()
		_, _, _, err := ask(t.Context(), script, "", c.limit)
		if (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s: %v", name, err)
		}
		f := <-opened
		if n, err := f.Read(make([]byte, 1)); n != 0 || err == nil { // the end: nobody has it open
			t.Errorf("%s: %d, %v", name, n, err)
		}
		f.Close()
	}
}

// TestNoKeys: a program in a model's place has no key of another.
func TestNoKeys(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "sk-ant-1")
	out, _, _, err := ask(t.Context(), `echo '{"type":"delta","text":"'key$ANTHROPIC_API_KEY'"}'`, "",
		time.Minute)
	if err != nil || gjson.Get(out, "text").Str != "key" {
		t.Errorf("%s, %v", out, err)
	}
}

// TestInterrupted: who gives the answer up says why.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(failure.Interrupted(130))
	_, _, _, err := ask(ctx, "sleep 1000", "", time.Minute)
	if f := failure.From(err); f.Msg != "interrupted" || f.Status != 130 {
		t.Errorf("%+v", f)
	}
}
