package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"ua/internal/test/modeltest"
	"ua/internal/test/scripttest"
)

// BenchmarkStart starts ua-think for one question: how long until the server
// reads the first byte of the request, and how long the whole run takes.
func BenchmarkStart(b *testing.B) {
	arrived := make(chan time.Time, 1)
	f := modeltest.NewServer(b, func(n int, api string, _ gjson.Result) modeltest.Reply {
		arrived <- time.Now()
		return modeltest.Done(api)
	})
	f.Use(b)
	bin := filepath.Join(scripttest.Bin(b), "ua-think")
	var first time.Duration
	for b.Loop() {
		cmd := exec.Command(bin, "--model", "anthropic/claude-sonnet-5-5", "hello")
		start := time.Now()
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		first += (<-arrived).Sub(start)
		if err := cmd.Wait(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(first.Microseconds())/float64(b.N)/1e3, "ms-to-request")
}

// BenchmarkMemory is the peak resident memory of a run with a 10 MiB answer of
// words, and of one with a short answer.
func BenchmarkMemory(b *testing.B) {
	for name, says := range map[string]modeltest.Say{
		"short": {Kind: "text", Text: "Done."},
		"10MiB": {Kind: "text", Text: strings.Repeat("some words, ", 10<<20/12), Piece: 12},
	} {
		b.Run(name, func(b *testing.B) {
			pieces := []string{strings.Join(modeltest.Stream("anthropic", "end_turn", says), "")}
			f := modeltest.NewServer(b, func(n int, api string, _ gjson.Result) modeltest.Reply {
				return modeltest.Reply{Pieces: pieces}
			})
			f.Use(b)
			peak := 0
			for b.Loop() {
				cmd := exec.Command(filepath.Join(scripttest.Bin(b), "ua-think"), "--model",
					"anthropic/claude-sonnet-5-5", "hello")
				if err := cmd.Start(); err != nil {
					b.Fatal(err)
				}
				ended := make(chan error, 1)
				go func() { ended <- cmd.Wait() }()
				for running := true; running; {
					peak = max(peak, highWater(cmd.Process.Pid))
					select {
					case err := <-ended:
						if running = false; err != nil {
							b.Fatal(err)
						}
					case <-time.After(2 * time.Millisecond):
					}
				}
			}
			b.ReportMetric(float64(peak)/1024, "MiB-peak")
		})
	}
}

// highWater is the most memory, in KiB, that a process has had so far. The
// kernel's own count at its end holds what it was before its exec, too.
func highWater(pid int) (kib int) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	fmt.Sscan(rest, &kib)
	return kib
}
