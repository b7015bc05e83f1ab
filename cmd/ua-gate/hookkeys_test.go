package main

import (
	"strings"
	"testing"
	"time"
)

// TestHooksHaveNoKeys holds that no key of a model reaches a hook, and other variables do.
func TestHooksHaveNoKeys(t *testing.T) {
	t.Setenv("ANTHROPIC_AUTH_TOKEN", "key-0")
	t.Setenv("OTHER_API_KEY", "key-1")
	t.Setenv("TICKET", "no key")
	g := testGate(t, unattended)
	out, err := g.runHook([]string{"env"}, nil, time.Minute)
	if text := string(out); err != nil || strings.Contains(text, "key-") ||
		!strings.Contains(text, "TICKET=no key\n") {
		t.Errorf("%v: %s", err, out)
	}
}
