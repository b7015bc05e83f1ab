package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ua/internal/test/scripttest"
)

// fill is the shell program that makes a tree, and change the one that changes
// all of it: files, folders, links, what is there and what is not.
const (
	fill = `for d in 0 1 2 3 4; do
	mkdir d$d
	for f in $(seq 80); do echo "old $d $f" >d$d/f$f; done
	ln -s f1 d$d/l
done
mkdir gone; echo x >gone/x; echo old >shut1; echo old >shut2; chmod 0 shut1 shut2`
	change = `for d in 0 1 2; do
	for f in $(seq 80); do echo "new $d $f, which is longer" >d$d/f$f; done
done
rm -r d3 gone; mkdir -p n/e/w; for f in $(seq 80); do echo "new $f" >n/e/w/$f; done
rm -r d4; echo file >d4; ln -sfn f2 d0/l; chmod 700 d1
rm shut1; echo new >shut; mv -f shut shut2; echo n >n/shut; chmod 200 shut2 n/shut`
)

// tried is a folder with a try of it: what it was, and what it is to be.
func (b *bench) tried(fill, change string) (dir, old, fresh string) {
	dir = filepath.Join(b.dir, "work", "k")
	b.must(b.dir+"/work", "mkdir", dir)
	b.must(dir, "/bin/sh", "-c", fill)
	old = snapshot(dir, true)
	b.must(dir, "ua-try", "--quiet", "--", "/bin/sh", "-c", change)
	b.must(dir, "ua-try", "apply")
	fresh = snapshot(dir, true)
	b.must(dir, "ua-try", "undo")
	if now := snapshot(dir, true); now != old {
		b.t.Fatalf("taken back:\n%s", difference(old, now))
	}
	return dir, old, fresh
}

func (b *bench) must(dir string, argv ...string) string {
	b.t.Helper()
	if argv[0] == "mkdir" {
		argv[0] = "/bin/mkdir"
	}
	out, err := b.run(dir, nil, argv...)
	if err != nil {
		b.t.Fatal(err)
	}
	return out
}

// whole says whether each file of a folder is one of the old or of the new ones,
// with all its bytes.
func whole(t *testing.T, dir string) {
	filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || strings.HasPrefix(path, dir+"/.ua-try-") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err == nil && !strings.HasSuffix(string(text), "\n") {
			t.Errorf("%s is cut: %q", path, text)
		}
		return nil
	})
}

// A kill at any moment of an apply or an undo leaves what an apply finishes and
// an undo takes back.
func TestKillsLoseNothing(t *testing.T) {
	everywhere(t, func(b *bench) { b.kills(3) })
}

// everywhere tests on a bench of each user, with the tries on the disk of the folder and
// on another file system.
func everywhere(t *testing.T, test func(*bench)) {
	for _, where := range []string{"", "/dev/shm"} {
		for _, uid := range users() {
			t.Run(fmt.Sprintf("uid %d %s", uid, where), func(t *testing.T) {
				t.Parallel() // each waits for the disk
				b := newBench(t, uid)
				if where != "" {
					b.otherPlaceHelps(where)
				}
				test(b)
			})
		}
	}
}

func (b *bench) kills(rounds int) {
	dir, old, fresh := b.tried(fill, change)
	begin := time.Now()
	b.must(dir, "ua-try", "apply")
	took := time.Since(begin)
	b.must(dir, "ua-try", "undo")
	r := rand.New(rand.NewPCG(1, uint64(b.uid)))
	for i := range rounds {
		verb := []string{"apply", "undo"}[i%2]
		if verb == "undo" {
			b.must(dir, "ua-try", "apply")
		}
		cmd := b.command(dir, nil, "ua-try", verb)
		if err := cmd.Start(); err != nil {
			b.t.Fatal(err)
		}
		time.Sleep(time.Duration(r.Int64N(int64(took))))
		cmd.Process.Kill()
		cmd.Wait()
		b.recovers(fmt.Sprintf("round %d, a killed %s", i, verb), dir, old, fresh, r.IntN(2) == 0)
	}
}

