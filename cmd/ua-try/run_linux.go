package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-try/internal/overlay"
	"ua/cmd/ua-try/internal/tree"
	"ua/cmd/ua-try/internal/try"
	"ua/internal/common/chain"
	"ua/internal/common/confine"
	"ua/internal/common/prog"
	agent "ua/internal/common/run"
)

// A parent is the stage outside: it makes the try's folder, starts init, which
// shows the command its view, and afterwards writes down what changed.
type parent struct {
	env     *prog.Env
	o       *options
	command []string
	covers  []string
	asis    []string
	own     []string // what is excepted, wherever it lies
	try     *try.Try
	lock    *os.File
}

// runTry runs the command in a try.
func runTry(env *prog.Env, o *options, command []string) error {
	p := &parent{env: env, o: o, command: command}
	if confine.Inside() != "" {
		return refuse("inside ua-sandbox nothing can be mounted (landlock(7))").Hintf("put ua-try outside: ua-try " +
			"-- ua-sandbox -- command; with ua, --try of the outermost run, which its agents share")
	}
	if err := p.plan(); err != nil {
		return err
	}
	signals := chain.Catch()
	status, err := p.descend(signals)
	if err != nil {
		return err
	}
	return chain.Exit(status)
}

// plan works out which folders are covered.
func (p *parent) plan() error {
	dir, err := syscall.Getwd() // the kernel's word: what PWD names may be another folder by now
	if err != nil {
		return usage("working directory: %w", err)
	}
	dirs := []string{dir}
	for _, d := range p.o.dirs {
		real, err := folder(d)
		if err != nil {
			return usage("--dir %q: %w", d, cause(err))
		}
		dirs = append(dirs, real)
	}
	if slices.Contains(dirs, "/") {
		return refuse("/: the whole machine can't be covered").Hintf("run it in a folder; --dir PATH " +
			"adds others")
	}
	if p.covers, p.asis, err = overlay.Plan(dirs); err != nil {
		return refuse("%w", err).Hintf("unmount it, or run the command in a folder without it")
	}
	for _, d := range p.o.except {
		real, err := filepath.EvalSymlinks(d)
		if err == nil {
			real, err = filepath.Abs(real)
		}
		if err != nil {
			return usage("--except %q: %w", d, cause(err))
		}
		p.own = append(p.own, real)
		if slices.ContainsFunc(p.covers, func(c string) bool { return strings.HasPrefix(real, c+"/") }) {
			p.asis = append(p.asis, real)
		}
	}
	slices.Sort(p.asis) // outer ones first
	return nil
}

// folder returns the absolute path, without links, of a folder.
func folder(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil {
		return "", err
	}
	info, err := os.Stat(real)
	if err == nil && !info.IsDir() {
		err = unix.ENOTDIR
	}
	return real, err
}

