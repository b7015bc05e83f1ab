package main

import (
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ua/internal/test/modeltest"
)

// model has a server answer ua with a call of the shell and then some words. It
// returns what tells ua of it.
func (b *bench) model(call string) []string {
	dir := b.t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "model"),
		[]byte("call: "+call+"\n---\ntext: done\n"), 0o644); err != nil {
		b.t.Fatal(err)
	}
	server := httptest.NewServer(modeltest.New(dir))
	b.t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return []string{"ANTHROPIC_BASE_URL=" + server.URL, "UA_MODEL=anthropic/fake",
		"ANTHROPIC_API_KEY=sk-ant-test-key-0123456789"}
}

// agent has a program run by ua, and the same by ua --try on a copy of the tree,
// and compares.
func (b *bench) agent(seed uint64) error {
	plain, work := filepath.Join(b.dir, "plain", fmt.Sprint(seed)),
		filepath.Join(b.dir, "work", fmt.Sprint(seed))
	for _, dir := range []string{plain, work} { // elsewhere the sandbox would hide the program
		if err := errors.Join(os.Mkdir(dir, 0o755), os.Chown(dir, b.uid, b.uid),
			os.Link(b.self, filepath.Join(dir, "self"))); err != nil {
			return err
		}
	}
	if _, err := b.run(b.dir, []string{fmt.Sprintf("%s=%d", envSeed, seed),
		envBuild + "=" + plain + "/tree:" + work + "/tree"}, b.self); err != nil {
		return err
	}
	env := b.model(fmt.Sprintf("cd tree && %s=%d ../self | cksum", envSeed, seed))
	first := snapshot(work+"/tree", true)
	var seen []string
	for _, dir := range []string{plain, work} {
		argv := []string{"ua", "go"}
		if dir == work {
			argv = []string{"ua", "--try", "go"}
		}
		if out, err := b.run(dir, env, argv...); err != nil || out != "done\n" {
			return fmt.Errorf("%q: %w", out, err)
		}
		journal, err := b.run(dir, nil, "ua-journal", "cat", "last")
		if err != nil {
			return err
		}
		_, result, _ := strings.Cut(journal, "<terminal_output>")
		result, _, _ = strings.Cut(result, "</terminal_output>")
		seen = append(seen, result)
	}
	if seen[0] != seen[1] || strings.Contains(seen[0], "No such file") {
		return fmt.Errorf("seen inside: %q", seen)
	}
	if now := snapshot(work+"/tree", true); now != first {
		return fmt.Errorf("the folder has changed before the apply:\n%s", difference(first, now))
	}
	var exit *exec.ExitError
	_, err := b.run(work, nil, "ua-try", "apply")
	if err != nil && (!errors.As(err, &exit) || !strings.Contains(err.Error(), "nothing to apply")) {
		return err
	}
	if got, want := snapshot(work+"/tree", false), snapshot(plain+"/tree", false); got != want {
		return fmt.Errorf("applied:\n%s", difference(want, got))
	}
	if err != nil {
		return nil
	}
	if _, err := b.run(work, nil, "ua", "undo"); err != nil {
		return err
	}
	if now := snapshot(work+"/tree", true); now != first {
		return fmt.Errorf("taken back:\n%s", difference(first, now))
	}
	return nil
}

// Random programs that an agent runs do the same with --try as without.
func TestProgramsAreTheSameUnderUa(t *testing.T) {
	for _, uid := range users() {
		t.Run(fmt.Sprintf("uid %d", uid), func(t *testing.T) {
			t.Parallel()
			b := newBench(t, uid, "ua", "ua-think", "ua-gate", "ua-exec", "ua-journal")
			b.each(15, (*bench).agent)
		})
	}
}