// recovers checks that what a kill has left is whole, can be applied and can be
// taken back.
func (b *bench) recovers(what, dir, old, fresh string, apply bool) {
	b.t.Helper()
	whole(b.t.(*testing.T), dir)
	if apply {
		if _, err := b.run(dir, nil, "ua-try", "apply"); err != nil &&
			!strings.Contains(err.Error(), "nothing to apply") {
			b.t.Fatalf("%s: apply: %v", what, err)
		}
		if now := snapshot(dir, true); now != fresh {
			b.t.Fatalf("%s: applied:\n%s", what, difference(fresh, now))
		}
	}
	if _, err := b.run(dir, nil, "ua-try", "undo"); err != nil &&
		!strings.Contains(err.Error(), "not applied") {
		b.t.Fatalf("%s: undo: %v", what, err)
	}
	if now := snapshot(dir, true); now != old {
		b.t.Fatalf("%s: taken back:\n%s", what, difference(old, now))
	}
}

// A few changes of each kind: a kill at each call that changes something takes as
// many rounds as there are such calls.
const (
	fillFew = `for d in 0 1 2 3 4; do
	mkdir d$d
	for f in 1 2; do echo "old $d $f" >d$d/f$f; done
done
ln d0/f1 d0/h; ln -s f1 d1/l; mkdir -p d3/in/deep; echo x >d3/in/deep/x
chmod 555 d2 d3/in; chmod 500 d4`
	changeFew = `echo new >d0/f2
chmod u+w d2; echo new >d2/f1; rm d2/f2; echo n >d2/n; chmod 555 d2
chmod -R u+w d3 d4; rm -r d3 d4; echo file >d4
rm -r d1; mkdir -p d1/e/w; echo new >d1/e/w/n; chmod 555 d1/e
ln -s f d0/l; ln d0/f2 d0/g`
)

// changing is the system calls that change something; others lie between two of
// them and leave what is on the disk.
func changing() []string {
	return append(growing(), "renameat", "unlinkat", "fchmodat", "fchownat", "utimensat",
		"lremovexattr", "fsync", "close")
}

// growing is those that a full disk fails.
func growing() []string {
	return []string{"write", "renameat2", "mkdirat", "linkat", "symlinkat", "mknodat", "lsetxattr",
		"ftruncate", "copy_file_range"}
}

// A kill before any call that changes something, and a full disk at any that
// needs space, which strace(1) makes. The test takes some of the calls;
// TRY_KILLS=all takes each.
func TestCutAtAnyCall(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		scripttest.Skip(t, scripttest.Elsewhere, "strace is not installed; kills at random moments run")
	}
	everywhere(t, func(b *bench) {
		c := cut{bench: b, strace: strace}
		c.dir, c.old, c.fresh = b.tried(fillFew, changeFew)
		for _, verb := range []string{"apply", "undo"} {
			for _, call := range changing() {
				c.at(verb, call, "signal=KILL")
			}
			for _, call := range growing() {
				c.at(verb, call, "error=ENOSPC")
			}
		}
	})
}

