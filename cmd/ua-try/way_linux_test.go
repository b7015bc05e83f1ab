package main

import (
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What a try did below the folder d, by a name for it. There is d/f, with "one", and
// d/sub/s, with "s".
var didBelow = map[string]string{
	"changed":      "echo two >d/f",
	"made":         "echo new >d/n",
	"removed":      "rm d/f",
	"made tree":    "mkdir d/t; echo x >d/t/x",
	"removed tree": "rm -r d/sub",
	"all":          "echo t >d/sub/s; echo n >d/sub/n; rm d/f; ln d/sub/n d/link",
}

// What a person then did to the same paths.
var didMeanwhile = map[string]string{
	"a link":          "mv d real; mkdir mine; ln -s mine d",
	"a dead link":     "mv d real; ln -s /nowhere d",
	"a file":          "mv d real; echo mine >d",
	"nothing":         "mv d real",
	"another folder":  "mv d real; mkdir d; echo mine >d/f",
	"folders in it":   "rm -rf d/f d/n; mkdir d/f d/n; echo mine >d/f/mine; echo mine >d/n/mine",
	"a folder's copy": "rm -rf d/sub d/t; mkdir d/sub d/t; echo mine >d/sub/s; echo mine >d/t/x",
}

// Whatever has become of the folder meanwhile, an apply and an undo do all or
// nothing: with --force what they find in the way is kept, and what was the command's
// or there before is at its place.
func TestForceOverAnotherFolder(t *testing.T) {
	n := 0
	for _, state := range []string{"", "/dev/shm"} {
		for _, did := range slices.Sorted(maps.Keys(didBelow)) {
			for _, has := range slices.Sorted(maps.Keys(didMeanwhile)) {
				uid := users()[n%len(users())] // an odd number of cases: the next round is the other's
				if n++; state != "" && n%3 > 0 {
					continue // the place of the state changes how files move, not what may be replaced
				}
				t.Run(fmt.Sprintf("%d/%s/%s%s", uid, did, has, state), func(t *testing.T) {
					b := newBench(t, uid)
					if state != "" {
						b.otherPlaceHelps(state)
					}
					b.overAnother(didBelow[did], didMeanwhile[has])
				})
			}
		}
	}
}

func (b *bench) overAnother(command, meanwhile string) {
	work := b.dir + "/work"
	const before = "mkdir -p d/sub; chmod 750 d; echo one >d/f; echo s >d/sub/s"
	sh := func(script string) string { return b.must(work, "/bin/sh", "-c", script) }
	seen := func() string {
		return sh("find . -type f -o -type l | sort | xargs -r head -v -n 9 " +
			"2>&1; ls -lR")
	}
	sh(before)
	first := seen()
	b.must(work, "ua-try", "--quiet", "--", "/bin/sh", "-c", command)
	b.must(work, "ua-try", "apply")
	landed := seen()

	// An undo over the person's work has the first files at their places.
	sh(meanwhile)
	mine := seen()
	if _, err := b.run(work, nil, "ua-try", "undo"); err != nil && seen() != mine {
		b.t.Errorf("a refused undo has changed something:\n%s", difference(mine, seen()))
	}
	b.run(work, nil, "ua-try", "undo", "--force")
	b.whole("kept")
	b.keeps("mine", mine)
	if strings.Contains(command, "rm") || strings.Contains(command, "two") {
		if got := sh("cat d/f d/sub/s 2>&1 || :"); strings.Contains(command, "d/f") &&
			!strings.Contains(got, "one\n") || strings.Contains(command, "d/sub") &&
			!strings.Contains(got, "s\n") {
			b.t.Errorf("taken back: %q", got)
		}
	}
	b.must(work, "ua-try", "drop")

	// An apply over it has the command's, and its undo the person's.
	sh("rm -rf ./*; " + before)
	if now := seen(); len(now) != len(first) {
		b.t.Fatalf("%s", difference(first, now))
	}
	b.must(work, "ua-try", "--quiet", "--", "/bin/sh", "-c", command)
	sh(meanwhile)
	mine = seen()
	_, err := b.run(work, nil, "ua-try", "apply")
	if err != nil && seen() != mine {
		b.t.Errorf("a refused apply has changed something:\n%s", difference(mine, seen()))
	}
	if err != nil {
		b.must(work, "ua-try", "apply", "--force")
	}
	b.whole("applied")
	if got := sh("cat d/f d/n d/t/x d/sub/n 2>&1 || :"); strings.Contains(landed, "two") &&
		!strings.Contains(got, "two") || strings.Contains(landed, "new") && !strings.Contains(got,
		"new") {
		b.t.Errorf("applied: %q", got)
	}
	b.must(work, "ua-try", "undo")
	b.whole("kept")
	if now := seen(); now != mine {
		b.t.Errorf("taken back:\n%s", difference(mine, now))
	}
}

// whole checks that the newest try is in a state, with nothing cut.
func (b *bench) whole(state string) {
	b.t.Helper()
	out := b.must(b.dir+"/work", "ua-try", "ls", "last")
	if !strings.Contains(out, " "+state+" ") {
		b.t.Errorf("want %s: %s", state, out)
	}
}

// keeps checks that as many files hold the word, in the folder or in the tries, as
// there were.
func (b *bench) keeps(word, seen string) {
	b.t.Helper()
	want, state := strings.Count(seen, "\n"+word+"\n"), b.state
	if state == "" {
		state = filepath.Join(b.dir, "home")
	}
	out, _ := exec.Command("grep", "-rlx", word, b.dir+"/work", state).Output()
	if got := strings.Count(string(out), "\n"); got < want {
		b.t.Errorf("%d files of %q are left of %d:\n%s", got, word, want, out)
	}
}
