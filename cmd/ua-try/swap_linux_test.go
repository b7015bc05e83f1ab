package main

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The variables that make the test binary a process that swaps what is in a folder, and
// how many rounds TestSwaps has.
const (
	envSwap   = "TRY_TEST_SWAP"
	envLure   = "TRY_TEST_LURE" // where its links lead
	envRounds = "TRY_TEST_ROUNDS"
)

// swapForEver puts links, files, folders and each other in the place of what is in a folder,
// of the folder itself and of what comes beside it, and puts it back a moment later. It
// follows none of its links itself.
func swapForEver(dir, lure string) {
	unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0)
	const spare = "spare"
	for {
		r, err := os.OpenRoot(filepath.Dir(dir))
		if err != nil {
			continue
		}
		path := "."
		for depth := rand.IntN(5); depth >= 0; depth-- {
			list, err := fs.ReadDir(r.FS(), path)
			if err != nil || len(list) == 0 {
				break
			}
			path = filepath.Join(path, list[rand.IntN(len(list))].Name())
		}
		info, err := r.Lstat(path)
		if err == nil && !strings.HasPrefix(path, spare) && r.Rename(path, spare) == nil {
			swap(r, path, lure, info.IsDir())
			for end := time.Now().Add(time.Duration(rand.IntN(300)) * time.Microsecond); time.Now().
				Before(end); {
				runtime.Gosched()
			}
			if r.Remove(path) != nil { // the landing has put something into it
				r.Rename(path, spare+strconv.Itoa(rand.Int()))
			}
			r.Rename(spare, path)
		}
		r.Close()
	}
}

// swap puts something in the place of a file or folder.
func swap(r *os.Root, path, lure string, folder bool) {
	switch kind := rand.IntN(6); {
	case kind == 0:
		r.Mkdir(path, 0o700)
	case kind == 1:
		r.WriteFile(path, []byte("swapped"), 0o600)
	case folder && kind == 2:
		r.Symlink("..", path)
	case folder:
		r.Symlink(lure, path)
	default:
		r.Symlink(lure+"/id", path)
	}
}

// TestSwaps applies tries, reads their diffs and takes them back while another process
// swaps every part of the way to each file. Whatever becomes of the folder, nothing
// outside of it is written, read or changed. TRY_TEST_ROUNDS sets the number of rounds.
func TestSwaps(t *testing.T) {
	rounds, err := strconv.Atoi(os.Getenv(envRounds))
	if err != nil {
		rounds = 5
	}
	for name, c := range map[string]struct {
		uid  int
		away bool
	}{"root": {0, false}, "root, two mounts": {0, true}, "user": {ordinary, false},
		"user, two mounts": {ordinary, true}} {
		if c.uid != os.Geteuid() && os.Geteuid() != 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			b := newBench(t, c.uid)
			if c.away {
				if b.state, err = os.MkdirTemp("/dev/shm", "ua-try"); err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { exec.Command("rm", "-rf", b.state).Run() })
				os.Chown(b.state, c.uid, c.uid)
			}
			for round := range rounds {
				b.swapped(round)
				if t.Failed() {
					return
				}
			}
		})
	}
}

// The tree of a round and the change to it have what a landing does: new and replaced
// files, moved-away folders, modes that keep their owner out, and attributes.
const (
	swapFill = `for d in a b c; do mkdir -p $d/in/deep
	for f in 1 2 3 4 5; do echo old >$d/$f; echo old >$d/in/$f; echo old >$d/in/deep/$f; done
done; chmod 555 b/in; chmod 500 c/in/deep`
	swapChange = `for d in a b; do for f in 1 2 3; do echo new >$d/$f; chmod 600 $d/$f; done
	chmod 755 $d/in; for f in 1 2 8 9; do echo new >$d/in/$f; done; chmod 700 $d/in
	mkdir -p $d/new/er; for f in $(seq 20); do echo new >$d/new/$f; echo new >$d/new/er/$f; done
	chmod 555 $d/new/er; done; chmod -R u+w c; rm -r c/in; chmod 711 c`
)

// swapped does a round.
func (b *bench) swapped(round int) {
	t, dir, lure := b.t, filepath.Join(b.dir, "work", "k"), filepath.Join(b.dir, "home", "lure")
	if round == 0 {
		b.must(b.dir, "/bin/sh", "-c", `cd home; mkdir -m 700 lure; cd lure
			mkdir -m 700 in deep new er; echo SECRET-OF-THE-USER >id; chmod 600 id
			for n in 1 2 3; do cp -p id $n; cp -p id in; done`)
	}
	b.must(b.dir, "/bin/sh", "-c", "mkdir work/k; cd work/k; "+swapFill)
	b.must(dir, "ua-try", "--quiet", "--", "/bin/sh", "-c", swapChange)
	was := snapshot(lure, true)
	hostile := b.command(b.dir, []string{envSwap + "=" + dir, envLure + "=" + lure}, b.self)
	if err := hostile.Start(); err != nil {
		t.Fatal(err)
	}
	for _, argv := range [][]string{{"apply"}, {"diff"}, {"apply", "--force"}, {"undo"},
		{"undo", "--force"}, {"apply"}, {"drop"}} {
		ended := make(chan struct{})
		timer := time.AfterFunc(time.Minute, func() {
			t.Errorf("%v hangs", argv)
			hostile.Process.Kill()
		})
		go func() {
			defer close(ended)
			out, err := b.run(b.dir, nil, append([]string{"ua-try"}, argv...)...)
			if err != nil {
				out += err.Error()
			}
			if strings.Contains(out, "SECRET") || strings.Contains(out, "panic") {
				t.Errorf("round %d: %v: %s", round, argv, out)
			}
		}()
		<-ended
		timer.Stop()
	}
	hostile.Process.Kill()
	hostile.Wait()
	if now := snapshot(lure, true); now != was {
		t.Errorf("round %d: outside of the folder:\n%s", round, difference(was, now))
	}
	b.run(b.dir, nil, "ua-try", "undo", "--force")
	b.run(b.dir, nil, "ua-try", "drop")
	if out, err := exec.Command("/bin/sh", "-c", "cd "+b.dir+
		"; chmod -R u+rwX work plain; rm -rf work plain; mkdir work plain; chown "+
		strconv.Itoa(b.uid)+" work plain").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}
