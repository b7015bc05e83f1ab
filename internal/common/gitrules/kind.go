package gitrules

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"path"
	"slices"
	"strings"
)

// A Kind says what a file is to git, by its place in a git folder.
type Kind int

// The kinds. What has no other kind is Unknown.
const (
	Unknown    Kind = iota
	Data            // git only reads it, or it is a log
	Ref             // names a commit, or another ref
	PackedRefs      // names many
	Object          // a loose object
	Large           // a file of git-lfs(1), by the hash of what it holds
	Pack            // a pack or what belongs to one
	Derived         // what git can make again from objects, and believes
	Index           // the index, whole or a part of it
	Config          // a config file
	Hooks           // a program that git runs
	Pointer         // leads to another folder, or gives files attributes
	Todo            // the rest of a rebase, which may run commands
	Options         // those of a merge, rebase, cherry-pick or am that is not over
	InFlight        // a lock or a file that is being written
)

// dataFolders are those with nothing but data below them, beside that of logs.
var dataFolders = []string{"rr-cache", "lfs", "rebase-apply", "rebase-merge",
	"NOTES_MERGE_WORKTREE"}

// KindOf returns the kind of the file at a path in a git folder, and the part of the path
// that leads to the git folder that it is in: "" or that of a module or a linked worktree
// with a slash behind it. Names of modules may contain slashes, which is why own says which
// folders are git folders themselves.
func KindOf(name string, own func(dir string) bool) (kind Kind, owner string) {
	first, rest, below := strings.Cut(name, "/")
	switch {
	case first == "worktrees" && strings.Contains(rest, "/"):
		id, rest, _ := strings.Cut(rest, "/")
		at := "worktrees/" + id + "/"
		if !strings.HasPrefix(rest, "modules/") {
			return kindIn(rest), at
		}
		kind, inner := KindOf(rest, func(d string) bool { return own(at + d) })
		return kind, at + inner
	case first == "modules" && below:
		for at, c := range rest {
			if dir := rest[:at]; c == '/' && own("modules/"+dir) {
				kind, inner := KindOf(rest[at+1:],
					func(d string) bool { return own("modules/" + dir + "/" + d) })
				return kind, "modules/" + dir + "/" + inner
			}
		}
		return Unknown, ""
	}
	return kindIn(name), ""
}

// kindIn returns the kind of a file by its path in its own git folder.
func kindIn(name string) Kind {
	first, rest, below := strings.Cut(name, "/")
	base := path.Base(name)
	switch {
	case strings.HasSuffix(base, ".lock"), name == "packed-refs.new", first == "gc.pid":
		return InFlight
	case first == "refs" && below, name == "HEAD":
		return Ref
	case first == "logs" && below:
		return logKind(rest)
	case strings.HasPrefix(base, "tmp_"), strings.HasPrefix(base, ".tmp-"),
		strings.HasPrefix(base, "incoming-"):
		return InFlight
	case name == "config", name == "config.worktree":
		return Config
	case first == "hooks":
		return Hooks
	case name == "index", strings.HasPrefix(name, "sharedindex."):
		return Index
	case name == "packed-refs":
		return PackedRefs
	case name == "rebase-merge/git-rebase-todo", name == "rebase-merge/git-rebase-todo.backup",
		name == "sequencer/todo":
		return Todo
	case name == "rebase-merge/strategy", name == "sequencer/opts",
		name == "rebase-apply/apply-opt", name == "MERGE_RR":
		return Options
	case name == "commondir", name == "gitdir", name == "info/attributes", name == "info/grafts",
		name == "objects/info/alternates", name == "objects/info/http-alternates":
		return Pointer
	case first == "objects":
		return objectKind(rest)
	case strings.HasPrefix(name, "lfs/objects/") && len(base) == 64 && isHex(base):
		return Large
	case slices.Contains(dataFolders, first) && strings.EqualFold(base, "HEAD"):
		return Unknown // git could take the folder for a git folder, and obey what is in it
	case name == "info/exclude", name == "info/sparse-checkout", name == "info/refs",
		name == "sequencer/head", name == "sequencer/abort-safety",
		name == "description", name == "shallow", name == "locked", name == "gc.log",
		!below && isUpper(name), slices.Contains(dataFolders, first) && below:
		return Data
	}
	return Unknown
}

