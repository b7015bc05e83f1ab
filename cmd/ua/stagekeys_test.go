package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"ua/internal/test/scripttest"
)

// keyed returns which processes below pid have a key in their environment, and how many
// have an environment that can be read. A shell is named by its whole command line.
func keyed(pid int) (names []string, seen int) {
	for _, q := range descendants(pid) {
		env, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", q.pid))
		if len(env) == 0 || q.pid == pid {
			continue
		}
		seen++
		if text := string(env); strings.Contains(text, "=key-") || strings.Contains(text, "sk-ant-") {
			names = append(names, q.name)
		}
	}
	return names, seen
}

// lives reports whether a process has not ended yet.
func lives(pid int) bool {
	return slices.ContainsFunc(processes(), func(p process) bool { return p.pid == pid })
}

// judgeOf is a policy whose judge is asked about all that writes.
const judgeOf = "[judge]\nfrom = \"write\"\nmode = \"block\"\n"

// TestKeysOfStages looks, while a command runs, for the keys that settings and providers
// name in the environment of every process that ua has started: ua-think alone has them.
// A judge works all the same, wherever its ua-gate stands.
func TestKeysOfStages(t *testing.T) {
	t.Parallel()
	// A model that judges too says both in one answer: an opinion, and the call.
	const answers = `text: {"decision":"allow","reason":"it may"}` + "\n" +
		"call: touch made; until test -e go; do sleep 0.05; done\n---\ntext: done"
	const hook = "[[hooks.session_end]]\ncommand = \"true\"\n" // by which ua-gate watch runs
	const agent = "---\nname: mine\ndescription: is judged\njudge: write\n---\n"
	for _, c := range []struct {
		name, policy, agent string
		args                []string
		judges              int
		asked               string // the judge's model, if not the usual one
	}{
		{name: "no judge", policy: hook},
		{name: "a line", args: []string{"--gate", "cat | ua-gate"}},
		{name: "the policy's judge", policy: judgeOf, judges: 1},
		{name: "with a model of its own", judges: 1, asked: "anthropic/other", policy: judgeOf +
			"command = [\"ua-think\", \"--model\", \"anthropic/other\"]\n"},
		{name: "the agent's judge", agent: agent, args: []string{"--agent", "mine"}, judges: 1},
		{name: "in a line", policy: judgeOf, args: []string{"--gate", "cat | ua-gate"}, judges: 1},
		{name: "in a line, with the run's model", policy: judgeOf, judges: 1,
			asked: "anthropic/other", args: []string{"--gate", "ua-gate", "-m", "anthropic/other"}},
		{name: "in a line and behind it", policy: judgeOf, agent: agent,
			args: []string{"--gate", "cat | ua-gate", "--agent", "mine"}, judges: 2},
		{name: "in a line behind a think of the user's", policy: judgeOf, judges: 1,
			args: []string{"--think", "ua-think", "--gate", "cat | ua-gate"}},
		{name: "with a budget", policy: judgeOf, judges: 1,
			args: []string{"--gate", "cat | ua-gate", "--budget-tokens", "100000"}},
	} {
		for _, uid := range users() {
			p := newPlace(t, uid)
			p.model(answers)
			p.write(filepath.Join(p.home, ".config/ua/config.toml"),
				"[provider.mine]\nbase_url = \"http://127.0.0.1:9\"\napi_key_env = \"MY_LLM_SECRET\"\n")
			if c.policy != "" {
				p.write(filepath.Join(p.home, ".config/ua/policy.toml"), c.policy)
			}
			if c.agent != "" {
				p.write(filepath.Join(p.home, ".config/ua/agents/mine.md"), c.agent)
			}
			p.env = append(p.env, "ANTHROPIC_AUTH_TOKEN=key-0", "OPENAI_API_KEY=key-1",
				"MY_LLM_SECRET=key-2", "OTHER_API_KEY=key-3", "MINE_API_KEY=key-4")
			cmd := p.command(append([]string{"ua"}, append(c.args, "task")...)...)
			var said strings.Builder
			cmd.Stderr = &said
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			scripttest.Await(t, "the command", func() bool {
				_, err := os.Stat(filepath.Join(p.cwd, "made"))
				return err == nil || !lives(cmd.Process.Pid)
			})
			names, seen := keyed(cmd.Process.Pid)
			for _, name := range names {
				if !strings.Contains(name, "ua-think") {
					t.Errorf("%s, uid %d: %s has a key", c.name, uid, name)
				}
			}
			p.write("go", "")
			if err := cmd.Wait(); err != nil || seen < 3 || len(names) == 0 {
				t.Errorf("%s, uid %d: %v, %d stages, those with keys: %q, %s", c.name, uid, err, seen,
					names, said.String())
				continue
			}
			judges := p.events("judge")
			agreed := slices.ContainsFunc(p.events("verdict"), func(e gjson.Result) bool {
				return e.Get("judge").Str == "allow: it may"
			})
			sum, used := p.events("summary")[0], int64(0)
			for _, e := range judges {
				if got := e.Get("model").Str; got != cmp.Or(c.asked, "anthropic/fake") {
					t.Errorf("%s, uid %d: the judge was %s", c.name, uid, got)
				}
			}
			for _, e := range append(judges, p.events("response")...) {
				u := e.Get("usage")
				used += u.Get("input").Int() + u.Get("cache_read").Int()
			}
			if len(judges) != c.judges || agreed != (c.judges > 0) ||
				sum.Get("tokens_in").Int() != used || len(p.events("model_request")) > 0 {
				t.Errorf("%s, uid %d: judges: %s, agreed: %v, used %d, %s", c.name, uid, judges, agreed,
					used, sum)
			}
		}
	}
}

// TestKeysOfJudge: while a judge that is no program of ours is asked, it alone has the
// keys, and not the ua-gate that asks it.
func TestKeysOfJudge(t *testing.T) {
	p := newPlace(t, os.Getuid())
	p.model("call: touch made\n---\ntext: done")
	p.write(filepath.Join(p.home, ".config/ua/policy.toml"), judgeOf+`command = ["sh", "-c", '''
		touch asked; until test -e go; do sleep 0.05; done; test -n "$ANTHROPIC_API_KEY" &&
		echo '{"decision":"allow"}' ''']`+"\n")
	cmd := p.command("ua", "task")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	scripttest.Await(t, "the judge", func() bool {
		_, err := os.Stat(filepath.Join(p.cwd, "asked"))
		return err == nil || !lives(cmd.Process.Pid)
	})
	names, _ := keyed(cmd.Process.Pid)
	for _, name := range names {
		first := filepath.Base(strings.Fields(name)[0])
		if first != "ua-think" && first != "sh" && first != "sleep" {
			t.Errorf("%s has a key", name)
		}
	}
	p.write("go", "")
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(p.cwd, "made")); err != nil || len(names) < 2 {
		t.Errorf("the judge had no key: %q have", names)
	}
}
