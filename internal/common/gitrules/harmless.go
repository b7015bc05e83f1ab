package gitrules

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// harmless lists, by section, the settings with which git runs nothing and obeys no other
// file; "*" stands for any subsection. Git and its front ends write most of them
// themselves, in a clone, a submodule or a linked worktree. Where there is no repository
// the table is never made.
var harmless = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"core": `repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode
symlinks worktree autocrlf eol safecrlf abbrev quotepath sharedrepository sparsecheckout
sparsecheckoutcone compression bigfilethreshold untrackedcache commentchar protecthfs protectntfs
longpaths preloadindex multipackindex commitgraph splitindex trustctime checkstat hidedotfiles
whitespace fscache`,
		"extensions": `objectformat compatobjectformat partialclone worktreeconfig refstorage noop
relativeworktrees preciousobjects`,
		"remote.*": `url pushurl fetch push tagopt prune prunetags mirror skipdefaultupdate skipfetchall
promisor partialclonefilter gh-resolved followremotehead`,
		"remote": "pushdefault",
		"branch.*": `remote merge pushremote rebase description vscode-merge-base gh-merge-base
github-pr-owner-number`,
		"branch":      "autosetupmerge autosetuprebase sort",
		"submodule.*": "url active branch ignore update fetchrecursesubmodules",
		"submodule":   "active recurse fetchjobs",
		"user":        "name email signingkey useconfigonly",
		"author":      "name email",
		"committer":   "name email",
		"init":        "defaultbranch",
		"pull":        "rebase ff",
		"push":        "default autosetupremote followtags",
		"fetch":       "prune prunetags parallel writecommitgraph",
		"commit":      "gpgsign verbose status cleanup",
		"tag":         "gpgsign sort",
		"merge":       "ff conflictstyle log stat renames",
		"diff":        "renames algorithm colormoved noprefix mnemonicprefix submodule",
		"rebase":      "autostash autosquash stat updaterefs",
		"rerere":      "enabled autoupdate",
		"log":         "date decorate follow",
		"status":      "short branch showuntrackedfiles submodulesummary",
		"index":       "version threads sparse skiphash",
		"gc":          "auto autodetach autopacklimit",
		"maintenance": "auto strategy",
		"feature":     "manyfiles experimental",
		"receive":     "denycurrentbranch denynonfastforwards denydeletes",
		"http":        "postbuffer lowspeedlimit lowspeedtime version",
		"color":       "ui",
		"advice":      "detachedhead",
		"lfs":         "repositoryformatversion",
		"lfs.*":       "access",
	}
})

// largeFiles returns the values of a setting that "git lfs install --local" writes
// (git-lfs-install(1)). With these, git runs a program of the user's that is found on
// PATH; with any other value it would run something else.
func largeFiles(name string) []string {
	switch name {
	case "filter.lfs.clean":
		return []string{"git-lfs clean -- %f"}
	case "filter.lfs.smudge":
		return []string{"git-lfs smudge -- %f", "git-lfs smudge --skip -- %f"}
	case "filter.lfs.process":
		return []string{"git-lfs filter-process", "git-lfs filter-process --skip"}
	case "filter.lfs.required":
		return []string{"true"}
	}
	return nil
}

// Obeys returns the name of the first setting that could make git run a program or obey
// another file, or "" if there is none. Every name that is not known to be harmless
// counts. A working tree elsewhere is harmless if inside says so.
func Obeys(list []Setting, inside func(tree string) bool) string {
	for _, s := range list {
		if !s.harmless(inside) {
			return s.Name
		}
	}
	return ""
}

// Harmless returns a config file with only those settings that Obeys would not name.
func Harmless(list []Setting, inside func(tree string) bool) []byte {
	escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`, "\b", `\b`)
	var b bytes.Buffer
	for _, s := range list {
		if !s.harmless(inside) {
			continue
		}
		section, key := s.split()
		name, sub, ok := strings.Cut(section, ".")
		if ok {
			name += ` "` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(sub) + `"`
		}
		fmt.Fprintf(&b, "[%s]\n\t%s", name, key)
		if !s.True {
			fmt.Fprintf(&b, ` = "%s"`, escape.Replace(s.Value))
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// Harmless reports whether Obeys would not name the setting, with any working tree.
func (s Setting) Harmless() bool { return s.harmless(func(string) bool { return true }) }

// split splits a name into section, with subsection, and variable.
func (s Setting) split() (section, key string) {
	last := strings.LastIndexByte(s.Name, '.')
	return s.Name[:max(last, 0)], s.Name[last+1:]
}

// harmless reports whether the setting makes git run nothing and obey nothing else.
func (s Setting) harmless(inside func(string) bool) bool {
	if slices.Contains(largeFiles(s.Name), s.Value) {
		return true
	}
	section, key := s.split()
	if first := strings.IndexByte(section, '.'); first >= 0 {
		section = section[:first] + ".*"
	}
	if !slices.Contains(strings.Fields(harmless()[section]), key) {
		return false
	}
	switch {
	case section == "core" && key == "worktree":
		return inside(s.Value)
	// ext::command runs a command and helper::address a helper program
	// (gitremote-helpers(7)).
	case key == "url" || key == "pushurl": // ext::command, helper::address
		return !strings.Contains(s.Value, "::") && !strings.HasPrefix(s.Value, "-")
	// submodule.*.update = !command runs the command.
	case key == "update":
		return !strings.HasPrefix(s.Value, "!")
	}
	return true
}