// logKind returns the kind of a file by its path in the folder of logs. A log is a HEAD for git,
// too, so beside one must be nothing else that a git folder has.
func logKind(name string) Kind {
	switch {
	case name == "HEAD":
		return Data
	case !strings.HasPrefix(name, "refs/"):
		return Unknown
	case strings.EqualFold(path.Base(name), "HEAD"):
		return Derived // of a remote
	}
	return Data
}

// packParts are the ends of the names of a pack and of what belongs to it. Their beginning is
// "pack-" or "loose-" for git, and means nothing to it.
var packParts = []string{".pack", ".idx", ".rev", ".bitmap", ".mtimes", ".promisor", ".keep"}

// objectKind returns the kind of a file by its path in the folder of objects.
func objectKind(name string) Kind {
	dir, base, _ := strings.Cut(name, "/")
	switch {
	case len(dir) == 2 && isHex(dir) && isHash(dir+base):
		return Object
	case dir == "pack" && (strings.HasPrefix(base, "multi-pack-index") ||
		strings.HasSuffix(base, ".rev") || strings.HasSuffix(base, ".bitmap")),
		strings.HasPrefix(name, "info/commit-graph"), name == "info/packs":
		return Derived
	case dir == "pack" && slices.Contains(packParts, path.Ext(base)):
		return Pack
	}
	return Unknown
}

// isUpper reports whether a name is one of git's own like MERGE_HEAD and COMMIT_EDITMSG.
func isUpper(name string) bool {
	return name != "" && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == ""
}

// isHash reports whether a word is the name of an object, with SHA-1 or SHA-256.
func isHash(word string) bool { return (len(word) == 40 || len(word) == 64) && isHex(word) }

func isHex(word string) bool { return strings.Trim(word, "0123456789abcdef") == "" }

// runsNothing are the commands of a rebase's todo that run no program.
var runsNothing = []string{"pick", "p", "reword", "r", "edit", "e", "squash", "s", "fixup", "f",
	"drop", "d", "label", "l", "reset", "t", "merge", "m", "break", "b", "noop", "update-ref", "u",
	"revert"}

// TodoLines returns the first line of a rebase's todo that could run a program, or "", and the
// other lines.
func TodoLines(text []byte) (why string, rest []byte) {
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0, words[0][0] == '#', slices.Contains(runsNothing, words[0]):
			rest = append(rest, line...)
		case why == "":
			why = strings.TrimSpace(line)
		}
	}
	return why, rest
}

// New returns the first setting of a config that makes git run a program or obey another
// file and that the config did not have before, or "" if there is none. Text that git would
// refuse is an error.
func New(before, now []byte, inside func(tree string) bool) (string, error) {
	had, _ := Settings(before)
	list, err := Settings(now)
	if err != nil {
		return "", err
	}
	if before != nil && sizeBy(had) != sizeBy(list) {
		return "extensions.objectformat", nil
	}
	if before != nil && partial(list) && !partial(had) {
		return "remote.promisor", nil
	}
	list = slices.DeleteFunc(list, func(s Setting) bool { return slices.Contains(had, s) })
	return Obeys(list, inside), nil
}

// partial reports whether by settings a remote has what is missing here (git-clone(1), --filter):
// then git packs no object anew to which a pack from there leads, and deletes it.
func partial(list []Setting) bool {
	return slices.ContainsFunc(list, func(s Setting) bool {
		return s.Name == "extensions.partialclone" ||
			strings.HasPrefix(s.Name, "remote.") && strings.HasSuffix(s.Name, ".promisor")
	})
}

// sizeBy returns the size of the names of objects by settings.
func sizeBy(list []Setting) int {
	size := sha1.Size
	for _, s := range list {
		if s.Name == "extensions.objectformat" && strings.EqualFold(s.Value, "sha256") {
			size = sha256.Size
		}
	}
	return size
}

// runs says what git would do by the options of a merge, rebase, cherry-pick or am, or "".
func runs(name string, text []byte) string {
	switch {
	case name == "MERGE_RR": // git-rerere(1), which follows links in the working tree
		if len(text) > 0 {
			return "git would copy the files that it names into the repository"
		}
	case path.Base(name) == "apply-opt": // git-apply(1) --build-fake-ancestor, or shorter
		if bytes.Contains(text, []byte("--bu")) {
			return "git would write a file that it names"
		}
	case bytes.IndexByte(text, '/') >= 0: // git-merge-STRATEGY
		return "git would run a program that it names by its path"
	}
	return ""
}
