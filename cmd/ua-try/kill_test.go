package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ua/internal/common/scripttest"
)

// fill is the shell program that makes a tree, and change the one that changes
// all of it: files, folders, links, what is there and what is not.
const (
	fill   = `for d in 0 1 2 3 4; do mkdir d$d; for f in $(seq 80); do echo "old $d $f" >d$d/f$f; done; ln -s f1 d$d/l; done; mkdir gone; echo x >gone/x`
	change = `for d in 0 1 2; do for f in $(seq 80); do echo "new $d $f, which is longer" >d$d/f$f; done; done
rm -r d3 gone; mkdir -p n/e/w; for f in $(seq 80); do echo "new $f" >n/e/w/$f; done; rm -r d4; echo file >d4; ln -sfn f2 d0/l; chmod 700 d1`
)

// tried is a folder with a try of it: what it was, and what it is to be.
func (b *bench) tried() (dir, old, fresh string) {
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
	for _, where := range []string{"", "/dev/shm"} {
		for _, uid := range users() {
			t.Run(fmt.Sprintf("uid %d %s", uid, where), func(t *testing.T) {
				b := newBench(t, uid)
				rounds := 25
				if where != "" {
					// A known fault, in ua-try(1), CAVEATS: such a kill can lose what was in a
					// folder that is replaced. This runs again when it is mended.
					scripttest.Skip(t, scripttest.Known, "kills over two file systems lose folders")
					b.elsewhere(where)
					rounds = 8
				}
				b.kills(rounds)
			})
		}
	}
}

func (b *bench) kills(rounds int) {
	dir, old, fresh := b.tried()
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
		whole(b.t.(*testing.T), dir)
		if r.IntN(2) == 0 {
			if _, err := b.run(dir, nil, "ua-try", "apply"); err != nil &&
				!strings.Contains(err.Error(), "nothing to apply") {
				b.t.Fatalf("round %d: apply after a killed %s: %v", i, verb, err)
			}
			if now := snapshot(dir, true); now != fresh {
				b.t.Fatalf("round %d: applied after a killed %s:\n%s", i, verb, difference(fresh, now))
			}
		}
		if _, err := b.run(dir, nil, "ua-try", "undo"); err != nil &&
			!strings.Contains(err.Error(), "not applied") {
			b.t.Fatalf("round %d: undo after a killed %s: %v", i, verb, err)
		}
		if now := snapshot(dir, true); now != old {
			b.t.Fatalf("round %d: taken back after a killed %s:\n%s", i, verb, difference(old, now))
		}
	}
}
