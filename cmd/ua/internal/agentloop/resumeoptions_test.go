package agentloop

import (
	"flag"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ua/cmd/ua/internal/runlimits"
	"ua/internal/common/config"
	"ua/internal/common/spending"
)

// notKept are the options of a run that one which goes on does not have, with the reason.
var notKept = map[string]string{
	"a": attaches, "attach": attaches, "context": attaches, "system": attaches,
	"memory": attaches, "no-memory": attaches,
	"at": thisTime, "bg": thisTime, "c": thisTime, "continue": thisTime, "json": thisTime,
	"q": thisTime, "quiet": thisTime, "o": thisTime, "output": thisTime,
	"via": "such a run goes on where its journal is",
}

const (
	attaches = "it is part of the conversation, which the journal has"
	thisTime = "it is about this time alone"
)

// TestTermsHoldOptions: an option of a run is one of its terms, or says why not.
func TestTermsHoldOptions(t *testing.T) {
	known := terms{}.names()
	other := map[string]string{"C": "directory", "m": "model", "atomic": "try", "no-try": "try",
		"no-ask": "ask", "no-stay": "stay", "no-strict": "strict"}
	(&options{}).flags().VisitAll(func(f *flag.Flag) {
		name := strings.ReplaceAll(f.Name, "-", "_")
		if to := other[f.Name]; to != "" {
			name = to
		}
		if slices.Contains(known, name) == (notKept[f.Name] != "") {
			t.Errorf("--%s: a resumed run has it: %v; a reason not to: %q", f.Name,
				slices.Contains(known, name), notKept[f.Name])
		}
	})
}

func TestChanges(t *testing.T) {
	was := terms{Ask: true, Try: config.TryAlways, Profile: "read-only", Write: []string{"/a"},
		Limits: runlimits.Limits{Budget: spending.Budget{USD: 0.5}}}
	now := was
	now.Ask, now.Try, now.Profile, now.USD = false, "", "network", 2
	now.Write = append(slices.Clip(was.Write), "/b")
	now.Strict = true
	want := []string{
		"ask: off, by --no-ask",
		"budget usd: 2, by --budget-usd (it was 0.5)",
		"profile: network, by --profile (it was read-only)",
		"strict: on, by --strict",
		"try: off, by --no-try",
		"write: /a /b, by --write (it was /a)",
	}
	if got := changedTerms(was, now); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := changedTerms(was, was); len(got) > 0 {
		t.Errorf("nothing has changed: %q", got)
	}
}

// names returns the names of all terms.
func (t terms) names() (list []string) {
	for _, f := range reflect.VisibleFields(reflect.TypeOf(t)) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			list = append(list, name)
		}
	}
	return list
}
