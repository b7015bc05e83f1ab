package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	trees "ua/internal/common/remove"
	"ua/internal/test/scripttest"
)

// A bench is a folder in which programs are tried as some user.
type bench struct {
	t     testing.TB
	dir   string
	self  string   // the test binary, where the user can run it
	wrap  []string // before the program
	more  int      // how many programs go on in its try
	state string   // XDG_STATE_HOME, where it is not in the home
	uid   int
	bin   string
}

const ordinary = 1000

// newBench makes a bench with ua-try, ua-sandbox and the named programs.
func newBench(t testing.TB, uid int, more ...string) *bench {
	scripttest.NeedTries(t)
	dir, err := os.MkdirTemp("", "ua-try")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		exec.Command("chmod", "-R", "u+rwx", dir).Run()
		os.RemoveAll(dir)
	})
	b := &bench{t: t, dir: dir, uid: uid, self: filepath.Join(dir, "self"),
		bin: filepath.Join(dir, "bin")}
	os.Chmod(dir, 0o755)
	scripttest.CopyProgram(t, "/proc/self/exe", b.self)
	os.Mkdir(b.bin, 0o755)
	for _, name := range append(more, "ua-try", "ua-sandbox") {
		scripttest.CopyProgram(t, filepath.Join(scripttest.Bin(t), name), filepath.Join(b.bin, name))
	}
	for _, sub := range []string{"home", "plain", "work"} {
		os.Mkdir(filepath.Join(dir, sub), 0o755)
		os.Chown(filepath.Join(dir, sub), uid, uid)
	}
	return b
}

// command is a command in a folder as the bench's user.
func (b *bench) command(dir string, env []string, argv ...string) *exec.Cmd {
	if !filepath.IsAbs(argv[0]) {
		argv[0] = filepath.Join(b.bin, argv[0])
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = dir
	if b.state != "" {
		env = append(env, "XDG_STATE_HOME="+b.state)
	}
	cmd.Env = append([]string{"HOME=" + b.dir + "/home", "PATH=" + b.bin + ":" + os.Getenv("PATH"),
		"LC_ALL=C"}, env...)
	if b.uid != os.Geteuid() {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(b.uid),
			Gid: uint32(b.uid)}}
	}
	return cmd
}

// run runs it and returns its standard output; stderr is an error's.
func (b *bench) run(dir string, env []string, argv ...string) (string, error) {
	cmd := b.command(dir, env, argv...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%v: %w\n%s", argv, err, stderr.String())
	}
	return string(out), err
}

// program runs one program plainly and in a try, and compares.
func (b *bench) program(seed uint64) error {
	plain, work := filepath.Join(b.dir, "plain", fmt.Sprint(seed)),
		filepath.Join(b.dir, "work", fmt.Sprint(seed))
	env := []string{envSeed + "=" + strconv.FormatUint(seed, 10)}
	if _, err := b.run(b.dir, append(env, envBuild+"="+plain+":"+work), b.self); err != nil {
		return err
	}
	first := snapshot(work, true)
	for part := range b.more + 1 {
		env[0] = envSeed + "=" + strconv.FormatUint(seed+uint64(part)*1e6, 10)
		argv, try := append(slices.Clone(b.wrap), b.self), []string{"ua-try", "--quiet"}
		if len(b.wrap) > 0 {
			argv = slices.Concat(b.wrap, []string{"--env", env[0], "--", b.self})
		}
		if part > 0 {
			try = append(try, "--continue", "last")
		}
		want, err := b.run(plain, env, argv...)
		if err != nil {
			return err
		}
		got, err := b.run(work, env, append(append(try, "--"), argv...)...)
		if err != nil {
			return err
		}
		if got != want {
			return fmt.Errorf("seen inside, part %d:\n%s", part, difference(want, got))
		}
	}
	if now := snapshot(work, true); now != first {
		return fmt.Errorf("the folder has changed before the apply:\n%s", difference(first, now))
	}
	_, err := b.run(work, nil, "ua-try", "apply", "--allow-refused") // some make a .git
	if err != nil && !strings.Contains(err.Error(), "nothing to apply") {
		return err
	}
	if got, want := snapshot(work, false), snapshot(plain, false); got != want {
		return fmt.Errorf("applied:\n%s", difference(want, got))
	}
	if err != nil {
		return nil
	}
	if _, err := b.run(work, nil, "ua-try", "undo"); err != nil {
		return err
	}
	if now := snapshot(work, true); now != first {
		return fmt.Errorf("taken back:\n%s", difference(first, now))
	}
	return nil
}

// difference is the lines that only one of two texts has.
func difference(want, got string) string {
	var b strings.Builder
	a, c := strings.Split(want, "\n"), strings.Split(got, "\n")
	in := func(list []string, line string) bool {
		for _, l := range list {
			if l == line {
				return true
			}
		}
		return false
	}
	for _, line := range a {
		if !in(c, line) {
			fmt.Fprintf(&b, "- %.300s\n", line)
		}
	}
	for _, line := range c {
		if !in(a, line) {
			fmt.Fprintf(&b, "+ %.300s\n", line)
		}
	}
	return b.String()
}

// programs is how many random programs a test runs: a quarter of n, and n with
// UA_TEST_ALL=1. TRY_PROGRAMS says another number and TRY_FIRST the first seed.
func programs(n int) (first, count int) {
	if os.Getenv("UA_TEST_ALL") == "" {
		n = (n + 3) / 4
	}
	if more, err := strconv.Atoi(os.Getenv("TRY_PROGRAMS")); err == nil {
		n = more
	}
	first, _ = strconv.Atoi(os.Getenv("TRY_FIRST"))
	return first, n
}

