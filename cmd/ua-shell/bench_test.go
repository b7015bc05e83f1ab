package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/creack/pty"

	"ua/internal/common/scripttest"
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
		{"ua-shell", func(s string) []string {
			os.WriteFile(filepath.Join(rc, ".bashrc"),
				[]byte("PROMPT_COMMAND='PROMPT_COMMAND=; "+s+"; exit'\n"), 0o644)
			return []string{ua, "--shell", "bash"}
		}},
	}
}

// size is that of the terminal, in which the command runs.
var size = &pty.Winsize{Rows: 40, Cols: 120}

// BenchmarkOutput prints 50 MB of lines of text.
func BenchmarkOutput(b *testing.B) {
	file := filepath.Join(b.TempDir(), "text")
	os.WriteFile(file, bytes.Repeat([]byte("The quick brown fox jumps over the lazy dog, and over "+
		"1234 other sleepy ones.\n"), 650_000), 0o644)
	for _, w := range wrapped(b) {
		b.Run(w.name, func(b *testing.B) {
			b.SetBytes(78 * 650_000)
			buf := make([]byte, 256<<10)
			for range b.N {
				argv := w.argv("cat " + file)
				cmd := exec.Command(argv[0], argv[1:]...)
				tty, err := pty.StartWithSize(cmd, size)
				if err != nil {
					b.Fatal(err)
				}
				for err == nil {
					_, err = tty.Read(buf)
				}
				tty.Close()
				cmd.Wait()
			}
		})
	}
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
