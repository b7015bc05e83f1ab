package runner

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-try/internal/landing"
	"ua/cmd/ua-try/internal/manifest"
	"ua/cmd/ua-try/internal/overlay"
	"ua/cmd/ua-try/internal/try"
	"ua/internal/common/confine"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/tree"
)

// A place is where a try's folder can be.
type place struct {
	dir  string // "" is the state folder
	out  string // the folder that -o names
	note string // what a person is told of it

	earlier *try.Try // whose place it is
}

// places returns where the changes in the covered folders could be kept, best first, or in
// the folder out, and why the state folder is not among them.
func places(covers []string, out string) (list []place, skipped string) {
	if out != "" {
		out, err := filepath.Abs(out)
		if err == nil {
			err = unfit(out, covers)
		}
		if err != nil {
			return nil, err.Error()
		}
		return []place{{out: out}}, ""
	}
	mine := fmt.Sprintf("ua-tries-%d", os.Geteuid())
	err := unfit(try.Root(), covers)
	if err == nil {
		list = append(list, place{})
	} else {
		skipped = err.Error()
	}
	// Beside the covered folder first: an apply there mostly needs only renames.
	for _, parent := range []string{filepath.Dir(covers[0]), "/var/tmp", "/dev/shm"} {
		dir := filepath.Join(parent, mine)
		if parent == filepath.Dir(covers[0]) {
			dir = filepath.Join(parent, "."+mine)
		}
		if unfit(dir, covers) == nil {
			list = append(list, place{dir: dir,
				note: fmt.Sprintf("the changes are kept in %s: %s", dir, skipped)})
		}
	}
	return list, skipped
}

// unfit returns why the layers of the covers cannot be in a folder, nil if they can.
func unfit(dir string, covers []string) error {
	there := dir // or what there is of the way to it
	real, err := filepath.EvalSymlinks(there)
	for err != nil && there != "/" {
		there = filepath.Dir(there)
		real, err = filepath.EvalSymlinks(there)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", dir, tree.Cause(err))
	}
	full := filepath.Join(real, strings.TrimPrefix(dir, there))
	if slices.ContainsFunc(covers, func(c string) bool { return confine.Under(full, c) }) {
		return fmt.Errorf("%s lies in a folder that is covered", dir)
	}
	var fs unix.Statfs_t
	if err := unix.Statfs(real, &fs); err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	if uint32(fs.Type) == unix.OVERLAYFS_SUPER_MAGIC {
		return fmt.Errorf("%s is on an overlay, which can't be the upper layer of another", dir)
	}
	if err := unix.Access(real, unix.W_OK|unix.X_OK); err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	if there == dir {
		return try.Owned(dir)
	}
	return nil
}

// prepare makes the try's folder, takes its lock and writes try.json.
func (r *runner) prepare(place place) (err error) {
	if place.earlier != nil {
		return r.reopen(place.earlier)
	}
	r.try, r.lock = nil, nil
	t, err := try.New(place.dir, place.out)
	if err != nil {
		return &overlay.Refusal{Step: "the try's folder", Err: err}
	}
	r.try = t
	if r.lock, err = t.Lock(); err != nil {
		return prog.Errorf(prog.NotConfined, "the try's folder: %w", err)
	}
	for _, word := range r.command {
		t.Command = append(t.Command, tree.Name(word))
	}
	t.Title = tree.Name(os.Getenv(run.EnvTryTitle))
	t.Cwd, t.Xattrs = tree.Name(r.covers[0]), "trusted"
	if dir, err := syscall.Getwd(); err == nil {
		t.Cwd = tree.Name(dir)
	}
	// There an overlay can only use user.* attributes (overlayfs.rst, userxattr).
	if inUserNamespace() {
		t.Xattrs = "user"
	}
	for i, path := range r.covers {
		c, err := layer(t, i, path)
		if err != nil {
			return prog.Errorf(prog.NotConfined, "%s: %w", path, err)
		}
		t.Covers = append(t.Covers, c)
	}
	if t.Began, err = now(t.Path("lock")); err == nil {
		err = t.Save()
	}
	if err == nil {
		err = relink(t.Dir, r.o.Link)
	}
	if err != nil {
		return prog.Errorf(prog.NotConfined, "the try's folder: %w", err)
	}
	return nil
}

