package agenthooks

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

	"ua/cmd/ua-gate/internal/hookrunner"
	"ua/internal/common/prog"
	around "ua/internal/common/run"
	"ua/internal/common/style"
)

// trialLimit is how long an agent may take in a trial of its hook.
const trialLimit = 2 * time.Minute

// A Trial is what an agent has done with a command that its model wanted.
type Trial struct {
	Left         []byte // what the file ran holds that the command makes; nil if it is not there
	Called, Told bool   // whether it was asked to run it, and told of the token
	Said         string // its last words
	Failed       error
}

// Try runs an agent once in a folder of its own with the policy, and with a model that wants
// the command run.
func (a *Agent) Try(command, policy string) (t Trial, err error) {
	if a.Trial == "" {
		return t, prog.Errorf(prog.Trouble,
			"%s can't be given a test model, so it can't be checked", a.Name).
			Hintf("ask it to run a command that your policy denies")
	}
	program := strings.Fields(a.Trial)[0]
	if _, err := exec.LookPath(program); err != nil {
		return t, prog.Errorf(prog.Trouble, "%q: not found", program)
	}
	token := rand.Text() // no file that the agent has seen before can hold it
	dir, err := os.MkdirTemp("", "ua-gate-check-*")
	if err != nil {
		return t, prog.Errorf(prog.Trouble, "%v", err)
	}
	defer os.RemoveAll(dir)
	for name, text := range map[string]string{
		".ua/policy.toml": strings.Replace(policy, "TOKEN", token, 1),
		// By the address of its model alone gemini-cli refuses to start.
		".gemini/settings.json": `{"security":{"auth":{"selectedType":"gemini-api-key"}}}`,
	} {
		path := filepath.Join(dir, name)
		err = errors.Join(err, os.Mkdir(filepath.Dir(path), 0o700),
			os.WriteFile(path, []byte(text), 0o600))
	}
	// The command is sent back with its result, and is not to be taken for it.
	command = strings.Replace(command, "TOKEN", token[:8]+"''"+token[8:], 1)
	m, err2 := startTrialModel(command, token)
	if err = errors.Join(err, err2); err != nil {
		return t, prog.Errorf(prog.Trouble, "%v", err)
	}
	defer m.close()
	t.Said, t.Failed = a.run(dir, m.address)
	t.Left, _ = os.ReadFile(filepath.Join(dir, "ran"))
	t.Called, t.Told = m.called.Load(), m.told.Load()
	return t, nil
}

// run runs the agent in the folder with the model at the address, and returns its last words.
func (a *Agent) run(dir, address string) (said string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), trialLimit)
	defer cancel()
	ctx, ended := hookrunner.EndedBySignal(ctx)
	defer ended()
	var out bytes.Buffer
	argv := strings.Fields(strings.ReplaceAll(a.Trial, "ADDRESS", address))
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &out
	cmd.Env = append(withoutModels(os.Environ()), "PWD="+dir)
	for _, e := range a.Env {
		cmd.Env = append(cmd.Env, strings.ReplaceAll(joined(e), "ADDRESS", address))
	}
	// A group of its own, so that its children end with it at the time limit.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	err = cmd.Run()
	words := strings.TrimSpace(out.String())
	return style.OneLine(words[max(0, len(words)-300):], 300), prog.Cause(err)
}

// withoutModels returns the environment without variables that name a model's address,
// key or cloud, of which the trial needs none of the user's, and without ours.
func withoutModels(environ []string) []string {
	return slices.DeleteFunc(environ, func(e string) bool {
		return slices.ContainsFunc([]string{"ANTHROPIC_", "OPENAI_", "GEMINI_", "GOOGLE_", "AWS_",
			"AZURE_", "CLAUDE_CODE_USE_", "COPILOT_PROVIDER_", around.EnvSandbox + "="},
			func(prefix string) bool { return strings.HasPrefix(e, prefix) })
	})
}
