package main

import (
	"bufio"
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"ua/internal/test/scripttest"
)

// TestCollector sends a tree of agents to the OpenTelemetry collector's own receiver,
// and has every span come out with its place, its times and its attributes.
func TestCollector(t *testing.T) {
	if os.Getenv("UA_TEST_ENGINES") == "" {
		scripttest.Skip(t, scripttest.Elsewhere, "make test-engines builds the collector's receiver")
	}
	dir := t.TempDir()
	for from, to := range map[string]string{"main.txt": "main.go", "go.mod": "go.mod",
		"go.sum": "go.sum"} {
		text, err := os.ReadFile(filepath.Join("testdata/otlp-receiver", from))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, to), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(dir, "otlp-receiver")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	receiver := exec.Command(program)
	stdin, err := receiver.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := receiver.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := receiver.Start(); err != nil {
		t.Fatal(err)
	}
	defer receiver.Wait()
	defer stdin.Close()
	lines := bufio.NewReaderSize(stdout, 1<<20)
	url, _ := lines.ReadString('\n')
	body := export(t, "otlp", tree(t, t.TempDir(), 3))
	client := http.Client{Timeout: time.Minute}
	resp, err := client.Post(strings.TrimSpace(url), "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("%s", resp.Status)
	}
	spans, operations := map[string]gjson.Result{}, map[string]int{}
	const all = 3 + 3 + 3 + 9 // agents, turns, model calls, commands
	for range all {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("%d spans: %v", len(spans), err)
		}
		s := gjson.Parse(line)
		spans[s.Get("span").Str] = s
		operations[s.Get(`attributes.gen_ai\.operation\.name`).Str]++
		if s.Get("trace").Str != "0af7651916cd43dd8448eb211c80319c" || s.Get("ms").Int() < 0 ||
			s.Get(`resource.service\.name`).Str != "ua" {
			t.Errorf("%s", s)
		}
	}
	for _, s := range spans {
		if parent := s.Get("parent").Str; parent != "" && !spans[parent].Exists() {
			t.Errorf("no parent of %s", s)
		}
	}
	if got := fmt.Sprint(operations); len(spans) != all ||
		got != "map[:3 chat:3 execute_tool:9 invoke_agent:3]" {
		t.Errorf("%d spans: %s", len(spans), got)
	}
}
