package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/style"
)

// An opinion is what a hook or judge says.
type opinion struct {
	decision string // allow, deny, ask, modify, or "" for none
	command  string // what should run instead
	reason   string
	category string // of the harm that a judge names
	safer    string // a command that a judge proposes instead
	output   string // what a post_exec hook puts in the place of a result's
	where    string // of the hook in its policy
}

// parseOpinion reads {"decision":…,"command":…,"reason":…}. An object without a decision
// is no opinion. A decision that is none of the words is an error.
func parseOpinion(text []byte, words ...string) (o opinion, err error) {
	text = bytes.TrimSpace(text)
	if !event.ValidJSON(text) || !bytes.HasPrefix(text, []byte("{")) {
		return o, fmt.Errorf("said %q, which is not a JSON object", style.Cut(string(text), 60))
	}
	m := gjson.GetManyBytes(text, "decision", "command", "reason", "category", "safer", "output")
	o = opinion{
		decision: m[0].Str, command: m[1].Str, reason: m[2].Str,
		category: m[3].Str, safer: m[4].Str, output: m[5].Str,
	}
	if !m[0].Exists() {
		return o, nil
	}
	if slices.Contains(words, o.decision) {
		return o, nil
	}
	return o, fmt.Errorf("said the decision %q, which is none of %s", style.Cut(m[0].String(), 60),
		strings.Join(words, ", "))
}

// A limited is a writer that keeps up to maxAnswer bytes.
type limited struct {
	kept []byte
	over bool
}

// Write keeps p if there is room for it, and otherwise notes that there was not.
func (l *limited) Write(p []byte) (int, error) {
	if l.over = l.over || len(l.kept)+len(p) > maxAnswer; !l.over {
		l.kept = append(l.kept, p...)
	}
	return len(p), nil
}
