package policy

import (
	"path/filepath"
)

// others lists the version control systems besides git by the name of their folder in a
// working tree, with the files there by which they run programs or obey another folder.
// Mercurial and Sapling have hooks, aliases and extensions (hgrc(5)), and the target of a
// share. Jujutsu has settings and the git folder behind it, Breezy has settings, Darcs has
// what it does with each command and when recording, and Pijul has hooks. Working copies of
// Subversion have none of these, but its repositories have hooks. Fossil has one file, a
// database that names the repository with the settings; every commit writes to it.
var others = map[string][]string{
	".hg":    {"hgrc", "hgrc-not-shared", "sharedpath", "requires"},
	".sl":    {"config", "sharedpath", "requires"},
	".jj":    {"repo/config.toml", "repo/store/git_target", "workspace-config.toml"},
	".bzr":   {"branch/branch.conf", "branch/location"},
	"_darcs": {"prefs/defaults", "prefs/prefs"},
	".pijul": {"config", "hooks"},
}

// svnHooks is the folder in a repository of Subversion, beside conf, db, locks and
// format, whose programs a commit to its file: URL runs.
const svnHooks = "hooks"

// protectOthers protects what the trees of other systems in a folder obey.
func (p *Policy) protectOthers(c contents) {
	for _, tree := range c.trees {
		if filepath.Base(tree) == svnHooks {
			p.protect(tree)
		}
		for _, name := range others[filepath.Base(tree)] {
			p.protect(filepath.Join(tree, name))
		}
	}
}
