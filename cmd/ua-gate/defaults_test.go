package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"ua/cmd/ua-gate/internal/agenthooks"
	"ua/cmd/ua-gate/internal/policy"
	"ua/internal/common/verdict"
)

// TestManualDefaults holds that ua-policy(5) prints the decisions that hold without a policy.
func TestManualDefaults(t *testing.T) {
	page, err := os.ReadFile("../../man/ua-policy.5")
	if err != nil {
		t.Fatal(err)
	}
	_, printed, _ := strings.Cut(string(page),
		".It Sy level Ta Sy unattended Ta Sy attended Ta Sy unconfined\n")
	printed, _, _ = strings.Cut(printed, ".El\n")
	levels := policy.Defaults()
	var want strings.Builder
	for l, name := range verdict.Levels() {
		fmt.Fprintf(&want, ".It %s", name)
		for m := range levels {
			q := pendingCall{Verdict: Verdict{Risk: verdict.Level(l)}}
			word := string(levels[m][l])
			if word == "ask" && q.needsYes() {
				word = "ask for yes"
			}
			fmt.Fprintf(&want, " Ta %s", word)
		}
		want.WriteString("\n")
	}
	if printed != want.String() {
		t.Errorf("ua-policy(5) prints\n%sand the defaults are\n%s", printed, &want)
	}
}

// TestAgentData holds that each agent's settings, form of answers and hook are there, and that no
// form leaves a denial without an answer.
func TestAgentData(t *testing.T) {
	for name := range agentCalls {
		a, err := agenthooks.Of(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Shells) == 0 || len(a.Settings) != 3 || a.Hook == "" ||
			a.Trial != "" != (len(a.Env) > 0) {
			t.Errorf("%s: %+v", name, a)
		}
		for _, in := range []string{"", "PermissionRequest"} {
			out := a.Answer(agenthooks.Call{Event: in}, verdict.Deny, `WHY INPUT COMMAND "x"`, "")
			if !strings.Contains(out, `WHY INPUT COMMAND \"x\"`) {
				t.Errorf("%s denies %s by %q", name, in, out)
			}
		}
	}
}
