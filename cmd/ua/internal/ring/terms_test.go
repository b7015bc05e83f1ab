package ring

import (
	"flag"
	"reflect"
	"slices"
	"strings"
	"testing"
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

// names returns the names of all terms.
func (t terms) names() (list []string) {
	for _, f := range reflect.VisibleFields(reflect.TypeOf(t)) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			list = append(list, name)
		}
	}
	return list
}