// earlier returns the try that the command goes on in, locked, and nil for a new one. A try
// that is gone or applied, or is of other folders, is told.
func (r *runner) earlier() (t *try.Try, err error) {
	if r.o.Continue == "" {
		return nil, nil
	}
	if t, err = try.Find(r.o.Continue); err != nil {
		r.env.Warnf("%v: the command gets a new try", err)
		return nil, nil
	}
	if r.lock, err = t.Claim(); err != nil {
		return nil, err
	}
	plans, err := landing.Plans(t)
	why := "is of other folders"
	if slices.EqualFunc(t.Covers, r.covers, func(c try.Cover, path string) bool {
		return string(c.Path) == path
	}) {
		why = ""
	}
	if len(plans) > 0 { // also if that was taken back: the files in the folder are others now
		why = "was applied"
	}
	if err == nil && why == "" {
		return t, nil
	}
	r.lock.Close()
	if err == nil {
		r.env.Warnf("%s %s: the command gets a new try", t.ID, why)
	}
	return nil, err
}

// reopen has the command go on in a try. What has changed is worked out anew at its end.
func (r *runner) reopen(t *try.Try) error {
	r.try, r.ended = t, cmp.Or(t.End(), &try.End{})
	// Of a command that was killed this is left to do. The kernel does not take its folders.
	_, err := manifest.Load(t)
	if err = errors.Join(err, manifest.Tidy(t)); err != nil {
		return prog.Errorf(prog.NotConfined, "the try's folder: %w", err)
	}
	for i := range t.Covers {
		if err := os.MkdirAll(t.Work(i), 0o700); err != nil {
			return prog.Errorf(prog.NotConfined, "the try's folder: %w", err)
		}
	}
	if err = errors.Join(os.Remove(t.Path(try.ManifestFile)), relink(t.Dir, r.o.Link)); err != nil {
		return prog.Errorf(prog.NotConfined, "the try's folder: %w", err)
	}
	return nil
}

// relink makes path, unless it is "", a link to the try's folder. It replaces a link, and
// nothing else.
func relink(dir, path string) error {
	if path == "" {
		return nil
	}
	if f, err := tree.Lstat(path); err != nil || f != nil && f.Type != tree.Symlink {
		return errors.Join(err, fmt.Errorf("--link %q: %w", path, unix.EEXIST))
	}
	spare := path + ".new"
	_ = unix.Unlink(spare)
	if err := os.Symlink(dir, spare); err != nil {
		return err
	}
	return os.Rename(spare, path)
}

// layer makes the folders of a cover. The root of the view is the upper folder, so that
// one has to look like the folder below.
func layer(t *try.Try, i int, path string) (try.Cover, error) {
	c := try.Cover{Path: tree.Name(path), Layer: "layers/" + strconv.Itoa(i)}
	real, err := tree.Open(path)
	if err != nil {
		return c, err
	}
	defer real.Close()
	f, err := real.At(".").Lstat()
	if err != nil {
		return c, err
	}
	c.Coarse = f.Ctime%1e9 == 0 && f.Mtime%1e9 == 0
	if err := errors.Join(os.MkdirAll(t.Layer(i), 0o700), os.Mkdir(t.Work(i), 0o700),
		os.Mkdir(t.Upper(i), 0o700)); err != nil {
		return c, err
	}
	attributes, err := real.At(".").Attributes()
	if err != nil {
		return c, err
	}
	upper, err := tree.Open(t.Upper(i))
	if err != nil {
		return c, err
	}
	defer upper.Close()
	err = upper.At(".").Apply(nil, f, attributes)
	// another's folder: what the command sees is its mode, under this user's name
	if errors.Is(err, unix.EPERM) {
		err = upper.At(".").Chmod(nil, f.Mode|0o700)
	}
	return c, err
}

// now returns the present time of the file system's clock. A change after it has a later
// ctime than a change before: the kernel gives fine times to files that were looked at
// (multigrain timestamps, Linux 6.13), and before that it takes a tick of the clock.
func now(path string) (tree.Stamp, error) {
	var first tree.Stamp
	for range 100 {
		if err := unix.UtimesNanoAt(unix.AT_FDCWD, path, nil, 0); err != nil {
			return 0, err
		}
		f, err := tree.Lstat(path)
		if err != nil || f == nil {
			return 0, errors.Join(err, unix.ENOENT)
		}
		if first != 0 && f.Ctime != first {
			return f.Ctime, nil
		}
		if first != 0 {
			time.Sleep(time.Millisecond / 2)
		}
		first = f.Ctime
	}
	return first, nil // a file system that keeps seconds
}
