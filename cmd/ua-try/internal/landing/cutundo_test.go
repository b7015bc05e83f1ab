//go:build linux

package landing

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"ua/cmd/ua-try/internal/manifest"
	"ua/cmd/ua-try/internal/test/trytest"
)

// TestUndoCut: an undo that was cut after any of its steps is no conflict for the next one.
func TestUndoCut(t *testing.T) {
	for name, c := range map[string][2]string{
		"a file became a folder": {"a one\nb one", "a/b two\nb two\nc/d three"},
		"a folder became a file": {"a/b two\nb two\nc/d three", "a one\nb one\nc !"},
		"a folder was shut":      {"d/a one\nd/b one", "d/a two\nd/b two"},
	} {
		t.Run(name, func(t *testing.T) {
			places(t, func(t *testing.T, state, work string) {
				for after, all := 0, 1; after <= all; after++ {
					nth := strconv.Itoa(after)
					d := &desk{trytest.New(t, filepath.Join(state, nth), filepath.Join(work, nth), c[0], c[1])}
					shut := d.Work + "/d"
					if _, err := os.Lstat(shut); err == nil {
						os.Chmod(d.Try.Dir+"/layers/0/upper/d", 0o500)
					}
					if _, err := manifest.Load(d.Try); err != nil {
						t.Fatal(err)
					}
					before := d.Lines()
					if got := d.apply(false); got != "" {
						t.Fatal(got)
					}
					all = d.undoSome(after)
					if info, err := os.Lstat(shut); err == nil && info.Mode().Perm() == 0o500 {
						os.Chmod(shut, 0o700) // as a kill leaves it
					}
					if got := d.undo(false); got != "" || d.Lines() != before {
						t.Errorf("after %d steps: %q, %s", after, got, d.Lines())
					}
				}
			})
		})
	}
}

// undoSome begins an undo and does some of its steps, and returns how many it has.
func (d *desk) undoSome(some int) (all int) {
	d.Helper()
	l, plans, err := start(d.Try, d.Logf)
	defer l.close()
	p := plans[0]
	if err == nil {
		err = l.ready(p)
	}
	if err == nil {
		err = p.to(d.Try, Undoing)
	}
	for i := len(p.Steps) - 1; i >= 0 && err == nil; i-- {
		if s := &p.Steps[i]; s.Kind != Attrs {
			if all++; all <= some {
				err = l.undo(s, false)
			}
		}
	}
	if err != nil {
		d.Fatal(err)
	}
	return all
}
