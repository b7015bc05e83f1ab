package plain

import (
	"bytes"
	"os"
	"path/filepath"
)

// harmlessSettings is the form of the lines of a repository's settings of which none names a
// program, another file of settings or a remote from which objects are fetched when they are read.
var harmlessSettings = form(`(?i)^\s*(?:[#;].*|\[core\]|\[(?:remote|branch) "[^"\\]*"\]|` +
	`\[(?:user|pull|push|init|fetch|lfs|gc)\]|(?:repositoryformatversion *= *0|filemode|` +
	`bare *= *false|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|safecrlf|eol|` +
	`quotepath|longpaths|url|pushurl|fetch|remote|merge|rebase|gh-resolved|vscode-merge-base|` +
	`gh-merge-base|github-pr-owner-number|tagopt|name|email|signingkey|default|defaultbranch|` +
	`autosetupremote|ff|prune|auto)\b[^\\]*)?$`)

// startsPrograms reports whether reading from the repository around a folder may start a program
// that its settings or hooks name, as far as that can't be ruled out.
func startsPrograms(dir string) bool {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	} else if dir == "" || !os.IsNotExist(err) {
		return true
	}
	for {
		git := filepath.Join(dir, ".git")
		if info, err := os.Lstat(git); err == nil {
			return !info.IsDir() || !quiet(git)
		}
		if _, err := os.Stat(filepath.Join(dir, "HEAD")); err == nil {
			return true // it may be a repository by itself, which came with the project
		}
		if dir == filepath.Dir(dir) {
			return false // git finds none
		}
		dir = filepath.Dir(dir)
	}
}

// quiet reports whether the folder .git has only harmless settings, no hook that reading runs,
// and no repository inside of the repository.
func quiet(git string) bool {
	for _, name := range []string{"HEAD", "objects", "refs"} { // without which git looks elsewhere
		if _, err := os.Stat(filepath.Join(git, name)); err != nil {
			return false
		}
	}
	settings, err := os.ReadFile(filepath.Join(git, "config"))
	if err != nil {
		return false
	}
	for line := range bytes.Lines(settings) {
		if !harmlessSettings().Match(bytes.TrimRight(line, "\r\n")) {
			return false
		}
	}
	for _, name := range []string{"config.worktree", "commondir", "modules",
		"hooks/post-index-change"} {
		if _, err := os.Lstat(filepath.Join(git, name)); !os.IsNotExist(err) {
			return false
		}
	}
	index, err := os.ReadFile(filepath.Join(git, "index"))
	// The mode of a repository inside, and an index that goes on elsewhere.
	return os.IsNotExist(err) || err == nil &&
		!bytes.Contains(index, []byte("\x00\x00\xe0\x00")) &&
		!bytes.Contains(index, []byte("link\x00\x00\x00"))
}
