package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"ua/cmd/ua-try/internal/try"
	"ua/internal/test/scripttest"
)

// keysOf collects the names of all members in lines of JSON.
func keysOf(t *testing.T, path string) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	keys := map[string]bool{}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for key, inner := range v {
				keys[key] = true
				walk(inner)
			}
		case []any:
			for _, inner := range v {
				walk(inner)
			}
		}
	}
	for d := json.NewDecoder(bytes.NewReader(text)); d.More(); {
		var v any
		if err := d.Decode(&v); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		walk(v)
	}
	return keys
}

// TestLayout: in a try's folder there is what FILES in ua-try(1) says, by its names. Other
// programs read these files.
func TestLayout(t *testing.T) {
	page, err := os.ReadFile("../../man/ua-try.1")
	if err != nil {
		t.Fatal(err)
	}
	d := desk(t, "a one\nd/b two\nl -> a\nx old\ngone g",
		"a three\nd !\nl -> x\nm six\nz =m\nn/new seven\nx "+strings.Repeat("y", 4000)+"\ngone !")
	d.Try.Title = "the title"
	if err := d.Try.Save(); err != nil {
		t.Fatal(err)
	}
	if err := d.Try.Finish(try.End{
		Ended: time.Now(), Status: 3, Running: true, Network: []string{"h:1"},
		Outside: []string{"/x"}, Deleted: []try.Place{{Cover: 0, Path: "gone"}},
	}); err != nil {
		t.Fatal(err)
	}
	d.Edit(d.Work, "x other") // which makes it raced
	if _, text, status := said(t, "apply", "--force"); status != 0 {
		t.Fatal(text)
	}
	landings, err := filepath.Glob(d.Try.Dir + "/landing/1.applied.jsonl")
	if err != nil || len(landings) != 1 {
		t.Fatalf("%q %v", landings, err)
	}
	_, files, _ := strings.Cut(string(page), "\n.Sh FILES\n")
	files, _, _ = strings.Cut(files, "\n.Sh ")
	plan := keysOf(t, landings[0])
	for kind := range strings.FieldsSeq("make replace remove folder attrs") {
		text, _ := os.ReadFile(landings[0])
		if plan[kind] = bytes.Contains(text, []byte(`{"kind":"`+kind+`"`)); !plan[kind] {
			t.Errorf("no step %s in\n%s", kind, text)
		}
	}
	found := map[string]map[string]bool{
		"try.json": keysOf(t, d.Try.Path("try.json")), "end.json": keysOf(t, d.Try.Path("end.json")),
		"manifest.jsonl": keysOf(t, d.Try.Path(try.ManifestFile)), "landing/N.STATE.jsonl": plan,
	}
	words := regexp.MustCompile(`(?m)^\.(?:Ic|Pq Ic|Cm) (.+)$`)
	separates := func(r rune) bool { return r == ' ' || r == ',' }
	states := []string{"applying", "applied", "undoing", "undone"}
	for item := range strings.SplitSeq(files, "\n.It Pa ") {
		name, text, _ := strings.Cut(item, "\n")
		keys, known := found[name]
		delete(found, name)
		if !known {
			continue
		}
		named := 0
		for _, match := range words.FindAllStringSubmatch(text, -1) {
			for word := range strings.FieldsFuncSeq(match[1], separates) {
				if len(word) < 2 || word == "device" || word == "link" ||
					slices.Contains(states, word) && name != "manifest.jsonl" ||
					word == "xattrs" || word == "try.json" || word == "skipped" {
					continue // needs root, an overlay or a refusal; states are in the file's name; another file's
				}
				if named++; !keys[word] {
					t.Errorf("%s has no %q, which the manual names; it has %q", name, word,
						slices.Sorted(maps.Keys(keys)))
				}
			}
		}
		if named == 0 {
			t.Errorf("%s: the manual names nothing in it", name)
		}
	}
	if len(found) > 0 {
		t.Errorf("not in the manual: %v", slices.Collect(maps.Keys(found)))
	}
	for _, name := range []string{"lock", "layers/0/upper", "landing/1.kept"} {
		if _, err := os.Lstat(d.Try.Path(name)); err != nil {
			t.Error(err)
		}
	}
}

// TestOthersCanLock: "lock: locked (flock(2)) while the command, an apply or an undo is
// running", by the tool that scripts have for that.
func TestOthersCanLock(t *testing.T) {
	scripttest.Need(t, "flock")
	b := newBench(t, os.Geteuid())
	work := filepath.Join(b.dir, "work")
	out, err := b.run(work, nil, "ua-try", "--quiet", "--link", b.dir+"/link", "--", "sh", "-c",
		"echo x >a; ls -A $UA_TRY; flock --nonblock "+b.dir+"/none true && echo free; "+
			"! flock --nonblock "+b.dir+"/link/lock true || echo locked by nobody")
	if err != nil || out != "free\n" {
		t.Errorf("%q %v: the try's folder is not empty, or its lock is free", out, err)
	}
	_, err = b.run(work, nil, "/usr/bin/flock", "--nonblock", b.dir+"/link/lock", "true")
	if err != nil {
		t.Errorf("still locked: %v", err)
	}
	cmd := b.command(work, nil, "/usr/bin/flock", b.dir+"/link/lock", b.bin+"/ua-try", "apply")
	text, _ := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != 75 || !strings.Contains(string(text), "in use") {
		t.Errorf("an apply of a locked try: %s: %v", text, cmd.ProcessState)
	}
}