// TestCutGoingOn has a command go on in a try, and kills ua-try before any call with which it
// opens the try, starts the command and writes down what changed: all that the try had stays.
func TestCutGoingOn(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		scripttest.Skip(t, scripttest.Elsewhere, "strace is not installed; TestKilledGoesOn runs")
	}
	everywhere(t, func(b *bench) {
		dir, old, _ := b.tried(fillFew, changeFew)
		b.must(dir, "ua-try", "apply")
		fresh := snapshot(dir, false)
		b.must(dir, "ua-try", "undo")
		for _, call := range append(changing(), "mkdirat", "clone", "flock") {
			n, stride := firstCut()
			for killed := true; killed; n += stride {
				b.must(dir, "ua-try", "drop")
				b.must(dir, "ua-try", "--quiet", "--", "/bin/sh", "-c", changeFew)
				out, err := b.command(dir, []string{"GOMAXPROCS=1"}, strace, "-f", "-b", "execve", "-qqq",
					"-o", "/dev/null", "-e", fmt.Sprintf("inject=%s:signal=KILL:when=%d", call, n),
					b.bin+"/ua-try", "--quiet", "--continue", "last", "--", "/bin/true").CombinedOutput()
				killed = err != nil
				what := fmt.Sprintf("killed at %s %d: %s", call, n, out)
				if _, err := b.run(dir, nil, "ua-try", "apply"); err != nil {
					b.t.Fatalf("%s: %v", what, err)
				}
				if now := snapshot(dir, false); now != fresh {
					b.t.Fatalf("%s: applied:\n%s", what, difference(fresh, now))
				}
				b.must(dir, "ua-try", "undo")
				if now := snapshot(dir, true); now != old {
					b.t.Fatalf("%s: taken back:\n%s", what, difference(old, now))
				}
			}
		}
	})
}

// firstCut returns which of the calls of a name is cut first, and how many more until the next.
func firstCut() (first, stride int) {
	if os.Getenv("TRY_KILLS") == "all" {
		return 1, 1
	}
	return 1 + rand.IntN(30), 30
}

// A cut is an apply and undo of a try that are cut.
type cut struct {
	*bench
	strace, dir, old, fresh string
}

// at cuts a verb at the first of the calls of a name, at the second, and so on
// until there are no more.
func (c *cut) at(verb, call, how string) {
	for n, stride := firstCut(); ; n += stride { // each thread counts its own calls
		if verb == "undo" {
			c.must(c.dir, "ua-try", "apply")
		}
		what := fmt.Sprintf("%s with %s at %s %d", verb, how, call, n)
		out, err := c.command(c.dir, []string{"GOMAXPROCS=1"}, c.strace, "-f", "-qqq", "-o", "/dev/null",
			"-e", fmt.Sprintf("inject=%s:%s:when=%d", call, how, n), c.bin+"/ua-try",
			verb).CombinedOutput()
		if now := snapshot(c.dir, true); err != nil && how != "signal=KILL" && verb == "apply" &&
			now != c.old && !strings.Contains(string(out), "apply again finishes it") {
			c.t.Fatalf("%s: %s\nnot taken back:\n%s", what, out, difference(c.old, now))
		}
		c.recovers(what, c.dir, c.old, c.fresh, rand.IntN(2) == 0)
		if err == nil {
			return
		}
	}
}

// TestKilledGoesOn: a try whose ua-try was killed has what was changed until then, also for a
// command that goes on in it.
func TestKilledGoesOn(t *testing.T) {
	everywhere(t, func(b *bench) {
		dir := filepath.Join(b.dir, "work")
		b.must(dir, "/bin/sh", "-c", "echo old >a; ln a h; mkdir -m 555 d")
		cmd := b.command(dir, nil, "ua-try", "--", "/bin/sh", "-c",
			"echo new >a; echo n >n; chmod 755 d; echo x >d/x; chmod 555 d; echo; exec sleep 60")
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err == nil {
			_, err = out.Read(make([]byte, 1))
		}
		if err != nil {
			b.t.Fatal(err)
		}
		cmd.Process.Kill()
		cmd.Wait()
		text := b.must(dir, "ua-try", "--quiet", "--continue", "last", "--", "/bin/sh", "-c",
			"cat a n d/x; stat -c %a d; echo more >>n; rm h")
		if text != "new\nn\nx\n555\n" {
			b.t.Errorf("seen: %q", text)
		}
		b.must(dir, "ua-try", "apply")
		text = b.must(dir, "/bin/sh", "-c", "cat a n d/x; ls")
		if text != "new\nn\nmore\nx\na\nd\nn\n" {
			b.t.Errorf("applied: %q", text)
		}
	})
}
