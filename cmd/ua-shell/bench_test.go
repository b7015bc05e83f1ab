package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"ua/internal/test/scripttest"
)

// wrapped is the ways to run a command line of sh in a terminal, by what is around
// it.
func wrapped(b *testing.B) []struct {
	name string
	argv func(script string) []string
} {
	scripttest.Need(b, "script", "tmux", "bash")
	ua := filepath.Join(scripttest.Bin(b), "ua-shell")
	rc := filepath.Join(b.TempDir(), "home")
	os.Mkdir(rc, 0o755)
	b.Setenv("HOME", rc)
	b.Setenv("TERM", "xterm-256color")
	inBash := func(s string) []string {
		os.WriteFile(filepath.Join(rc, ".bashrc"),
			[]byte("PROMPT_COMMAND='PROMPT_COMMAND=; "+s+"; exit'\n"), 0o644)
		return []string{"bash"}
	}
	return []struct {
		name string
		argv func(script string) []string
	}{
		{"bare", func(s string) []string { return []string{"/bin/sh", "-c", s} }},
		{"script", func(s string) []string { return []string{"script", "-qfec", s, "/dev/null"} }},
		{"tmux", func(s string) []string {
			return []string{"tmux", "-L", "bench" + strconv.Itoa(os.Getpid()), "-f", "/dev/null",
				"new-session", s}
		}},
		{"ua-shell --no-agent", func(s string) []string {
			return []string{ua, "--no-agent", "--shell", "/bin/sh", "--", "-c", s}
		}},
		// The agent takes a shell that reads a start-up file: the same under script(1).
		{"script bash", func(s string) []string {
			return []string{"script", "-qfec", inBash(s)[0], "/dev/null"}
		}},
		{"ua-shell", func(s string) []string {
			return append([]string{ua, "--shell"}, inBash(s)...)
		}},
	}
}

// size is that of the terminal, in which the command runs.
var size = &pty.Winsize{Rows: 40, Cols: 120}

// BenchmarkOutput prints 50 MB of lines of text in each way, turn by turn, since a machine
// is now faster and now slower. The medians are in MB/s; "of-script" is the median of
// what a way passes for each byte that script(1) with the same shell in it passes in the
// same turn.
func BenchmarkOutput(b *testing.B) {
	const line = "The quick brown fox jumps over the lazy dog, and over 1234 other sleepy ones.\n"
	file := filepath.Join(b.TempDir(), "text")
	os.WriteFile(file, bytes.Repeat([]byte(line), 650_000), 0o644)
	ways := wrapped(b)
	rates, ratios := make([][]float64, len(ways)), make([][]float64, len(ways))
	for b.Loop() {
		var script float64
		for i, w := range ways {
			began := time.Now()
			print50MB(b, w.argv("cat "+file))
			rate := float64(len(line)) * 0.65 / time.Since(began).Seconds()
			rates[i] = append(rates[i], rate)
			switch w.name {
			case "script", "script bash":
				script = rate
			case "ua-shell", "ua-shell --no-agent":
				ratios[i] = append(ratios[i], rate/script)
			}
		}
	}
	for i, w := range ways {
		name := strings.ReplaceAll(w.name, " ", "")
		b.ReportMetric(median(rates[i]), name+"-MB/s")
		if len(ratios[i]) > 0 {
			b.ReportMetric(median(ratios[i]), name+"-of-script")
		}
	}
}

func print50MB(b *testing.B, argv []string) {
	cmd := exec.Command(argv[0], argv[1:]...)
	tty, err := pty.StartWithSize(cmd, size)
	if err != nil {
		b.Fatal(err)
	}
	for buf := make([]byte, 256<<10); err == nil; {
		_, err = tty.Read(buf)
	}
	tty.Close()
	cmd.Wait()
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

// BenchmarkEcho types keys, one after the other, that the kernel echoes.
func BenchmarkEcho(b *testing.B) {
	for _, w := range wrapped(b) {
		b.Run(w.name, func(b *testing.B) {
			argv := w.argv("stty -icanon; echo READY; exec sleep 1000")
			cmd := exec.Command(argv[0], argv[1:]...)
			tty, err := pty.StartWithSize(cmd, size)
			if err != nil {
				b.Fatal(err)
			}
			defer func() {
				tty.Close()
				cmd.Process.Kill()
				cmd.Wait()
				exec.Command("tmux", "-L", "bench"+strconv.Itoa(os.Getpid()), "kill-server").Run()
			}()
			buf := make([]byte, 64<<10)
			var seen []byte
			for !bytes.Contains(seen, []byte("READY")) {
				n, err := tty.Read(buf)
				if err != nil {
					b.Fatal(err)
				}
				seen = append(seen, buf[:n]...)
			}
			time.Sleep(200 * time.Millisecond)
			took := make([]time.Duration, 0, b.N)
			for b.Loop() {
				began := time.Now()
				tty.WriteString("x")
				for {
					n, err := tty.Read(buf)
					if err != nil {
						b.Fatal(err)
					}
					if bytes.IndexByte(buf[:n], 'x') >= 0 {
						break
					}
				}
				took = append(took, time.Since(began))
				time.Sleep(time.Millisecond)
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "µs/median")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "µs/p99")
		})
	}
}
