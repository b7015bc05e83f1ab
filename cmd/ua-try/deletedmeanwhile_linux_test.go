package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Ways in which a command can change f, a file with "one", in a folder of its own, and
// whether an apply is in conflict with a person who deletes f while the command runs.
var overDeleted = []struct {
	name, script string
	conflict     bool
}{
	{"written anew", "echo two >f", true},
	{"added to", "echo two >>f", true},
	{"cut", "truncate -s 0 f", true},
	{"written in place", "printf two | dd of=f conv=notrunc status=none", true},
	{"replaced", "echo two >new; mv new f", true},
	{"edited by sed", "sed -i s/one/two/ f", true},
	{"removed and made", "rm f; echo two >f", true},
	{"made a link", "ln -sf nowhere f", true},
	{"through a link", "ln -s f g; echo two >g", true},
	{"in a moved folder's place", "cd ..; mv moved to; mkdir moved; echo two >moved/f", true},
	{"made a folder", "rm f; mkdir f; echo two >f/g", false}, // neither change is lost
	{"removed", "rm f", false},
	{"moved", "mv f g", false},
	{"read", "cat f", false},
	{"another", "echo two >g", false},
	{"in vain", "mkdir f || ln g f || :", false},
	{"its mode", "chmod 600 f", false}, // CAVEATS of the manual
	{"its time", "touch -c -d 2001-01-01 f", false},
	{"a link to it", "ln f g; echo two >g", false},
}

// A file that a person deletes while a command changes it is a conflict: to bring it back
// goes over the person's change as much as to delete a changed file does.
func TestDeletedMeanwhile(t *testing.T) {
	for _, uid := range users() {
		b := newBench(t, uid)
		work, script := b.dir+"/work", ""
		want := map[string]bool{}
		for i, c := range overDeleted {
			dir := fmt.Sprint("d", i)
			if strings.HasPrefix(c.script, "cd ..") {
				dir = "moved"
			}
			b.must(work, "/bin/sh", "-c", "mkdir "+dir+" && echo one >"+dir+"/f")
			script += fmt.Sprintf("(cd %s && %s)\n", dir, c.script)
			if c.conflict {
				want[work+"/"+dir+"/f"] = true
			}
		}
		// The person deletes each file, one with its folder, after the command's changes.
		b.meanwhile(script, "rm -r d0; rm -f */f")
		if now := b.must(work, "/bin/sh", "-c", "ls -d */* 2>/dev/null || :"); now != "" {
			t.Fatalf("uid %d: the view is no view: %q", uid, now)
		}
		_, err := b.run(work, nil, "ua-try", "apply")
		told := map[string]bool{}
		for line := range strings.Lines(fmt.Sprint(err)) {
			if path, ok := strings.CutSuffix(line, ": changed since\n"); ok {
				told[strings.TrimPrefix(path, "ua-try: ")] = true
			}
		}
		for i, c := range overDeleted {
			path := fmt.Sprintf("%s/d%d/f", work, i)
			if told[path] != want[path] {
				t.Errorf("uid %d: %s: a conflict: %v", uid, c.name, told[path])
			}
			delete(told, path)
			delete(want, path)
		}
		if len(told) != len(want) || !told[work+"/moved/f"] {
			t.Errorf("uid %d: told: %v, want %v", uid, told, want)
		}
		if now := b.must(work, "/bin/sh", "-c", "ls -d */* 2>/dev/null || :"); now != "" {
			t.Errorf("uid %d: a refused apply made %q", uid, now)
		}
		b.must(work, "ua-try", "apply", "--force")
		if text, err := os.ReadFile(filepath.Join(work, "d0/f")); string(text) != "two\n" {
			t.Errorf("uid %d: forced: %q %v", uid, text, err)
		}
		b.must(work, "ua-try", "undo")
		if now := b.must(work, "/bin/sh", "-c", "ls -d */* 2>&1 || :"); strings.Contains(now, "/f\n") {
			t.Errorf("uid %d: taken back: %q", uid, now)
		}
	}
}

// meanwhile runs a shell command in a try and, before it ends with 3, another one in the
// folder. It returns the status of the try.
func (b *bench) meanwhile(command, other string) int {
	b.t.Helper()
	cmd := b.command(b.dir+"/work", nil, "ua-try", "--quiet", "--", "/bin/sh", "-c",
		"{\n"+command+"\n} >/dev/null 2>&1; echo done; read line; exit 3")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		b.t.Errorf("%q %v", line, err)
	}
	b.must(b.dir+"/work", "/bin/sh", "-c", other)
	in.Close()
	_ = cmd.Wait()
	return cmd.ProcessState.ExitCode()
}

// TestManyDeletedMeanwhile: what is told of the command is longer than a pipe holds and a
// line mostly is, and its status comes with it.
func TestManyDeletedMeanwhile(t *testing.T) {
	b := newBench(t, os.Getuid())
	const count = 1500
	const each = "for i in $(seq 1500); do echo %s >" +
		"a-name-of-sixty-bytes-or-more-which-takes-up-room-in-a-line-$i; done"
	b.must(b.dir+"/work", "/bin/sh", "-c", fmt.Sprintf(each, "one"))
	if status := b.meanwhile(fmt.Sprintf(each, "two"), "rm a-name*"); status != 3 {
		t.Errorf("status %d", status)
	}
	_, err := b.run(b.dir+"/work", nil, "ua-try", "apply")
	want := fmt.Sprintf("nothing was applied: %d conflicts", count)
	if !strings.Contains(fmt.Sprint(err), want) {
		t.Errorf("%.1000v", err)
	}
}
