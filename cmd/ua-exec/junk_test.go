package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
)

// junkMax is the most memory, in KiB, that ua-exec may take for 64 MB of junk: twice what it
// reads ahead, as the collector has it, and itself.
const junkMax = 260 << 10

// peak is the most memory, in KiB, that a process has had so far.
func peak(pid int) (kib int) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	fmt.Sscan(rest, &kib)
	return kib
}

// TestJunk sends 64 MB of lines of which each is small, or says something of a call that has
// not come, while a command runs in front of them: the memory is bounded, all that is no
// event of ours comes out again, and the command's result too.
func TestJunk(t *testing.T) {
	fat := strings.Repeat("x", 6000)
	for name, line := range map[string]func(i int) string{
		"small events": func(int) string { return `{"type":"x"}` },
		"denials": func(i int) string {
			return fmt.Sprintf(`{"type":"verdict","call_id":"%d%s","risk":"write",`+
				`"decision":"deny","reason":"%s"}`, i, fat, fat)
		},
		"answers": func(i int) string {
			return fmt.Sprintf(`{"type":"tool_result","call_id":"%d%s","output":""}`, i, fat)
		},
		"calls": func(i int) string {
			return fmt.Sprintf(`{"type":"tool_call","id":"%d","name":"shell","input":{"command":":"}}`+"\n"+
				`{"type":"verdict","call_id":"%d","risk":"write","decision":"allow","profile":"workspace"}`+
				"\n"+`{"type":"response"}`, i, i)
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := start(t, "--unconfined")
			fifo := filepath.Join(l.cmd.Dir, "go")
			l.send(task{command: "mkfifo go; cat go"})
			until(t, "it runs", func() bool { _, err := os.Lstat(fifo); return err == nil })
			pid := worker(l.cmd.Process.Pid)
			var sent, size atomic.Int64
			ends := int64(strings.Count(lines(task{}), "call_end"))
			go func() {
				out := bufio.NewWriter(l.stdin)
				for size.Load() < 64<<20 {
					text := line(int(sent.Load())) + "\n"
					io.WriteString(out, text)
					sent.Add(1)
					size.Add(int64(len(text)))
				}
				out.Flush()
				l.stdin.Close()
			}()
			still, before := 0, int64(-1)
			until(t, "it no longer reads of them, or has all", func() bool {
				now := sent.Load()
				if still++; now != before {
					still, before = 0, now
				}
				return still == 50
			})
			if got := peak(pid); got == 0 || got > junkMax {
				t.Errorf("ua-exec took %d KiB for %d lines", got, sent.Load())
			}
			if name == "calls" {
				l.cmd.Process.Signal(syscall.SIGTERM)
				io.Copy(io.Discard, l.out)
				l.cmd.Wait()
				return
			}
			if err := os.WriteFile(fifo, []byte("on\n"), 0); err != nil {
				t.Fatal(err)
			}
			var passed, wrong int64
			result := false
			for {
				line, err := l.out.ReadBytes('\n')
				if err != nil {
					break
				}
				switch {
				case strings.Contains(string(line), `"c1"`):
					if event.Type(line) == "tool_result" {
						result = text(gjson.ParseBytes(line)) == "on"
					}
				case event.Type(line) == "error":
					wrong++
				default:
					passed++
				}
			}
			if err := l.cmd.Wait(); err != nil || !result || passed != sent.Load()+ends || wrong > 1 {
				t.Errorf("%v; result %v; %d of %d lines, %d errors", err, result, passed, sent.Load(), wrong)
			}
		})
	}
}
