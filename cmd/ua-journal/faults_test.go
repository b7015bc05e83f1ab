package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/test/scripttest"
)

// A place is a folder with a home, in which ua-journal runs.
type place struct {
	t   *testing.T
	dir string
	bin string
}

func newPlace(t *testing.T) *place {
	dir := t.TempDir()
	os.Chmod(dir, 0o700)
	return &place{t, dir, filepath.Join(scripttest.Bin(t), "ua-journal")}
}

func (p *place) command(args ...string) *exec.Cmd {
	cmd := exec.Command(p.bin, args...)
	cmd.Dir, cmd.Env = p.dir, []string{"HOME=" + p.dir, "PATH=" + os.Getenv("PATH")}
	return cmd
}

// piped starts cmd between two pipes.
func piped(t *testing.T, cmd *exec.Cmd) (io.WriteCloser, io.ReadCloser) {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return in, out
}

// run gives what ua-journal prints, and its status.
func (p *place) run(args ...string) (stdout, stderr string, status int) {
	var out, errs bytes.Buffer
	cmd := p.command(args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.Run()
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// A chain that verifies, with at most so many torn lines.
func (p *place) verify(path string) (lines, torn int) {
	p.t.Helper()
	out, errs, status := p.run("verify", path)
	if status != 0 {
		p.t.Fatalf("verify: %s%s", out, errs)
	}
	_, counts, _ := strings.Cut(out, ": ok: ")
	fmt.Sscanf(counts, "%d lines", &lines)
	if i := strings.Index(counts, " torn"); i >= 0 {
		fmt.Sscanf(counts[strings.LastIndex(counts[:i], " ")+1:], "%d", &torn)
	}
	return lines, torn
}

// Whatever moment a writer is killed at, what it has passed on is kept, and the
// next one goes on.
func TestKill(t *testing.T) {
	p := newPlace(t)
	next, kept := 0, 0
	for round := range 200 {
		cmd := p.command("append", "--tee", "./j.jsonl")
		in, out := piped(t, cmd)
		w := io.Writer(in)
		if round%2 > 0 {
			w = bufio.NewWriterSize(in, 100<<10) // lines that come together
		}
		go func(n int) {
			for i := n; ; i++ {
				if _, err := fmt.Fprintf(w, `{"type":"message","n":%d,"text":"%s"}`+"\n", i,
					strings.Repeat("x", i%3000)); err != nil {
					return
				}
			}
		}(next)
		wait := rand.IntN(40)
		r := bufio.NewReaderSize(out, 1<<20)
		for i := 0; ; i++ {
			if i == wait {
				cmd.Process.Kill()
			}
			line, err := r.ReadSlice('\n')
			if err != nil {
				break
			}
			next = int(gjson.GetBytes(line, "n").Int()) + 1
			kept++
		}
		cmd.Wait()
	}
	lines, torn := p.verify("./j.jsonl")
	out, _, _ := p.run("cat", "./j.jsonl")
	seen := map[int64]bool{}
	for line := range strings.Lines(out) {
		seen[gjson.Get(line, "n").Int()] = true
	}
	for n := range next {
		if !seen[int64(n)] {
			t.Fatalf("line %d was passed on and is not kept", n)
		}
	}
	if lines < kept || torn > 200 {
		t.Errorf("%d lines were passed on, the journal has %d, %d of them torn", kept, lines, torn)
	}
}

// Fifty writers lose nothing in a journal that they take turns at.
func TestFiftyWriters(t *testing.T) {
	p := newPlace(t)
	const writers, each = 50, 2000
	var wg sync.WaitGroup
	for w := range writers {
		var in bytes.Buffer
		for i := range each {
			fmt.Fprintf(&in, `{"type":"message","id":"%d.%d","text":"%s"}`+"\n", w, i,
				strings.Repeat("y", i%200))
		}
		cmd := p.command("append", "--sync", "none", "--wait", "./shared.jsonl")
		cmd.Stdin = &in
		wg.Go(func() {
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	wg.Wait()
	if lines, torn := p.verify("./shared.jsonl"); lines != writers*each || torn != 0 {
		t.Errorf("%d lines, %d torn", lines, torn)
	}
}

// A full disk ends the append with the truth, and what was passed on is kept.
func TestFullDisk(t *testing.T) {
	scripttest.Need(t, "unshare")
	p := newPlace(t)
	if out, err := exec.Command("unshare", "-rm", "true").CombinedOutput(); err != nil {
		scripttest.Skip(t, scripttest.Refused, "no tmpfs can be mounted here: %s", out)
	}
	os.Mkdir(filepath.Join(p.dir, "disk"), 0o700)
	cmd := exec.Command("unshare", "-rm", "sh", "-c",
		`mount -t tmpfs -o size=4m,mode=700 none disk &&
			dd if=/dev/zero of=disk/ballast bs=64k count=2 2>/dev/null
		yes '{"type":"message","text":"`+strings.Repeat("z", 1500)+
			`"}' | "$0" append --tee ./disk/j.jsonl >teed; echo status $?
		"$0" verify ./disk/j.jsonl; wc -l <disk/j.jsonl; rm disk/ballast
		echo '{"type":"message","text":"on"}' | "$0" append ./disk/j.jsonl; echo status $?
		"$0" verify ./disk/j.jsonl`, p.bin)
	cmd.Dir, cmd.Env = p.dir, []string{"HOME=" + p.dir, "PATH=" + os.Getenv("PATH")}
	raw, err := cmd.CombinedOutput()
	out := string(raw)
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	teed, _ := os.ReadFile(filepath.Join(p.dir, "teed"))
	lines := strings.Split(strings.TrimSpace(string(teed)), "\n")
	last := lines[len(lines)-1]
	kept := len(lines) - 1
	for _, want := range []string{"status 2\n", "no space left on device", fmt.Sprintf("ok: %d lines",
		kept), fmt.Sprintf("\n%d\n", kept), "status 0\n", fmt.Sprintf("ok: %d lines", kept+1)} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
	if kept < 2000 || event.Type([]byte(last)) != "error" ||
		!strings.Contains(event.Str([]byte(last), "message"), "no space left") {
		t.Errorf("%d lines passed on, the last one %s", kept, last)
	}
}

// Readers during writes see whole lines.
func TestReadDuringWrites(t *testing.T) {
	p := newPlace(t)
	cmd := p.command("append", "--sync", "none", "./j.jsonl")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 3000 {
			fmt.Fprintf(in, `{"type":"message","n":%d,"text":"%s"}`+"\n", i, strings.Repeat("x", i%20000))
		}
		in.Close()
		cmd.Wait()
	}()
	for over := false; !over; {
		select {
		case <-done:
			over = true
		default:
		}
		if _, err := os.Stat(filepath.Join(p.dir, "j.jsonl")); err != nil {
			continue
		}
		for _, verb := range []string{"read", "verify", "show", "tail"} {
			if _, errs, status := p.run(verb, "./j.jsonl"); status != 0 || errs != "" {
				t.Fatalf("%s: status %d: %s", verb, status, errs)
			}
		}
	}
	if lines, torn := p.verify("./j.jsonl"); lines != 3000 || torn != 0 {
		t.Errorf("%d lines, %d torn", lines, torn)
	}
}

// No verb is brought down by a journal of random bytes.
func TestRandomBytes(t *testing.T) {
	p := newPlace(t)
	random := rand.NewChaCha8([32]byte{1})
	for _, name := range []string{"a.jsonl", "b.jsonl"} {
		b := make([]byte, 300<<10)
		random.Read(b)
		for range 300 {
			copy(b[rand.IntN(len(b)-100):], "\n"+`{"type":"response","content":[{"type":"text"}],"prev":"`)
		}
		os.WriteFile(filepath.Join(p.dir, name), b, 0o600)
	}
	for _, args := range []string{"cat", "read", "read --budget 1000", "tail", "show", "answer",
		"grep -e x", "export --csv", "verify", "replay", "calls", "trajectories",
		"redact --match abcd", "redact --line 3", "end"} {
		_, errs, status := p.run(append(strings.Fields(args), "./a.jsonl")...)
		if status > 2 && status != 127 || strings.Contains(errs, "goroutine ") {
			t.Errorf("%s: status %d: %.300s", args, status, errs)
		}
	}
	if _, errs, status := p.run("read", "--budget", "1000", "./a.jsonl"); status != 0 ||
		!strings.Contains(errs, "not JSON") {
		t.Errorf("read: status %d: %.300s", status, errs)
	}
}

// A line of 64 MiB goes in and comes back, media as well.
func TestLongLine(t *testing.T) {
	p := newPlace(t)
	long := `{"type":"message","text":"` + strings.Repeat("x", 64<<20-100) + `"}` + "\n"
	media := `{"type":"tool_result","media":[{"media_type":"image/png","data":"` +
		strings.Repeat("AAAA", 12<<20) + `"}]}` + "\n"
	cmd := p.command("append", "--tee", "./j.jsonl")
	cmd.Stdin = strings.NewReader(long + media)
	if out, err := cmd.Output(); err != nil || string(out) != long+media {
		t.Fatalf("%d bytes are passed on, %v", len(out), err)
	}
	if out, errs, status := p.run("read", "--budget", "0", "./j.jsonl"); status != 0 ||
		out != long+media {
		t.Errorf("%d bytes are read, %s", len(out), errs)
	}
	p.verify("./j.jsonl")
}

// A line of 100 MB is too long, and so deep that a parser which calls itself would run
// out of stack: it is told, and what stands behind it is kept.
func TestTooLongLine(t *testing.T) {
	p := newPlace(t)
	cmd := p.command("append", "./j.jsonl")
	cmd.Stdin = strings.NewReader(`{"type":"message","x":` + strings.Repeat("[", 100<<20) + "\n" +
		`{"type":"message","text":"behind"}` + "\n")
	late := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	defer late.Stop()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %.500s", err, out)
	}
	out, errs, _ := p.run("read", "--budget", "0", "./j.jsonl")
	text, err := os.ReadFile(filepath.Join(p.dir, "j.jsonl"))
	if err != nil || !strings.Contains(string(text), "longer than") ||
		!strings.Contains(out, "behind") || len(text) > 8<<10 {
		t.Errorf("%d bytes are kept: %.300s %s %v", len(text), text, errs, err)
	}
}

// SIGINT and SIGHUP are meant for others; SIGTERM and SIGQUIT let the writer have its last
// words, and a second one ends the append behind what is there.
func TestSignals(t *testing.T) {
	for _, last := range []syscall.Signal{syscall.SIGTERM, syscall.SIGQUIT} {
		testSignals(t, last)
	}
}

func testSignals(t *testing.T, last syscall.Signal) {
	t.Helper()
	p := newPlace(t)
	cmd := p.command("append", "--tee", "./j.jsonl")
	in, out := piped(t, cmd)
	r := bufio.NewReader(out)
	say := func() {
		if _, err := io.WriteString(in, `{"type":"message"}`+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	for _, sig := range []syscall.Signal{0, syscall.SIGINT, syscall.SIGHUP, last} {
		cmd.Process.Signal(sig)
		say()
		if _, err := r.ReadSlice('\n'); err != nil {
			t.Fatalf("after %v: %v", sig, err)
		}
	}
	say()
	say()
	ended := make(chan error, 1)
	go func() {
		io.Copy(io.Discard, r)
		ended <- cmd.Wait()
	}()
	for over := false; !over; { // one that is still pending swallows the next one
		cmd.Process.Signal(last)
		select {
		case <-ended:
			over = true
		case <-time.After(20 * time.Millisecond):
		}
	}
	if lines, torn := p.verify("./j.jsonl"); lines != 6 || torn != 0 {
		t.Errorf("%d lines, %d torn", lines, torn)
	}
}

// One writer at a time: the second one is told who the first is, or waits.
func TestOneWriter(t *testing.T) {
	p := newPlace(t)
	first := p.command("append", "--tee", "./j.jsonl")
	in, out := piped(t, first)
	io.WriteString(in, `{"type":"message"}`+"\n")
	if _, err := bufio.NewReader(out).ReadSlice('\n'); err != nil {
		t.Fatal(err)
	}
	second := p.command("append", "./j.jsonl")
	second.Stdin = strings.NewReader(`{"type":"message"}`)
	said, _ := second.CombinedOutput()
	if want := fmt.Sprintf("./j.jsonl: process %d is writing it\n",
		first.Process.Pid); second.ProcessState.ExitCode() != 75 ||
		!strings.Contains(string(said), want) {
		t.Errorf("status %d: %s", second.ProcessState.ExitCode(), said)
	}
	if out, _, _ := p.run("redact", "--line", "1", "./j.jsonl"); out != "" {
		t.Errorf("a journal that is written is redacted: %s", out)
	}
	third := p.command("append", "--wait", "./j.jsonl")
	third.Stdin = strings.NewReader(`{"type":"message"}`)
	if err := third.Start(); err != nil {
		t.Fatal(err)
	}
	in.Close()
	if err := errors.Join(first.Wait(), third.Wait()); err != nil {
		t.Error(err)
	}
	if lines, torn := p.verify("./j.jsonl"); lines != 2 || torn != 0 {
		t.Errorf("%d lines, %d torn", lines, torn)
	}
}

// A journal that another program removes, replaces, cuts or extends while it is written is
// no record any more: the append says so, passes nothing more on and ends with trouble.
func TestChangedWhileWritten(t *testing.T) {
	for change, want := range map[string]string{
		"rm j.jsonl":                 "was removed or replaced",
		"mv j.jsonl k.jsonl":         "was removed or replaced",
		"cp j.jsonl k; mv k j.jsonl": "was removed or replaced",
		"mv ../d ../e":               "was removed or replaced",
		": >j.jsonl":                 "was changed",
		"echo '{}' >>j.jsonl":        "was changed",
	} {
		p := newPlace(t)
		dir := filepath.Join(p.dir, "d")
		os.Mkdir(dir, 0o700)
		cmd := p.command("append", "--tee", filepath.Join(dir, "j.jsonl"))
		var stderr strings.Builder
		cmd.Stderr = &stderr
		in, out := piped(t, cmd)
		r := bufio.NewReader(out)
		io.WriteString(in, `{"type":"message","n":1}`+"\n")
		if line, err := r.ReadString('\n'); err != nil || !strings.Contains(line, `"n":1`) {
			t.Errorf("%s: %s, %v", change, line, err)
		}
		sh := exec.Command("sh", "-c", change)
		sh.Dir = dir
		if text, err := sh.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", change, err, text)
		}
		io.WriteString(in, `{"type":"message","n":2}`+"\n")
		rest, _ := io.ReadAll(r)
		in.Close()
		cmd.Wait()
		if status := cmd.ProcessState.ExitCode(); status != 2 || event.Type(rest) != "error" ||
			strings.Contains(string(rest), `"n":2`) || !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: status %d, %s%s", change, status, rest, stderr.String())
		}
	}
}

// A folder of somebody else's is refused: its owner could swap the journal.
func TestForeignFolder(t *testing.T) {
	if os.Geteuid() != 0 {
		scripttest.Skip(t, scripttest.Elsewhere, "only root can make another user's folder")
	}
	p := newPlace(t)
	dir := filepath.Join(p.dir, "theirs")
	os.Mkdir(dir, 0o777)
	if err := os.Chown(dir, 12345, 12345); err != nil {
		scripttest.Skip(t, scripttest.Refused, "%v", err)
	}
	if _, errs, status := p.run("append", "./theirs/j.jsonl"); status != 2 ||
		!strings.Contains(errs, "the folder belongs to user 12345") {
		t.Errorf("status %d: %s", status, errs)
	}
}
