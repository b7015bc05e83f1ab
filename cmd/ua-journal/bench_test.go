package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ua/internal/test/scripttest"
)

// text is n lines of 1 KiB with events of a type.
func text(typ string, n int) []byte {
	var b bytes.Buffer
	for i := range n {
		head := fmt.Sprintf(`{"type":"`+typ+
			`","ts":"2026-11-21T19:11:44.123Z","call_id":"toolu_%d","status":"run","exit_code":0,`+
			`"output":"`, i)
		row := `-rw-r--r-- 1 me me 1024 Nov 21 19:11 a \"file\"\n`
		body := strings.Repeat(row, 20)[:1024-len(head)-5]
		fmt.Fprintf(&b, "%s%s\"}", head, strings.TrimRight(body, `\`))
		for b.Len()%1024 != 1023 {
			b.WriteByte(' ')
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// started is a command in dir, with its programs first on PATH.
func started(b *testing.B, dir, command string) *exec.Cmd {
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_STATE_HOME=",
		"PATH="+scripttest.Bin(b)+":"+os.Getenv("PATH"))
	return cmd
}

// BenchmarkAppend feeds lines through a pipe to what keeps them.
func BenchmarkAppend(b *testing.B) {
	sql := func(lines []byte) []byte {
		var out bytes.Buffer
		out.WriteString("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; CREATE TABLE t (line " +
			"TEXT);\n")
		for line := range bytes.Lines(lines) {
			fmt.Fprintf(&out, "INSERT INTO t VALUES ('%s');\n",
				bytes.ReplaceAll(bytes.TrimSpace(line), []byte("'"), []byte("''")))
		}
		return out.Bytes()
	}
	for _, c := range []struct {
		name, typ, command string
		lines              int
		form               func([]byte) []byte
	}{
		{"cat", "message", "cat >>out", 200000, nil},
		{"ua-journal", "message", "ua-journal append --sync none ./out.jsonl", 200000, nil},
		{"ua-journal-tee", "message", "ua-journal append --sync none --tee ./out.jsonl | cat >/dev/null",
			200000, nil},
		{"ua-journal-audit-sync", "tool_result", "ua-journal append ./out.jsonl", 50000, nil},
		{"jq", "message", "jq -c . >>out", 20000, nil},
		{"sqlite3", "message", "sqlite3 out.db >/dev/null", 20000, sql},
	} {
		b.Run(c.name, func(b *testing.B) {
			if _, err := exec.LookPath(c.name); err != nil && c.name != "cat" &&
				!strings.HasPrefix(c.name, "ua-") {
				scripttest.Skip(b, scripttest.Missing, "%s is not installed", c.name)
			}
			in := text(c.typ, c.lines)
			if c.form != nil {
				in = c.form(in)
			}
			for b.Loop() {
				b.StopTimer()
				dir := b.TempDir()
				os.Chmod(dir, 0o700)
				cmd := started(b, dir, c.command)
				cmd.Stdin = bytes.NewReader(in)
				b.StartTimer()
				if err := cmd.Run(); err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				os.RemoveAll(dir)
				b.StartTimer()
			}
			b.ReportMetric(float64(c.lines)*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
		})
	}
}

// BenchmarkLatency is the way of one line through append and back.
func BenchmarkLatency(b *testing.B) {
	line := text("message", 1)
	for _, command := range []string{"cat", "ua-journal append --tee --sync none ./j.jsonl",
		"ua-journal append --tee ./j.jsonl"} {
		b.Run(strings.ReplaceAll(command, " ", "_"), func(b *testing.B) {
			dir := b.TempDir()
			os.Chmod(dir, 0o700)
			cmd := started(b, dir, "exec "+command)
			in, _ := cmd.StdinPipe()
			out, _ := cmd.StdoutPipe()
			if err := cmd.Start(); err != nil {
				b.Fatal(err)
			}
			back := make([]byte, len(line))
			for b.Loop() {
				in.Write(line)
				if _, err := io.ReadFull(out, back); err != nil {
					b.Fatal(err)
				}
			}
			in.Close()
			cmd.Wait()
		})
	}
}

// journalOf makes a journal of so many MiB: turns with a call that prints 16 KiB.
func journalOf(b *testing.B, dir string, mib int) string {
	b.Helper()
	path := filepath.Join(dir, fmt.Sprintf("%d.jsonl", mib))
	cmd := started(b, dir, "exec ua-journal append --sync none "+path)
	call := `{"type":"tool_call","id":"c","name":"shell","input":{"command":"ls"}}`
	turn := []byte(`{"type":"turn","n":1}` + "\n" + call + "\n" +
		`{"type":"tool_result","call_id":"c","exit_code":0,"output":"` + strings.Repeat("x", 16<<10) +
		`"}` + "\n" +
		`{"type":"response","model":"a/b","content":[{"type":"tool_use","id":"c","name":"shell",` +
		`"input":{"command":"ls"}}]}` + "\n")
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	io.WriteString(in, `{"type":"run","id":"r"}`+"\n"+`{"type":"instruction","text":"count"}`+"\n")
	for n := 0; n < mib<<20; n += len(turn) {
		in.Write(turn)
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		b.Fatal(err)
	}
	return path
}

// BenchmarkRead reads a conversation of 60,000 tokens from journals of 1 MiB,
// 100 MiB and 1 GiB, as a process; verify walks the chain of the last one, and a
// follower's memory is measured on it.
func BenchmarkRead(b *testing.B) {
	dir := b.TempDir()
	os.Chmod(dir, 0o700)
	for _, mib := range []int{1, 100, 1024} {
		path := journalOf(b, dir, mib)
		b.Run(fmt.Sprintf("%dMiB", mib), func(b *testing.B) {
			for b.Loop() {
				if err := started(b, dir, "exec ua-journal read "+path+" >/dev/null").Run(); err != nil {
					b.Fatal(err)
				}
			}
		})
		if mib < 1024 {
			continue
		}
		b.Run("verify", func(b *testing.B) {
			info, _ := os.Stat(path)
			b.SetBytes(info.Size())
			for b.Loop() {
				if err := started(b, dir, "exec ua-journal verify "+path+" >/dev/null").Run(); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("follow", func(b *testing.B) {
			for b.Loop() {
				follow(b, dir, path)
			}
		})
	}
}

// follow reports the peak memory of a follower of the journal at path.
func follow(b *testing.B, dir, path string) {
	cmd := started(b, dir, "exec ua-journal tail -f "+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	r := bufio.NewReader(out)
	more := started(b, dir, `echo '{"type":"last"}' | ua-journal append --sync none `+path)
	if err := more.Run(); err != nil {
		b.Fatal(err)
	}
	for {
		line, err := r.ReadBytes('\n')
		if err != nil {
			b.Fatal(err)
		}
		if bytes.Contains(line, []byte(`"last"`)) {
			break
		}
	}
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
	_, peak, _ := strings.Cut(string(status), "VmHWM:")
	var kib float64
	fmt.Sscan(peak, &kib)
	b.ReportMetric(kib/1024, "MiB")
}

// BenchmarkPath is the start of the program with the least to do, beside
// true(1).
func BenchmarkPath(b *testing.B) {
	dir := b.TempDir()
	if err := started(b, dir, "ua-journal new >/dev/null").Run(); err != nil {
		b.Fatal(err)
	}
	bin := scripttest.Bin(b)
	for _, args := range [][]string{{"/bin/true"}, {filepath.Join(bin, "ua-journal"), "path"}} {
		b.Run(filepath.Base(args[0]), func(b *testing.B) {
			for b.Loop() {
				cmd := exec.Command(args[0], args[1:]...)
				cmd.Env = []string{"HOME=" + dir}
				if err := cmd.Run(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