func cause(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// descend runs the command with its changes kept in the first place that the
// kernel takes.
func (p *parent) descend(signals <-chan os.Signal) (unix.WaitStatus, error) {
	places, skipped := p.places()
	var first error
	for _, place := range places {
		r, err := p.attempt(place, signals)
		var refused *overlay.Refusal
		if !errors.As(err, &refused) {
			return r, err
		}
		if first == nil {
			first = refused
		}
		if p.try != nil && !elsewhere(err) { // another place would not help
			break
		}
	}
	if first == nil {
		first = fmt.Errorf("no place for the changes: %s", skipped)
	}
	return 0, refuse("%w", first).Hintf("%s", mend(first, p.asis, p.covers))
}

// elsewhere reports whether a refusal may be the place's, not the system's.
func elsewhere(err error) bool {
	for _, errno := range []error{unix.EINVAL, unix.ELOOP, unix.ENOSPC, unix.EOPNOTSUPP} {
		if errors.Is(err, errno) {
			return true
		}
	}
	return false
}

// attempt runs the command with its changes kept in one place.
func (p *parent) attempt(place place, signals <-chan os.Signal) (status unix.WaitStatus,
	err error) {
	if err := p.prepare(place); err != nil {
		return 0, err
	}
	runtime.LockOSThread() // init ends with the thread that starts it
	in, pid, err := p.start()
	if err == nil {
		go forward(pid, signals)
		status, err = p.follow(in, pid, place)
	}
	if err != nil {
		p.lock.Close()
		return 0, errors.Join(err, p.try.Drop())
	}
	return status, nil
}

// prepare makes the try's folder.
func (p *parent) prepare(place place) (err error) {
	t, err := try.New(place.dir, place.out)
	if err != nil {
		return &overlay.Refusal{Step: "the try's folder", Err: err}
	}
	p.try = t
	if p.lock, err = t.Lock(); err != nil {
		return prog.Errorf(prog.NotConfined, "the try's folder: %w", err)
	}
	for _, word := range p.command {
		t.Command = append(t.Command, tree.Name(word))
	}
	t.Title = tree.Name(os.Getenv(agent.EnvTryTitle))
	t.Cwd, t.Xattrs = tree.Name(p.covers[0]), "trusted"
	if dir, err := syscall.Getwd(); err == nil {
		t.Cwd = tree.Name(dir)
	}
	if inUserNamespace() {
		t.Xattrs = "user"
	}
	for i, path := range p.covers {
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
		err = p.o.tell(t.Dir)
	}
	if err != nil {
		return prog.Errorf(prog.NotConfined, "the try's folder: %w", err)
	}
	return nil
}

// tell says where the try is, in the ways that were asked for.
func (o *options) tell(dir string) error {
	if o.tryFD >= 0 {
		if _, err := unix.Write(o.tryFD, []byte(dir+"\x00")); err != nil {
			return fmt.Errorf("--try-fd: %w", err)
		}
	}
	if o.link == "" {
		return nil
	}
	return relink(dir, o.link)
}

// relink makes path a link to the try, in place of one to another.
func relink(dir, path string) error {
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

// layer makes the folders of a cover. The view's own root folder is the upper
// one, so that has to look like the folder below.
func layer(t *try.Try, i int, path string) (try.Cover, error) {
	c := try.Cover{Path: tree.Name(path), Layer: "layers/" + strconv.Itoa(i)}
	f, err := tree.Lstat(path)
	if err == nil && f == nil {
		err = unix.ENOENT
	}
	if err != nil {
		return c, err
	}
	c.Coarse = f.Ctime%1e9 == 0 && f.Mtime%1e9 == 0
	if err := errors.Join(os.MkdirAll(t.Layer(i), 0o700), os.Mkdir(t.Work(i), 0o700),
		os.Mkdir(t.Upper(i), 0o700)); err != nil {
		return c, err
	}
	attributes, err := tree.AttributesOf(path)
	if err == nil {
		err = f.Apply(t.Upper(i), attributes)
	}
	// another's folder: what the command sees is its mode, under this user's name
	if errors.Is(err, unix.EPERM) {
		err = unix.Chmod(t.Upper(i), uint32(f.Mode)|0o700)
	}
	return c, err
}

// now returns the time of file systems. What is changed after it has a later ctime
// than what was changed before: the kernel gives fine times to files that were
// looked at (multigrain timestamps, Linux 6.13), and before that one a tick.
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

// inUserNamespace reports whether the view needs a user namespace: nobody but root
// with all its rights can do without.
func inUserNamespace() bool {
	if os.Geteuid() != 0 {
		return true
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&header, &data[0]); err != nil {
		return true
	}
	if data[0].Effective&(1<<unix.CAP_SYS_ADMIN) == 0 {
		return true
	}
	text, err := os.ReadFile("/proc/self/uid_map")
	fields := strings.Fields(string(text))
	return err != nil || len(fields) != 3 || fields[2] != "4294967295"
}

// start starts init in namespaces of its own and returns what it tells.
func (p *parent) start() (*os.File, int, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, 0, err
	}
	defer w.Close()
	user := p.try.Xattrs == "user"
	v := overlay.View{AsIs: p.asis, Hidden: p.try.Dir, User: user}
	for i, c := range p.try.Covers {
		v.Layers = append(v.Layers, overlay.Layer{Path: string(c.Path), Upper: p.try.Upper(i),
			Work: p.try.Work(i)})
	}
	// All that the caller has opened passes; our own two take other numbers.
	report, lock, err := aside(w, p.lock)
	if err != nil {
		return nil, 0, err
	}
	plan, err := json.Marshal(order{View: v, Cwd: p.try.Cwd, Report: report, Lock: lock,
		Try: p.try.Dir, Began: p.try.Began, Own: p.own})
	if err != nil {
		return nil, 0, err
	}
	attr := &syscall.ProcAttr{Env: os.Environ(), Sys: namespaces(user), Files: []uintptr{0, 1, 2}}
	pid, err := syscall.ForkExec("/proc/self/exe",
		append([]string{initName, string(plan)}, p.command...), attr)
	unix.Close(report)
	unix.Close(lock)
	if err != nil {
		return nil, 0, &overlay.Refusal{Step: "namespaces", Err: err}
	}
	return r, pid, nil
}

// aside copies the descriptors to numbers that stay open in what is started.
func aside(files ...*os.File) (one, two int, err error) {
	var fds [2]int
	for i, f := range files {
		if fds[i], err = unix.FcntlInt(f.Fd(), unix.F_DUPFD, 3); err != nil {
			return 0, 0, err
		}
	}
	return fds[0], fds[1], nil
}

// namespaces returns what init is born with.
func namespaces(user bool) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNS, Pdeathsig: unix.SIGTERM}
	if !user {
		return attr
	}
	uid, gid := os.Geteuid(), os.Getegid()
	attr.Cloneflags |= unix.CLONE_NEWUSER
	attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
	attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}}
	if uid != 0 {
		// exec(2) takes a user's capabilities unless they are ambient.
		attr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_DAC_OVERRIDE, unix.CAP_FOWNER,
			unix.CAP_SYS_PTRACE}
	}
	return attr
}

// forward passes signals on to init. One that the terminal sent has reached the
// command already.
func forward(pid int, signals <-chan os.Signal) {
	for sig := range signals {
		if !chain.FromTerminal(sig) {
			_ = unix.Kill(pid, sig.(syscall.Signal))
		}
	}
}

// follow reads what init tells until the command has ended, and writes down
// what changed. It does not wait for the kernel to take the view down: there is
// nobody left in it.
func (p *parent) follow(in *os.File, pid int, place place) (unix.WaitStatus, error) {
	defer in.Close()
	var r report
	lines := bufio.NewScanner(in)
	if lines.Scan() {
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return 0, err
		}
	}
	status := unix.WaitStatus(r.Status)
	if !r.Ended { // init was killed: that stands for its command; or it has failed
		for {
			if _, err := unix.Wait4(pid, &status, 0, nil); err != unix.EINTR {
				break
			}
		}
	}
	if r.Step != "" {
		return 0, r.err()
	}
	if place.note != "" && !p.o.quiet {
		p.env.Warnf("%s", place.note)
	}
	p.finish(r, status)
	return status, nil
}
