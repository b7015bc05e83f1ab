package settings

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ua/cmd/ua/internal/agents"
	"ua/internal/common/config"
	"ua/internal/common/verdict"
)

// FuzzProject: whatever a command has left as a project's settings, nothing of the
// user's becomes wider by it, and the file is understood or an error.
func FuzzProject(f *testing.F) {
	for _, text := range []string{
		"[ua]\nmax_turns = 7\ncontext_tokens = 2000\nbudget_usd = 0.1\ntime_limit = \"1m\"\n",
		"[ua]\nmax_turns = 700\nbudget_tokens = 999999\nmemory = true\n" +
			"think = \"x\"\ntry = \"always\"\n",
		"[agents]\nenabled = true\nat_once = 99\ntime = \"9h\"\ntokens = 1\n" +
			"[sandbox]\npids = 1\nmem = \"1T\"\n",
		"[sandbox]\nprofile = \"network\"\nwrite = [\"/\", \"/a\"]\nnet_allow = [\"*\"]\nenv = []\n",
		"[sandbox]\nstrict = false\nread = [\"/a/../b\"]\n[think]\nmodel = \"x\"\n[other]\nx = 1\n",
		"ua.max_turns = 3\n[ua.x]\n", "[ua]\nmax_turns = nan\n", "\x00", "[[sandbox]]\n",
	} {
		f.Add(text)
	}
	path := filepath.Join(f.TempDir(), "config.toml")
	f.Fuzz(func(t *testing.T, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		user := func() *Settings {
			s := &Settings{Sandbox: Sandbox{Profile: "workspace", Write: []string{"/a", "/b"},
				Read: []string{"/b"}, Resources: Resources{Pids: 50}}}
			s.UA = config.Agent{MaxTurns: 30, BudgetTokens: 5000, Think: "mine"}
			if err := s.UA.Complete("user"); err != nil {
				t.Fatal(err)
			}
			return s
		}
		was, s := user(), user()
		if err := s.narrow(path, &agents.Definition{}, false, func(string) {}); err != nil {
			return
		}
		a, b := &s.UA, &was.UA
		if a.MaxTurns > b.MaxTurns || a.MaxCommands > b.MaxCommands || a.MaxCalls > b.MaxCalls ||
			a.ContextTokens > b.ContextTokens || a.BudgetTokens > b.BudgetTokens || a.BudgetTokens == 0 ||
			a.Think != "mine" || a.Gate != "" || a.Exec != "" || a.Try != "" ||
			a.Memory != nil && *a.Memory {
			t.Errorf("[ua] %+v is wider than %+v", a, b)
		}
		x, y := &s.Sandbox, &was.Sandbox
		if !verdict.Profile(x.Profile).Within(verdict.ProfileWorkspace) || x.Pids > 50 || x.Pids < 1 ||
			x.Mem > DefaultSize || x.Fsize > DefaultSize {
			t.Errorf("[sandbox] %+v is wider than %+v", x, y)
		}
		for _, l := range [][2][]string{{x.Write, y.Write}, {x.Read, y.Read}, {x.Socket, nil},
			{x.Env, nil}, {x.Hosts(), DefaultHosts()}} {
			for _, item := range l[0] {
				if !slices.Contains(l[1], item) {
					t.Errorf("%q is not in %q", item, l[1])
				}
			}
		}
		agents, before := s.OfAgents(), was.OfAgents()
		if agents != agents.Within(before) {
			t.Errorf("[agents] %+v is wider than %+v", agents, before)
		}
	})
}
