package main

import (
	"slices"
	"strings"
	"testing"

	agent "ua/internal/common/run"
	"ua/internal/common/verdict"
)

// TestTriesToken: a command that starts ua gets what stands for its own profile at the
// socket of tries, and none gets the run's secret.
func TestTriesToken(t *testing.T) {
	e := newEnviron([]string{"A=1", "UA_TRIES=/run/tries.sock", "UA_TRIES_TOKEN=secret"}, nil, nil,
		"/")
	for _, name := range verdict.Profiles() {
		env := e.of(&call{profile: verdict.Profile(name), delegates: true})
		if !slices.Contains(env, "UA_TRIES_TOKEN="+agent.TriesToken("secret", name)) ||
			!slices.Contains(env, "UA_TRIES=/run/tries.sock") {
			t.Errorf("%s: %q", name, env)
		}
		env = append(env, e.of(&call{profile: verdict.Profile(name)})...)
		if strings.Count(strings.Join(env, "\n"), "UA_TRIES") != 2 ||
			slices.Contains(env, "UA_TRIES_TOKEN=secret") {
			t.Errorf("%s: %q", name, env)
		}
	}
}
