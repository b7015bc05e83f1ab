package main

import (
	"strings"
	"testing"
	"time"

	"ua/cmd/ua-gate/internal/policy"
	"ua/internal/common/config"
)

// TestHooksHaveNoKeys holds that no key of a model reaches a hook, and other variables do.
func TestHooksHaveNoKeys(t *testing.T) {
	t.Setenv("ANTHROPIC_AUTH_TOKEN", "key-0")
	t.Setenv("OTHER_API_KEY", "key-1")
	t.Setenv("TICKET", "no key")
	g := testGate(t, unattended)
	h := &policy.Hook{Command: []string{"env"}, Timeout: config.Duration(time.Minute)}
	out, err := g.run(h, nil)
	if text := string(out); err != nil || strings.Contains(text, "key-") ||
		!strings.Contains(text, "TICKET=no key\n") {
		t.Errorf("%v: %s", err, out)
	}
}
