package settings

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Values that can't be are refused, and the file and the key named.
func TestWrongValues(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.toml")
	t.Setenv("UA_CONFIG", path)
	for _, c := range []struct{ text, want string }{
		{"[ua]\nmax_turns = -1", "[ua] max_turns: want a whole number from 1"},
		{"[ua]\nmax_calls = -1", "[ua] max_calls: want a whole number from 1"},
		{"[ua]\nmax_agent_depth = -1", "[ua] max_agent_depth: want a whole number from 1"},
		{"[ua]\ncontext_tokens = 999", "[ua] context_tokens: want a whole number from 1000"},
		{"[ua]\nbudget_usd = -0.5", "[ua] budget_usd: want an amount above 0"},
		{"[ua]\ntry = \"often\"", `"often" is neither always nor atomic`},
		{"[ua]\ntime_limit = \"-3s\"", "is not a duration"},
		{"[agents]\nat_once = -1", "[agents] at_once: want a whole number from 1"},
		{"[agents]\ntokens_max = -1", "[agents] tokens_max: want a whole number from 1"},
		{"[sandbox]\npids = -1", "[sandbox] pids: want a whole number from 48 to"},
		{"[sandbox]\npids = 3", "[sandbox] pids: want a whole number from 48 to"},
		{"[sandbox]\nmem = \"1M\"", "[sandbox] mem: want a size from 128M"},
		{"[ua]\nmax_turns = 3\n[agents]\nper_hour = 1", ""},
	} {
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Load()
		if c.want == "" && err != nil || c.want != "" && (err == nil ||
			!strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path)) {
			t.Errorf("%q: %v", c.text, err)
		}
	}
}
