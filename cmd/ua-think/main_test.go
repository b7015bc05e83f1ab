package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/test/modeltest"
)

// A result is what one run of ua-think gave.
type result struct {
	events []gjson.Result
	out    string
	stderr string
	status int
}

// think runs ua-think in this process with files for its streams.
func think(t testing.TB, stdin string, args ...string) result {
	t.Helper()
	dir := t.TempDir()
	open := func(name, text string) *os.File {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := os.OpenFile(filepath.Join(dir, name), os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { file.Close() })
		return file
	}
	env := &prog.Env{Name: "ua-think", Args: args, Stdin: open("in", stdin), Stdout: open("out", ""),
		Stderr: open("err", "")}
	var o result
	o.status = env.Report(start(env))
	out, _ := os.ReadFile(filepath.Join(dir, "out"))
	stderr, _ := os.ReadFile(filepath.Join(dir, "err"))
	o.out, o.stderr = string(out), string(stderr)
	for _, line := range strings.Split(strings.TrimSpace(o.out), "\n") {
		if event.Valid([]byte(line)) {
			o.events = append(o.events, gjson.Parse(line))
		}
	}
	for _, stream := range []string{o.out, o.stderr} {
		if strings.Contains(stream, modeltest.Secret) {
			t.Errorf("the key stands in %q", stream)
		}
	}
	return o
}

// all is the events of a type.
func (o result) all(typ string) (list []gjson.Result) {
	for _, e := range o.events {
		if e.Get("type").Str == typ {
			list = append(list, e)
		}
	}
	return list
}

// one is the single event of a type.
func (o result) one(t testing.TB, typ string) gjson.Result {
	t.Helper()
	list := o.all(typ)
	if len(list) != 1 {
		t.Fatalf("%d events %q in %s\n%s", len(list), typ, o.out, o.stderr)
	}
	return list[0]
}

// said is the text of all deltas of a kind.
func (o result) said(kind string) (text string) {
	for _, e := range o.all("delta") {
		if e.Get("kind").Str == kind {
			text += e.Get("text").Str
		}
	}
	return text
}
