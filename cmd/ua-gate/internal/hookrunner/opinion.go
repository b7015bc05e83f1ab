package hookrunner

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/style"
)

// An Opinion is what a hook or judge says.
type Opinion struct {
	Decision string // allow, deny, ask, modify, or "" for none
	Command  string // what should run instead
	Reason   string
	Category string // of the harm that a judge names
	Safer    string // a command that a judge proposes instead
	Output   string // what a post_exec hook puts in the place of a result's
	Where    string // of the hook in its policy
}

// ParseOpinion reads {"decision":…,"command":…,"reason":…}. An object without a decision
// is no opinion. A decision that is none of the words is an error.
func ParseOpinion(text []byte, words ...string) (o Opinion, err error) {
	text = bytes.TrimSpace(text)
	if !event.ValidJSON(text) || !bytes.HasPrefix(text, []byte("{")) {
		return o, fmt.Errorf("said %q, which is not a JSON object", style.Cut(string(text), 60))
	}
	m := gjson.GetManyBytes(text, "decision", "command", "reason", "category", "safer", "output")
	o = Opinion{
		Decision: m[0].Str, Command: m[1].Str, Reason: m[2].Str,
		Category: m[3].Str, Safer: m[4].Str, Output: m[5].Str,
	}
	if !m[0].Exists() {
		return o, nil
	}
	if slices.Contains(words, o.Decision) {
		return o, nil
	}
	return o, fmt.Errorf("said the decision %q, which is none of %s", style.Cut(m[0].String(), 60),
		strings.Join(words, ", "))
}

// Judged returns a judge's word for the record: its decision, the kind of harm and its
// reason.
func (o *Opinion) Judged() string {
	text := strings.TrimSpace(o.Decision + " " + style.OneLine(o.Category, 20))
	if o.Reason != "" {
		text += ": " + o.Reason
	}
	return text
}
