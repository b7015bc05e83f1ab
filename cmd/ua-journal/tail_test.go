package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ua/cmd/ua-journal/internal/store"
	"ua/internal/common/event"
)

// A follower goes on over what is added, over a redaction, which puts another
// file in place with as many lines, and over a log that is put aside.
func TestFollow(t *testing.T) {
	p := newPlace(t)
	add := func(names ...string) {
		t.Helper()
		cmd := p.command("append", "./j.jsonl")
		var in strings.Builder
		for _, n := range names {
			fmt.Fprintf(&in, `{"type":"message","name":%q,"text":"secret %s"}`+"\n", n,
				strings.Repeat("x", 100<<10))
		}
		cmd.Stdin = strings.NewReader(in.String())
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	add("a", "b", "c")
	cmd := p.command("tail", "-n", "2", "-f", "./j.jsonl")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	r := bufio.NewReader(out)
	expect := func(names ...string) {
		t.Helper()
		for _, want := range names {
			line, err := r.ReadBytes('\n')
			if got := event.Str(line, "name"); err != nil || got != want {
				t.Fatalf("%q, want %q (%v)", got, want, err)
			}
		}
	}
	expect("b", "c")
	add("d")
	expect("d")
	if _, errs, status := p.run("redact", "--match", "secret", "./j.jsonl"); status != 0 {
		t.Fatal(errs)
	}
	add("e", "f")
	expect("e", "f")
	path := filepath.Join(p.dir, "j.jsonl")
	if err := os.Rename(path, path+".old"); err != nil {
		t.Fatal(err)
	}
	add("g")
	expect("g")
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	add("h")
	expect("h")
}

// What runs is seen while it runs, before the words of its turn are there.
func TestFollowedCommand(t *testing.T) {
	p := newPlace(t)
	add := func(lines string) {
		cmd := p.command("append", "./j.jsonl")
		cmd.Stdin = strings.NewReader(lines)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	add(`{"type":"tool_call","id":"a","name":"shell","input":{"command":"make test"}}` + "\n" +
		`{"type":"verdict","call_id":"a","risk":"build_test","decision":"allow"}` + "\n")
	cmd := p.command("show", "-f", "./j.jsonl")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	r := bufio.NewReader(out)
	for _, want := range []string{"❯ make test ▐ build_test\n",
		"  exit 0  1.0s  0 bytes\n", "Good.\n"} {
		if line, err := r.ReadString('\n'); line != want {
			t.Fatalf("%q, want %q (%v)", line, want, err)
		}
		if strings.HasPrefix(want, "❯") {
			add(`{"type":"tool_result","call_id":"a","exit_code":0,"duration_ms":1000}` + "\n" +
				`{"type":"response","content":[{"type":"text","text":"Good."}]}` + "\n")
		}
	}
}

// tail -n gives the last lines, whatever their length, and nothing more.
func TestLastLines(t *testing.T) {
	long := strings.Repeat("y", 200<<10)
	text := "a\n" + long + "\nb\n\nc\n"
	for n, want := range []string{"", "c\n", "\nc\n", "b\n\nc\n", long + "\nb\n\nc\n", text, text} {
		at, err := store.LastLines(strings.NewReader(text), int64(len(text)), n)
		if err != nil || text[at:] != want {
			t.Errorf("%d: %.20q, %v", n, text[at:], err)
		}
	}
}
