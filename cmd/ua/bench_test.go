package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"ua/internal/test/modeltest"
	"ua/internal/test/scripttest"
)

// A bench is a model server without delay that remembers when it was asked.
type bench struct {
	mu      sync.Mutex
	answers []string
	ended   time.Time       // when the last answer was out
	gaps    []time.Duration // from the end of an answer to the next request
	first   int             // bytes of the first request
}

func (s *bench) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	turn := bytes.Count(body, []byte(`"role":"assistant"`))
	s.mu.Lock()
	if turn == 0 {
		s.first = len(body)
	} else {
		s.gaps = append(s.gaps, time.Since(s.ended))
	}
	s.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	io.WriteString(w, s.answers[min(turn, len(s.answers)-1)])
	w.(http.Flusher).Flush()
	s.mu.Lock()
	s.ended = time.Now()
	s.mu.Unlock()
}

// serve serves n turns with a command each, then a last text.
func serve(b *testing.B, n int, command string) (*bench, []string) {
	s := &bench{}
	for i := range n {
		s.answers = append(s.answers,
			modeltest.Messages("text: I look at it.\ncall: "+fmt.Sprintf(command, i)))
	}
	s.answers = append(s.answers, modeltest.Messages("text: That is all."))
	server := httptest.NewServer(s)
	b.Cleanup(server.Close)
	dir := b.TempDir()
	return s, append(os.Environ(), "HOME="+dir, "XDG_STATE_HOME="+dir,
		"ANTHROPIC_BASE_URL="+server.URL, "UA_MODEL=anthropic/fake",
		"ANTHROPIC_API_KEY=sk-ant-test-key-0123456789")
}

// runUA returns the processor time of the run and of all that it waited for.
func runUA(b *testing.B, env []string) time.Duration {
	cmd := exec.Command(filepath.Join(scripttest.Bin(b), "ua"), "-q", "task")
	cmd.Env, cmd.Dir = env, b.TempDir()
	out, err := cmd.CombinedOutput()
	if err != nil || string(out) != "That is all.\n" {
		b.Fatalf("%v: %s", err, out)
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

// floor is what cannot be saved: the same requests over one connection and the
// same commands with bash, without gate, sandbox, journal or processes of ours.
func floor(b *testing.B, env []string, turns int, command string) {
	var url string
	for _, v := range env {
		if u, ok := strings.CutPrefix(v, "ANTHROPIC_BASE_URL="); ok {
			url = u
		}
	}
	body := `{"stream":true,"messages":[{"role":"user","content":"task"}`
	for i := range turns + 1 {
		resp, err := http.Post(url, "application/json", strings.NewReader(body+"]}"))
		if err != nil {
			b.Fatal(err)
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		if i < turns {
			out, _ := exec.Command("bash", "-c", fmt.Sprintf(command, i)).Output()
			body += fmt.Sprintf(`,{"role":"assistant","content":"x"},{"role":"user","content":%q}`, out)
		}
	}
}

func benchmarkTurns(b *testing.B, turns int, command string) {
	s, env := serve(b, turns, command)
	_, bareEnv := serve(b, turns, command)
	var bare, cpu time.Duration
	for b.Loop() {
		cpu += runUA(b, env)
		b.StopTimer()
		from := time.Now()
		floor(b, bareEnv, turns, command)
		bare += time.Since(from)
		b.StartTimer()
	}
	ua := b.Elapsed()
	s.mu.Lock()
	defer s.mu.Unlock()
	slices.Sort(s.gaps)
	gap := s.gaps[len(s.gaps)/2]
	b.ReportMetric(float64(ua.Microseconds())/1000/float64(b.N), "ms/run")
	b.ReportMetric(float64(cpu.Microseconds())/1000/float64(b.N), "cpu-ms/run")
	b.ReportMetric(float64(ua)/float64(bare), "x-floor")
	b.ReportMetric(float64(gap.Microseconds())/1000, "gap-ms")
	b.ReportMetric(float64(s.first), "first-request-B")
}

// BenchmarkShort is three calls and two commands.
func BenchmarkShort(b *testing.B) { benchmarkTurns(b, 2, "echo hello %d") }

// Benchmark50Turns is 51 calls and 50 commands.
func Benchmark50Turns(b *testing.B) { benchmarkTurns(b, 50, "true %d") }

// Benchmark20AtOnce is 20 short runs started together.
func Benchmark20AtOnce(b *testing.B) {
	_, env := serve(b, 2, "echo hello %d")
	for b.Loop() {
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() { runUA(b, env) })
		}
		wg.Wait()
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N), "ms/20-runs")
}

// BenchmarkMemory is the anonymous memory of the whole tree while a command
// runs (proc(5), smaps_rollup).
func BenchmarkMemory(b *testing.B) {
	_, env := serve(b, 1, "sleep 0.4; echo %d")
	most := 0
	for b.Loop() {
		cmd := exec.Command(filepath.Join(scripttest.Bin(b), "ua"), "-q", "task")
		cmd.Env, cmd.Dir = env, b.TempDir()
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		time.Sleep(250 * time.Millisecond)
		kb := 0
		for _, p := range descendants(cmd.Process.Pid) {
			kb += smaps(p.pid, "Anonymous:")
		}
		most = max(most, kb)
		cmd.Wait()
	}
	b.ReportMetric(float64(most)/1000, "anon-MB")
}

// smaps is a field, in kB, of a process's memory.
func smaps(pid int, field string) (kb int) {
	f, err := os.Open(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if fields := strings.Fields(s.Text()); len(fields) > 1 && fields[0] == field {
			kb, _ = strconv.Atoi(fields[1])
		}
	}
	return kb
}
