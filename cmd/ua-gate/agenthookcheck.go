package main

import (
	"bytes"
	"cmp"
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
	"ua/internal/common/style"
)

// checkHook runs the agent as it is configured, in a folder whose policy denies the one
// command that the test model wants. The gate was asked if the model is told the reason
// of the denial and the command has left no trace. Then it is to run a harmless command, of which
// the model is told that it runs in the sandbox: not so if the agent ignores what the hook puts in
// its place.
func checkHook(env *prog.Env, o options, a agent) error {
	const policy = "[[deny]]\npattern = \"touch *\"\nreason = \"a trial of ua-gate, TOKEN\"\n"
	t, err := a.try("touch ran", policy)
	if err != nil {
		return err
	}
	no := func(hint, format string, words ...any) error {
		return prog.Errorf(prog.No, format, words...).
			Hintf("ua-gate hook --install %s%s; its last words were: %s", a.Name, hint, t.said)
	}
	switch {
	case t.left != nil && a.Then != "":
		return prog.Errorf(prog.No, "%s ran a command that ua-gate denies", a.Name).Hintf("%s", a.Then)
	case t.left != nil:
		return no("", "%s ran a command that ua-gate denies", a.Name)
	case t.told:
		env.Printf("%s asked, its command was denied, and it was told why\n", a.Name)
	// The command left no trace, but the model never learnt of a denial.
	case t.called:
		return no("", "%s did not run the command, and did not ask ua-gate either", a.Name)
	default:
		silent := errors.New("it did not ask the test model for anything")
		return prog.Errorf(prog.Trouble, "%s: %v", a.Name, cmp.Or(t.failed, silent)).
			Hintf("its last words were: %s", t.said)
	}
	if !a.Confines || o.noConfine || !confines() {
		return nil
	}
	probe, option := "if [ $"+around.EnvSandbox+" ]; then echo TOKEN; fi", ""
	if o.confine {
		probe, option = "touch ran; "+probe, " --confine"
	}
	if t, err = a.try(probe, ""); err != nil {
		return err
	}
	if !t.told {
		return no(option+", or with --no-confine", "%s ignores what the hook puts in the place of a "+
			"command: it ran nothing in the sandbox", a.Name)
	}
	env.Printf("%s ran a command in the sandbox, as the hook wants\n", a.Name)
	return nil
}

// A trial is what an agent has done with a command that its model wanted.
type trial struct {
	left         []byte // what the file ran holds that the command makes; nil if it is not there
	called, told bool   // whether it was asked to run it, and told of the token
	said         string // its last words
	failed       error
}

// try runs an agent once in a folder of its own with the policy, and with a model that wants
// the command run.
func (a *agent) try(command, policy string) (t trial, err error) {
	if a.Trial == "" {
		return t, prog.Errorf(prog.Trouble,
			"%s can't be given a test model, so it can't be checked", a.Name).
			Hintf("ask it to run a command that your policy denies")
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
	m, err2 := startTrialModel(a.agentTable, command, token)
	if err = errors.Join(err, err2); err != nil {
		return t, prog.Errorf(prog.Trouble, "%v", err)
	}
	defer m.close()
	t.said, t.failed = a.run(dir, m.address)
	t.left, _ = os.ReadFile(filepath.Join(dir, "ran"))
	t.called, t.told = m.called.Load(), m.told.Load()
	return t, nil
}

// run runs the agent in the folder with the model at the address, and returns its last words.
func (a *agent) run(dir, address string) (said string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), trialLimit)
	defer cancel()
	ctx, ended := endedBySignal(ctx)
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
