package worktree

import (
	"cmp"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"ua/internal/common/prog"
)

// A gitIn runs git in a folder, "" for this one, and returns what it printed.
type gitIn func(dir string, args ...string) (string, error)

// unsaved reports whether removing the work tree would lose something: a change, a new
// file, also where the user's settings have git show none, or a repository in it. Nobody looks
// into such a one: its own settings, which a
// command may have written, can start programs.
func unsaved(git gitIn, dir string) (bool, error) {
	changed, err := status(git, dir, "--untracked-files=normal")
	if err != nil || changed != "" {
		return changed != "", err
	}
	links, err := git(dir, "ls-files", "--stage", "-z")
	if err != nil {
		return false, err
	}
	for entry := range strings.SplitSeq(links, "\x00") {
		_, name, _ := strings.Cut(entry, "\t")
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

// status returns what differs from HEAD in the checkout of a folder, without a look
// into submodules.
func status(git gitIn, dir string, more ...string) (string, error) {
	args := append([]string{"status", "--porcelain", "--ignore-submodules=dirty"}, more...)
	return git(dir, args...)
}

// git is the gitIn that runs git itself.
func git(dir string, args ...string) (string, error) { return runGit(nil, dir, args) }

// confined returns the gitIn that runs git where it can write nothing and reach no network: a
// folder that commands have made may have settings by which git starts a program. It starts
// in the folder at, which the sandbox shows, as folders of runs are hidden unless asked for.
func confined(at string) gitIn {
	return func(dir string, args ...string) (string, error) {
		path := prog.Sibling("ua-sandbox")
		if path == "" {
			return "", errors.New("ua-sandbox, which must confine git there, was not found")
		}
		within := []string{path, "--strict", "--root-ok", "--quiet", "--profile", "read-only",
			"--read", dir, "--"}
		return runGit(within, at, append([]string{"-C", dir}, args...))
	}
}

// runGit runs git in a folder by the program that within begins with. No hook and no
// monitor of the repository is run, and no variable turns it elsewhere.
func runGit(within []string, dir string, args []string) (string, error) {
	argv := append(within, cmp.Or(prog.Lookup("git"), "git"), "-c", "core.hooksPath=/dev/null",
		"-c", "core.fsmonitor=false", "-c", "gc.auto=0")
	argv = append(argv, args...)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = dir
	for _, v := range os.Environ() {
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
