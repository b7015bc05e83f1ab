package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"ua/internal/common/prog"
	around "ua/internal/common/run"
)

// A trial says how an agent is run once, with a test model instead of its own.
type trial struct {
	argv []string
	env  []string // added to the environment, from which keys and addresses are taken
}

// trialOf returns the agent's trial with the model at the address. Files that the trial
// needs go to the folder. An agent that takes no other model is an error.
func trialOf(a agent, address, dir string) (t trial, err error) {
	const prompt = "run the command"
	switch a.name {
	case "claude-code":
		t.argv = []string{"claude", "-p", prompt, "--model", "claude-sonnet-4-5"}
		t.env = []string{"ANTHROPIC_BASE_URL=" + address, "ANTHROPIC_API_KEY=none",
			"DISABLE_AUTOUPDATER=1",
			"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1"}
	case "codex":
		provider := `model_providers.trial={name="trial",base_url="` + address +
			`/v1",wire_api="responses",env_key="UA_GATE_TRIAL"}`
		t.argv = []string{"codex", "exec", "--skip-git-repo-check", "--ephemeral",
			"-s", "danger-full-access", "-m", "gpt-5", "-c", "model_provider=trial", "-c", provider, prompt}
		t.env = []string{"UA_GATE_TRIAL=none"}
	case "gemini-cli":
		t.argv = []string{"gemini", "-y", "-m", "gemini-2.5-pro", "-p", prompt}
		// The settings say how the key is used: by the address alone it refuses to start.
		own := filepath.Join(dir, ".gemini")
		t.env = []string{"GOOGLE_GEMINI_BASE_URL=" + address, "GEMINI_API_KEY=none",
			"GEMINI_CLI_TRUST_WORKSPACE=true"}
		auth := []byte(`{"security":{"auth":{"selectedType":"gemini-api-key"}}}`)
		err = errors.Join(os.Mkdir(own, 0o700),
			os.WriteFile(filepath.Join(own, "settings.json"), auth, 0o600))
	case "qwen-code":
		t.argv = []string{"qwen", "--auth-type", "openai", "-m", "trial", "-y", "-p", prompt}
		t.env = []string{"OPENAI_BASE_URL=" + address + "/v1", "OPENAI_API_KEY=none",
			"OPENAI_MODEL=trial"}
	case "opencode":
		t.argv = []string{"opencode", "run", "-m", "trial/trial", prompt}
		t.env = []string{"OPENCODE_DISABLE_AUTOUPDATE=1",
			`OPENCODE_CONFIG_CONTENT={"provider":{"trial":{` +
				`"npm":"@ai-sdk/openai-compatible","options":{"baseURL":"` + address +
				`/v1","apiKey":"none"},` +
				`"models":{"trial":{"tool_call":true}}}},"permission":"allow"}`}
	case "copilot-cli":
		t.argv = []string{"copilot", "-p", prompt, "--allow-all-tools", "--no-auto-update"}
		// With a model of its own it needs no account (copilot help providers).
		t.env = []string{"COPILOT_OFFLINE=true", "COPILOT_PROVIDER_BASE_URL=" + address + "/v1",
			"COPILOT_PROVIDER_API_KEY=none", "COPILOT_MODEL=trial"}
	default: // crush, whose package on npm has only a link to its program
		return t, prog.Errorf(prog.Trouble,
			"%s can't be given a test model, so it can't be checked", a.name).
			Hintf("ask it to run a command that your policy denies")
	}
	return t, err
}

