package main

import (
	"strings"
	"testing"

	"ua/internal/test/scripttest"
)

// TestManyRequests has a command ask the proxy of its own sandbox for more than the pipe of
// the proxy's log holds: it is not held up, and what was refused is told.
func TestManyRequests(t *testing.T) {
	scripttest.Need(t, "curl")
	scripttest.NeedTier(t, "3") // below there is no proxy
	r := feed(t, uaExec(t, "--profile-max", "network", "--net-allow", "allowed.example"), task{
		command: "curl -s -o /dev/null 'http://denied.example/[1-2000]'; exit 3",
		risk:    "network", profile: "network", input: `,"timeout_ms":60000`})[0]
	if r.Get("status").Str == "refused" {
		scripttest.Skip(t, scripttest.Refused, "%s", text(r))
	}
	if list := r.Get("net_refused").Array(); r.Get("exit_code").Int() != 3 || len(list) != 1 ||
		!strings.Contains(list[0].Str, "denied.example") {
		t.Error(r.Raw)
	}
}