func (b *bench) programs(n int) { b.each(n, (*bench).program) }

// each checks n programs, until three have failed.
func (b *bench) each(n int, check func(*bench, uint64) error) {
	first, count := programs(n)
	failed := 0
	for seed := first; seed < first+count && failed < 3; seed++ {
		if err := check(b, uint64(seed)); err != nil {
			b.t.Errorf("program %d: %v", seed, err)
			failed++
		}
	}
}

// users is who a test runs as: root and an ordinary user, or whoever runs it.
func users() []int {
	if os.Geteuid() == 0 {
		return []int{0, ordinary}
	}
	return []int{os.Geteuid()}
}

// Random programs do the same to a copy of a tree and, in a try, to the tree; an
// undo brings the first tree back.
func TestProgramsAreTheSameInATry(t *testing.T) {
	for _, uid := range users() {
		t.Run(fmt.Sprintf("uid %d", uid), func(t *testing.T) {
			t.Parallel()
			newBench(t, uid).programs(40)
		})
	}
}

// Programs that once did something else in a try.
func TestProgramsOfOnce(t *testing.T) {
	for _, uid := range users() {
		b := newBench(t, uid)
		for _, seed := range []uint64{
			1000242, 1000520, // renames of a name to another one of the same file
			1000393, // folders in each other that keep their owner out
		} {
			if err := b.program(seed); err != nil {
				t.Errorf("uid %d, program %d: %v", uid, seed, err)
			}
		}
	}
}

// The same where the state folder is on another file system, so that landing has
// to copy.
func TestProgramsAreTheSameOnAnotherFileSystem(t *testing.T) {
	for _, uid := range users() {
		t.Run(fmt.Sprintf("uid %d", uid), func(t *testing.T) {
			t.Parallel()
			b := newBench(t, uid)
			b.otherPlaceHelps("/dev/shm")
			b.programs(40)
		})
	}
}

// The same in a sandbox, which is inside the try.
func TestProgramsAreTheSameInASandbox(t *testing.T) {
	for _, uid := range users() {
		t.Run(fmt.Sprintf("uid %d", uid), func(t *testing.T) {
			t.Parallel()
			b := newBench(t, uid)
			b.wrap = []string{"ua-sandbox", "--quiet"}
			b.programs(60)
		})
	}
}

// The same where further programs go on in the try of the first.
func TestProgramsThatGoOn(t *testing.T) {
	for _, uid := range users() {
		t.Run(fmt.Sprintf("uid %d", uid), func(t *testing.T) {
			t.Parallel()
			b := newBench(t, uid)
			b.more = 2
			b.programs(40)
		})
	}
}

// elsewhere has the state folder on the file system of another folder.
func (b *bench) otherPlaceHelps(place string) {
	state, err := os.MkdirTemp(place, "ua-try")
	if err != nil {
		scripttest.Skip(b.t, scripttest.Refused, "no file system in memory: %v", err)
	}
	b.t.Cleanup(func() {
		exec.Command("chmod", "-R", "u+rwx", state).Run()
		os.RemoveAll(state)
	})
	os.Chown(state, b.uid, b.uid)
	b.state = state
}

// FuzzPrograms runs programs for as long as it is let.
func FuzzPrograms(f *testing.F) {
	var benches []*bench
	for _, uid := range users() {
		benches = append(benches, newBench(f, uid))
	}
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) {
		b := *benches[seed%uint64(len(benches))]
		b.t = t
		if err := b.program(seed); err != nil {
			t.Error(err)
		}
		for _, dir := range []string{fmt.Sprintf("plain/%d", seed), fmt.Sprintf("work/%d", seed),
			"home/.local"} {
			if err := trees.All(filepath.Join(b.dir, dir)); err != nil {
				t.Error(err)
			}
		}
	})
}

// In a folder of another user, such as /tmp, what this user may change can be
// landed and taken back.
func TestFolderOfAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		scripttest.Skip(t, scripttest.Elsewhere, "only root can give folders to others")
	}
	for _, state := range []string{"", "/dev/shm"} {
		b := newBench(t, ordinary)
		if state != "" {
			b.otherPlaceHelps(state)
		}
		dir := filepath.Join(b.dir, "work", "shared")
		os.Mkdir(dir, 0o755)
		os.Chmod(dir, 0o777|os.ModeSticky)
		b.must(dir, "/bin/sh", "-c", "echo old >a; mkdir d; echo x >d/x")
		before := snapshot(dir+"/d", true) + snapshot(dir+"/a", true)
		b.must(dir, "ua-try", "--quiet", "--", "/bin/sh", "-c",
			"echo new >a; echo n >n; rm -r d; mkdir e")
		b.must(dir, "ua-try", "apply")
		if out := b.must(dir, "/bin/sh", "-c", "ls -A; cat a n"); out != "a\ne\nn\nnew\nn\n" {
			t.Errorf("applied: %q", out)
		}
		b.must(dir, "ua-try", "undo")
		if out := b.must(dir, "/bin/ls", "-A"); out != "a\nd\n" ||
			snapshot(dir+"/d", true)+snapshot(dir+"/a", true) != before {
			t.Errorf("taken back: %q", out)
		}
	}
}