// checkHook runs the agent as it is configured, in a folder whose policy denies the one
// command that the test model wants. The gate was asked if the model is told the reason
// of the denial and the command has left no trace.
func checkHook(env *prog.Env, o options, a agent) error {
	// No file that the agent has seen before can hold this reason.
	token := rand.Text()
	m, t, dir, err := newTrial(a, "touch ran", token)
	if err != nil {
		return err
	}
	defer m.close()
	defer os.RemoveAll(dir)
	policy := filepath.Join(dir, ".ua", "policy.toml")
	err = os.Mkdir(filepath.Dir(policy), 0o700)
	text := "[[deny]]\npattern = \"touch *\"\nreason = \"a trial of ua-gate, " + token + "\"\n"
	if err = errors.Join(err, os.WriteFile(policy, []byte(text), 0o600)); err != nil {
		return prog.Errorf(prog.Trouble, "%v", err)
	}
	said, err := t.run(dir)
	_, missed := os.Stat(filepath.Join(dir, "ran"))
	switch {
	case missed == nil:
		e := prog.Errorf(prog.No, "%s ran a command that ua-gate denies", a.name)
		if s, _ := settingsOf(a, o); s.then != "" {
			return e.Hintf("%s", s.then)
		}
		return e.Hintf("ua-gate hook --install %s", a.name)
	case m.told():
		env.Printf("%s asked, its command was denied, and it was told why\n", a.name)
		if o.confine {
			return checkConfined(env, a)
		}
		return nil
	// The command left no trace, but the model never learnt of a denial.
	case m.called():
		return prog.Errorf(prog.No, "%s did not run the command, and did not ask ua-gate either",
			a.name).
			Hintf("ua-gate hook --install %s; its last words were: %s", a.name, said)
	case err != nil:
		return prog.Errorf(prog.Trouble, "%s: %v", t.argv[0], err).
			Hintf("its last words were: %s", said)
	}
	return prog.Errorf(prog.Trouble, "%s did not ask the test model for anything", a.name).
		Hintf("its last words were: %s", said)
}

// newTrial starts a model that wants the command run, and returns the agent's trial with it in a
// folder of its own.
func newTrial(a agent, command, token string) (m *trialModel, t trial, dir string, err error) {
	if m, err = startTrialModel(command, token); err != nil {
		return nil, t, "", prog.Errorf(prog.Trouble, "the test model: %v", err)
	}
	if dir, err = os.MkdirTemp("", "ua-gate-check-*"); err != nil {
		err = prog.Errorf(prog.Trouble, "%v", err)
	} else {
		t, err = trialOf(a, m.address, dir)
	}
	if err != nil {
		m.close()
		os.RemoveAll(dir)
	}
	return m, t, dir, err
}

// checkConfined has the agent run a harmless command that writes down in which sandbox it runs:
// an agent that ignores what the hook puts in its place writes that it runs in none.
func checkConfined(env *prog.Env, a agent) error {
	m, t, dir, err := newTrial(a, "echo tier=${"+around.EnvSandbox+"} > probe", rand.Text())
	if err != nil {
		return err
	}
	defer m.close()
	defer os.RemoveAll(dir)
	said, _ := t.run(dir)
	probe, err := os.ReadFile(filepath.Join(dir, "probe"))
	tier, found := strings.CutPrefix(strings.TrimSpace(string(probe)), "tier=")
	switch {
	case err == nil && found && tier != "":
		env.Printf("%s ran a command in the sandbox, as the hook wants (tier %s)\n", a.name, tier)
		return nil
	case err == nil:
		return prog.Errorf(prog.No, "%s ran a command outside the sandbox: it ignores what the hook "+
			"puts in its place", a.name).
			Hintf("ua-gate hook --install %s --confine, or without --confine it asks", a.name)
	}
	return prog.Errorf(prog.No, "%s did not run a command that the hook confines", a.name).
		Hintf("its last words were: %s", said)
}

// run runs the agent in the folder and returns its last words.
func (t *trial) run(dir string) (said string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), trialLimit)
	defer cancel()
	ctx, ended := endedBySignal(ctx)
	defer ended()
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, t.argv[0], t.argv[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &out
	cmd.Env = append(append(withoutModels(os.Environ()), t.env...), "PWD="+dir)
	cmd.Env = slices.DeleteFunc(cmd.Env, func(e string) bool {
		return strings.HasPrefix(e, around.EnvSandbox+"=")
	})
	// A group of its own, so that its children end with it at the time limit.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	err = cmd.Run()
	words := strings.TrimSpace(out.String())
	return oneLine(words[max(0, len(words)-300):], 300), bare(err)
}

// withoutModels returns the environment without variables that name a model's address,
// key or cloud. The trial needs none of the user's.
func withoutModels(environ []string) (kept []string) {
	for _, e := range environ {
		name, _, _ := strings.Cut(e, "=")
		prefix, _, _ := strings.Cut(name, "_")
		switch prefix {
		case "ANTHROPIC", "OPENAI", "GEMINI", "GOOGLE", "AWS", "AZURE":
		default:
			if !strings.HasPrefix(name, "CLAUDE_CODE_USE_") &&
				!strings.HasPrefix(name, "COPILOT_PROVIDER_") {
				kept = append(kept, e)
			}
		}
	}
	return kept
}
