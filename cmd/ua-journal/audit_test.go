package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A log that is gone while an append waits for its next line is made anew.
func TestLogGone(t *testing.T) {
	p := newPlace(t)
	log := filepath.Join(p.dir, ".local/state/ua/audit.jsonl")
	cmd := p.command("append", "--tee", "./j.jsonl")
	in, out := piped(t, cmd)
	r := bufio.NewReader(out)
	for _, id := range []string{"first", "second"} {
		fmt.Fprintf(in, `{"type":"tool_call","id":%q}`+"\n", id)
		if _, err := r.ReadSlice('\n'); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(log)
		if err != nil || strings.Count(string(b), "\n") != 1 || !strings.Contains(string(b), id) {
			t.Errorf("%s: %v, %s", id, err, b)
		}
		os.Remove(log)
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
