//go:build linux

package landing

import (
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A model is what a folder holds: for each path a file's text, or "/" for a folder.
type model map[string]string

// names are few, so that changes meet.
var names = []string{"a", "b", "d", "d/a", "d/b", "d/e", "d/e/a", "d/e/f", "n", "n/a"}

// put makes a path hold text; what is on the way to it becomes folders.
func (m model) put(p, text string) {
	m.remove(p)
	for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
		if m[dir] != "/" {
			delete(m, dir)
			m[dir] = "/"
		}
	}
	m[p] = text
}

func (m model) remove(p string) {
	for q := range m {
		if q == p || strings.HasPrefix(q, p+"/") {
			delete(m, q)
		}
	}
}

// lines are those from which a desk makes it.
func (m model) lines() (text string) {
	for _, p := range slices.Sorted(maps.Keys(m)) {
		if m[p] == "/" {
			text += p + "/\n"
		} else {
			text += p + " " + m[p] + "\n"
		}
	}
	return text
}

// over returns the lines of the upper layer by which an overlay shows after over before: a mark
// for what is gone, and what is new or other. What is in a folder that was no folder before
// needs no mark of its own.
func (m model) over(before model) (text string) {
	for _, p := range slices.Sorted(maps.Keys(before)) {
		dir := path.Dir(p)
		if _, there := m[p]; !there && (dir == "." || m[dir] == "/") {
			text += p + " !\n"
		}
	}
	for _, p := range slices.Sorted(maps.Keys(m)) {
		if before[p] == m[p] {
			continue
		}
		if m[p] == "/" {
			text += p + "/\n"
		} else {
			text += p + " " + m[p] + "\n"
		}
	}
	return text
}

// edits returns the lines that make a folder of before one of m.
func (m model) edits(before model) (text string) {
	for _, p := range slices.Sorted(maps.Keys(before)) {
		_, above := before[path.Dir(p)]
		if m[p] != before[p] && (!above || m[path.Dir(p)] == "/") {
			text += p + " !\n"
		}
	}
	for _, p := range slices.Sorted(maps.Keys(m)) {
		if m[p] != before[p] {
			text += model{p: m[p]}.lines()
		}
	}
	return text
}

// read reads a folder as a model.
func read(t *testing.T, dir string) model {
	t.Helper()
	m := model{}
	err := filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, p)
		switch {
		case err != nil || rel == ".":
			return err
		case e.IsDir():
			m[rel] = "/"
		default:
			text, err := os.ReadFile(p)
			m[rel] = strings.TrimSpace(string(text))
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// change makes some changes of the kinds that a command makes.
func (m model) change(r *rand.Rand, by string) {
	for i := range 1 + r.IntN(4) {
		p := names[r.IntN(len(names))]
		switch r.IntN(5) {
		case 0:
			m.remove(p)
		case 1:
			if m[p] != "/" {
				m.put(p, "/")
			}
		default:
			if m[p] != "/" || r.IntN(4) == 0 {
				m.put(p, fmt.Sprintf("%s%d", by, i))
			}
		}
	}
}

// TestModel makes folders, tries of them and changes of somebody else by chance, and holds
// what the manual promises of apply and undo: nothing is applied where there is a conflict;
// without one the folder has the try's changes and the other's; an undo makes the folder
// what it was, with modes and times; and the try can be applied again.
func TestModel(t *testing.T) {
	places(t, func(t *testing.T, state, work string) {
		conflicts := 0
		for seed := range uint64(16) {
			r := rand.New(rand.NewPCG(seed, 7))
			before := model{}
			for range 3 {
				before.change(r, "old")
			}
			after := maps.Clone(before)
			after.change(r, "try")
			since := maps.Clone(before)
			if seed%2 == 1 {
				since.change(r, "other")
			}
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				at := filepath.Join(work, fmt.Sprint(seed))
				if err := os.Mkdir(at, 0o755); err != nil {
					t.Fatal(err)
				}
				d := newDesk(t, filepath.Join(state, fmt.Sprint(seed)), at, before.lines(),
					after.over(before))
				d.Edit(d.Work, since.edits(before))
				if met := d.againstModel(before, after, since); met {
					conflicts++
				}
			})
		}
		if conflicts == 0 || conflicts == 16 {
			t.Errorf("%d conflicts in 16: chance finds one of two ways only", conflicts)
		}
	})
}

// againstModel applies a try, undoes it and applies it again, and reports whether there was a
// conflict.
func (d *desk) againstModel(before, after, since model) (conflict bool) {
	was, story := looks(d.T, d.Work), fmt.Sprintf("\nbefore: %v\ntry: %v\nothers: %v", before, after,
		since)
	refusal := d.apply(false)
	if refusal == ErrNothing.Error() {
		return false
	}
	if refusal != "" {
		if now := looks(d.T, d.Work); now != was {
			d.Fatalf("conflict at %s, but changed:\n%s\nwas\n%s%s", refusal, now, was, story)
		}
		// A conflict needs a path that both have changed, or what is above or below it.
		for p := range strings.FieldsSeq(refusal) {
			if since[p] == before[p] && after[p] != since[p] {
				d.Errorf("conflict at %s, which nobody else has changed%s", p, story)
			}
		}
		return true
	}
	now := read(d.T, d.Work)
	for _, p := range names {
		tried, others := after[p] != before[p], since[p] != before[p]
		switch {
		case tried && now[p] != after[p]:
			d.Errorf("%s: %q is not the try's %q%s", p, now[p], after[p], story)
		case !tried && now[p] == "/" && slices.ContainsFunc(names, func(q string) bool {
			return strings.HasPrefix(q, p+"/") && after[q] != "" && after[q] != before[q]
		}): // a folder of what the try has made
		case !tried && others && now[p] != since[p]:
			d.Errorf("%s: %q is not the other's %q%s", p, now[p], since[p], story)
		case !tried && !others && now[p] != before[p]:
			d.Errorf("%s: %q, which nobody has changed from %q%s", p, now[p], before[p], story)
		}
	}
	for _, again := range []string{"", " again"} {
		if got := d.undo(false); got != "" {
			d.Fatalf("undone%s: %s%s", again, got, story)
		}
		if now := looks(d.T, d.Work); now != was {
			d.Fatalf("undone%s:\n%s\nwas\n%s%s", again, now, was, story)
		}
		if again != "" {
			break
		}
		if got := d.apply(false); got != "" || !maps.Equal(read(d.T, d.Work), now) {
			d.Fatalf("applied again: %s %v%s", got, read(d.T, d.Work), story)
		}
	}
	return false
}
