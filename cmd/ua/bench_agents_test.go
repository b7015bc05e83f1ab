package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"ua/internal/test/modeltest"
	"ua/internal/test/scripttest"
)

// answeringFor is a model server without delay: what it says to each model, turn by turn.
func answeringFor(b *testing.B, models map[string][]string) (env []string) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		answers := models[gjson.GetBytes(body, "model").Str]
		turn := bytes.Count(body, []byte(`"role":"assistant"`))
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, modeltest.Messages(answers[min(turn, len(answers)-1)]))
	}))
	b.Cleanup(server.Close)
	dir := b.TempDir()
	os.MkdirAll(filepath.Join(dir, ".config/ua"), 0o700)
	os.WriteFile(filepath.Join(dir, ".config/ua/config.toml"), []byte(leafAllowed), 0o600)
	return append(os.Environ(), "HOME="+dir, "XDG_STATE_HOME="+dir, "ANTHROPIC_BASE_URL="+server.URL,
		"UA_MODEL=anthropic/fake", "ANTHROPIC_API_KEY=sk-ant-test-key-0123456789",
		"PATH="+scripttest.Bin(b)+":"+os.Getenv("PATH"))
}

// runsOf is the folder of runs that env names.
func runsOf(env []string) (dir string) {
	for _, v := range env {
		if home, ok := strings.CutPrefix(v, "XDG_STATE_HOME="); ok {
			dir = filepath.Join(home, "ua/runs")
		}
	}
	return dir
}

// BenchmarkAgents is 20, 100 and 500 agents at once, each with two commands. While all
// of them are in their second one their memory is looked at (proc(5), smaps_rollup),
// in a round of its own; every one has to leave its answer and a whole journal.
func BenchmarkAgents(b *testing.B) {
	for _, n := range []int{20, 100, 500} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			env := answeringFor(b, map[string][]string{
				"fake":  {"call: echo one", "call: echo two", "text: done"},
				"waits": {"call: echo one", "call: echo x >\"$TMPDIR/x\"; read x <gate", "text: done"},
			})
			var cpu time.Duration
			for b.Loop() {
				cpu += together(b, n, env, b.TempDir(), nil)
			}
			ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 / float64(b.N) }
			b.ReportMetric(ms(b.Elapsed()), "wall-ms")
			b.ReportMetric(ms(cpu)/float64(n), "cpu-ms/agent")
			b.ReportMetric(float64(pssOfWaiting(b, n, env))/float64(n)/1024, "PSS-MiB/agent")
			whole := 0
			journals, _ := filepath.Glob(filepath.Join(runsOf(env), "*/journal.jsonl"))
			for _, path := range journals {
				text, _ := os.ReadFile(path)
				if bytes.Count(text, []byte(`"type":"tool_result"`)) == 2 &&
					bytes.Contains(text, []byte(`"type":"summary"`)) {
					whole++
				}
			}
			b.ReportMetric(float64(n*(b.N+1)-whole), "lost")
		})
	}
}

// together starts n agents at once and returns the processor time of all. With waiting
// that is called while they run, and has to come back when one has ended.
func together(b *testing.B, n int, env []string, dir string,
	waiting func(ended <-chan struct{}, agents []*exec.Cmd)) (cpu time.Duration) {
	b.Helper()
	cmds, outs := make([]*exec.Cmd, n), make([]bytes.Buffer, n)
	for i := range cmds {
		cmds[i] = exec.Command(filepath.Join(scripttest.Bin(b), "ua"), "-q", "task")
		cmds[i].Env, cmds[i].Dir = env, dir
		cmds[i].Stdout, cmds[i].Stderr = &outs[i], &outs[i]
		if err := cmds[i].Start(); err != nil {
			b.Fatal(err)
		}
	}
	errs, ended := make([]error, n), make(chan struct{}, n)
	var all sync.WaitGroup
	for i, cmd := range cmds {
		all.Go(func() {
			errs[i] = cmd.Wait()
			ended <- struct{}{}
		})
	}
	if waiting != nil {
		waiting(ended, cmds)
	}
	all.Wait()
	for i, cmd := range cmds {
		if err := errs[i]; err != nil || outs[i].String() != "done\n" {
			b.Fatalf("agent %d: %v: %s", i, err, &outs[i])
		}
		cpu += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	return cpu
}

// pssOfWaiting is the proportional memory, in kB, of n agents that all wait in a
// command.
func pssOfWaiting(b *testing.B, n int, env []string) (kb int) {
	dir := b.TempDir()
	gate := filepath.Join(dir, "gate")
	if err := syscall.Mkfifo(gate, 0o600); err != nil {
		b.Fatal(err)
	}
	env = append(env, "UA_MODEL=anthropic/waits")
	together(b, n, env, dir, func(ended <-chan struct{}, cmds []*exec.Cmd) {
		var all []process
		for waiting := 0; waiting < n && len(ended) == 0; time.Sleep(100 * time.Millisecond) {
			waiting, all = 0, processes()
			for _, p := range all {
				if strings.Contains(p.name, "read x <gate") {
					waiting++
				}
			}
		}
		ours := map[int]bool{}
		for _, cmd := range cmds {
			ours[cmd.Process.Pid] = true
		}
		for again := true; again; {
			again = false
			for _, p := range all {
				if ours[p.ppid] && !ours[p.pid] {
					ours[p.pid], again = true, true
				}
			}
		}
		for pid := range ours {
			kb += smaps(pid, "Pss:")
		}
		f, err := os.OpenFile(gate, os.O_RDWR, 0)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { f.Close() })
		f.WriteString(strings.Repeat("x\n", n))
	})
	return kb
}

// BenchmarkDelegation is what a subagent that answers at once costs: more than a plain
// sh -c in its place, and against a run of its own. The three take turns.
func BenchmarkDelegation(b *testing.B) {
	env := answeringFor(b, map[string][]string{
		"plain": {"call: sh -c 'echo done'", "text: done"},
		"fake":  {"call: ua -m anthropic/leaf part", "text: done"},
		"leaf":  {"text: done"},
	})
	var took [3]time.Duration
	for b.Loop() {
		for i, model := range []string{"plain", "fake", "leaf"} {
			from := time.Now()
			together(b, 1, append(env, "UA_MODEL=anthropic/"+model), b.TempDir(), nil)
			took[i] += time.Since(from)
		}
	}
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 / float64(b.N) }
	b.ReportMetric(ms(took[1]-took[0]), "ms/delegation")
	b.ReportMetric(ms(took[2]), "ms/run")
	b.ReportMetric(float64(took[1]-took[0])/float64(took[2]), "x-run")
	found, _ := filepath.Glob(filepath.Join(runsOf(env), "*/sub/*/journal.jsonl"))
	if len(found) != b.N {
		b.Errorf("%d subagents of %d: %s", len(found), b.N, fmt.Sprint(found))
	}
}
