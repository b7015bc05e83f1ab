//go:build linux

// Package diff shows what a try changed in the way git does: git itself compares both
// sides of each file. What git does not know, such as sockets, whole modes, owners and
// extended attributes, is told in lines that begin with "#".
package diff

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"ua/internal/common/config"
	"ua/internal/common/safefile"
	"ua/internal/common/tree"
)

// A Change is one path with the files of its two sides.
type Change struct {
	Path   string // as it is shown: relative, without "." or ".."
	Status string
	Link   string // the path that it is another link to
	Before *tree.File
	After  *tree.File
	Old    tree.Place // where the file before is
	New    tree.Place // where the file after is
}

// largest is the size in bytes up to which the content of files is compared. Of larger
// ones git is given a line with size and time, so that they differ if these do.
const largest = 64 << 20

// ErrNoGit is the error for a machine without git.
var ErrNoGit = errors.New("git is not installed")

// Git writes to w what git's diff-tree, with these options, says of the changes. scratch
// is a folder in which a temporary repository is made. If it has no room for one, as on a
// disk that the try has filled, the repository is made in TMPDIR.
func Git(w io.Writer, scratch string, changes []Change, options ...string) error {
	git, err := config.LookOutside("git")
	if err != nil {
		return ErrNoGit
	}
	r := repository{git: git}
	defer func() { os.RemoveAll(r.dir) }()
	if first := r.load(scratch, changes); first != nil {
		os.RemoveAll(r.dir)
		if r.load(os.TempDir(), changes) != nil {
			return first
		}
	}
	args := append([]string{"-c", "core.quotePath=true", "diff-tree", "-r", "--no-ext-diff",
		"--no-textconv", "-M", "-l0"}, options...)
	return r.run(nil, w, append(args, "refs/heads/before", "refs/heads/after")...)
}

// load makes the repository in the folder and both sides in it.
func (r *repository) load(folder string, changes []Change) (err error) {
	if r.dir, err = os.MkdirTemp(folder, "diff"); err != nil {
		return err
	}
	if err := r.run(nil, nil, "init", "-q", "--bare", "--template=", r.dir); err != nil {
		return err
	}
	in, out := io.Pipe()
	// git reads one end while the two sides are written to the other.
	go func() {
		b := bufio.NewWriterSize(out, 1<<16)
		err := errors.Join(commit(b, "before", changes, before), commit(b, "after", changes, after),
			b.Flush())
		out.CloseWithError(err)
	}()
	err = r.run(in, nil, "-c", "core.compression=0", "fast-import", "--quiet", "--force")
	if err != nil {
		in.CloseWithError(err)
	}
	return err
}

// A repository is a bare repository that nobody's settings reach. git also reads no
// .gitattributes without a working tree, by which a file could hide changes.
type repository struct{ git, dir string }

// run runs git in the repository. The error has the first line that git said.
func (r repository) run(in io.Reader, out io.Writer, args ...string) error {
	cmd := exec.Command(r.git, args...)
	cmd.Dir = r.dir
	// Variables of git and files in the home folder could change what git prints.
	for _, kv := range config.OutsideEnv(config.WithoutKeys(os.Environ())) {
		if !strings.HasPrefix(kv, "GIT_") && !strings.HasPrefix(kv, "HOME=") &&
			!strings.HasPrefix(kv, "XDG_CONFIG_HOME=") {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	cmd.Env = append(cmd.Env, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_ATTR_NOSYSTEM=1", "HOME="+r.dir, "LC_ALL=C")
	// git init makes the folder that GIT_DIR names later.
	if args[0] != "init" {
		cmd.Env = append(cmd.Env, "GIT_DIR="+r.dir)
	}
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, &stderr
	if err := cmd.Run(); err != nil {
		first, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n")
		return fmt.Errorf("git: %w: %s", err, first)
	}
	return nil
}

// before returns a change's file before it, and where that is.
func before(c *Change) (*tree.File, tree.Place) { return c.Before, c.Old }
func after(c *Change) (*tree.File, tree.Place)  { return c.After, c.New }

// commit writes one side of the changes as a commit (git-fast-import(1)).
func commit(w *bufio.Writer, branch string, changes []Change,
	side func(*Change) (*tree.File, tree.Place)) error {
	fmt.Fprintf(w, "commit refs/heads/%s\ncommitter ua-try <> 0 +0000\ndata 0\n", branch)
	for i := range changes {
		f, path := side(&changes[i])
		if f == nil || path.Root == nil {
			continue
		}
		mode, text, err := content(f, path)
		if err != nil {
			return err
		}
		if mode == "" {
			continue
		}
		fmt.Fprintf(w, "M %s inline %s\ndata %d\n", mode, quote(changes[i].Path), len(text))
		w.Write(text)
		w.WriteByte('\n')
	}
	return nil
}

// content returns the mode and the bytes that git keeps of a file. The mode is "" for a
// file that git does not keep.
func content(f *tree.File, path tree.Place) (mode string, text []byte, err error) {
	switch f.Type {
	case tree.Symlink:
		return "120000", []byte(f.Target), nil
	case tree.Regular:
	default:
		return "", nil, nil
	}
	mode = "100644"
	if f.Mode&0o100 != 0 {
		mode = "100755"
	}
	text, err = path.Read(largest)
	switch {
	case errors.Is(err, safefile.ErrTooLarge), errors.Is(err, os.ErrPermission):
		return mode, fmt.Appendf(nil, "\x00%d bytes of %d", f.Size, f.Mtime), nil
	case errors.Is(err, os.ErrNotExist), errors.Is(err, tree.ErrKind),
		errors.Is(err, unix.ENOTDIR), errors.Is(err, unix.ELOOP):
		return "", nil, nil // the folder lives: it is gone by now
	}
	return mode, text, err
}

// quote returns a path as git-fast-import(1) reads it.
func quote(path string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range []byte(path) {
		if c < ' ' || c == '"' || c == '\\' || c == 0x7f {
			fmt.Fprintf(&b, `\%03o`, c)
		} else {
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// Relative returns a path as it is shown: relative to the try's working folder if it lies
// below, and otherwise without the first slash.
func Relative(full, cwd string) string {
	if rel, err := filepath.Rel(cwd, full); err == nil && rel != ".." &&
		!strings.HasPrefix(rel, "../") {
		return rel
	}
	return strings.TrimPrefix(full, "/")
}
