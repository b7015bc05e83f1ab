package worktree

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"ua/internal/common/config"
	"ua/internal/common/prog"
)

// unsaved reports whether removing the work tree would lose something: a change, a new
// file (even if the user's settings make git hide those) or a repository inside it. Such
// a repository is not examined, because its own settings can start programs and a command
// may have written them.
func unsaved(dir string) (bool, error) {
	changed, err := status(dir, "--untracked-files=normal")
	if err != nil || changed != "" {
		return changed != "", err
	}
	links, err := git(dir, "ls-files", "--stage", "-z")
	if err != nil {
		return false, err
	}
	for entry := range strings.SplitSeq(links, "\x00") {
		_, name, _ := strings.Cut(entry, "\t")
		// Mode 160000 is a submodule (git-ls-files(1), --stage).
		if !strings.HasPrefix(entry, "160000 ") {
			continue
		}
		if inside, err := os.ReadDir(filepath.Join(dir, name)); len(inside) > 0 ||
			err != nil && !errors.Is(err, os.ErrNotExist) {
			return true, nil
		}
	}
	return false, nil
}

// status returns what differs from HEAD in the checkout of a folder. Submodules are not
// examined.
func status(dir string, more ...string) (string, error) {
	args := append([]string{"status", "--porcelain", "--ignore-submodules=dirty"}, more...)
	return git(dir, args...)
}

// git runs git in a folder, "" for the working folder, and returns its output. Hooks and file
// system monitors of the repository are not run. Variables that would direct git elsewhere are
// removed.
func git(dir string, args ...string) (string, error) {
	path := prog.Lookup("git")
	if path == "" {
		return "", errors.New("git was not found outside of folders that commands can write")
	}
	cmd := exec.Command(path, append([]string{"-c", "core.hooksPath=/dev/null",
		"-c", "core.fsmonitor=false", "-c", "gc.auto=0"}, args...)...)
	cmd.Dir = dir
	for _, v := range config.OutsideEnv(os.Environ()) {
		// GIT_DIR and its like name another repository; GIT_CONFIG* is the user's own
		// setting.
		if name, _, _ := strings.Cut(v, "="); !strings.HasPrefix(name, "GIT_") ||
			name == "GIT_EXEC_PATH" || strings.HasPrefix(name, "GIT_CONFIG") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C")
	out, err := cmd.Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		lines := strings.Split(strings.TrimSpace(string(failed.Stderr)), "\n")
		lines = slices.DeleteFunc(lines, func(l string) bool {
			return strings.Contains(l,
				"hint: ")
		})
		return "", errors.New(strings.Join(lines[max(0, len(lines)-1):], ""))
	}
	return strings.TrimSpace(string(out)), err
}
