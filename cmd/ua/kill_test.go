package main

import (
	"bytes"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ua/internal/common/event"
	"ua/internal/test/modeltest"
	"ua/internal/test/scripttest"
)

// A process is a running program, as /proc shows it.
type process struct {
	pid, ppid int
	name      string // from /proc/PID/cmdline
	start     string // ticks after boot, which tells a pid's users apart
}

func processes() (list []process) {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		stat, err := os.ReadFile(dir + "/stat")
		if err != nil {
			continue
		}
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		if fields[0] == "Z" || fields[0] == "X" {
			continue
		}
		p := process{start: fields[19]}
		p.pid, _ = strconv.Atoi(filepath.Base(dir))
		p.ppid, _ = strconv.Atoi(fields[1])
		cmdline, _ := os.ReadFile(dir + "/cmdline")
		p.name = string(bytes.TrimSpace(bytes.ReplaceAll(cmdline, []byte{0}, []byte{' '})))
		list = append(list, p)
	}
	return list
}

// descendants is every process under pid, itself too.
func descendants(pid int) (list []process) {
	all := processes()
	in := map[int]bool{pid: true}
	for again := true; again; {
		again = false
		for _, p := range all {
			if in[p.ppid] && !in[p.pid] {
				in[p.pid], again = true, true
			}
		}
	}
	for _, p := range all {
		if in[p.pid] {
			list = append(list, p)
		}
	}
	return list
}

// alive is those of list that still run.
func alive(list []process) (left []process) {
	now := map[process]bool{}
	for _, p := range processes() {
		now[process{pid: p.pid, start: p.start}] = true
	}
	for _, p := range list {
		if now[process{pid: p.pid, start: p.start}] {
			left = append(left, p)
		}
	}
	return left
}

// begin starts ua on a model's answers and waits until its journal holds a type, and the
// model answers or the command runs.
func begin(t *testing.T, answers, until string, args ...string) (cmd *exec.Cmd, dir string) {
	t.Helper()
	bin := scripttest.Bin(t)
	dir = t.TempDir()
	os.WriteFile(filepath.Join(dir, "model"), []byte(answers+"\n"), 0o644)
	server := httptest.NewServer(modeltest.New(dir))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	cmd = exec.Command(filepath.Join(bin, "ua"), append(args, "task")...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_STATE_HOME="+filepath.Join(dir, "state"),
		"ANTHROPIC_BASE_URL="+server.URL, "UA_MODEL=anthropic/fake",
		"ANTHROPIC_API_KEY=sk-ant-test-key-0123456789")
	cmd.Stdout, cmd.Stderr = &bytes.Buffer{}, &bytes.Buffer{}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	scripttest.Await(t, until+" in the journal", func() bool {
		found, _ := filepath.Glob(filepath.Join(dir, "state/ua/runs/*/journal.jsonl"))
		if len(found) != 1 {
			return false
		}
		kept, _ := os.ReadFile(found[0])
		return bytes.Contains(kept, []byte(`{"type":"`+until+`"`))
	})
	into := func(p process) bool { return p.name == "sleep 303" } // of running
	if until == "turn" {
		into = func(p process) bool { return is(p, "ua-exec") }
		scripttest.Await(t, "the model's answer", func() bool {
			_, err := os.Stat(filepath.Join(dir, "requests/1"))
			return err == nil
		})
	}
	scripttest.Await(t, "the command, or what would run it", func() bool {
		return slices.ContainsFunc(descendants(cmd.Process.Pid), into)
	})
	return cmd, dir
}

const (
	answering = "text: I am still tal\nhang"
	running   = `call: setsid sleep 301 & (sleep 302 &) ; sleep 303` + "\n---\ntext: never"
)

// is says whether p runs the program.
func is(p process, program string) bool {
	path, _, _ := strings.Cut(p.name, " ")
	return filepath.Base(path) == program
}

func TestKill(t *testing.T) {
	scripttest.NeedProcesses(t)
	for _, state := range []struct{ name, answers, until string }{
		{"answering", answering, "turn"}, {"running", running, "verdict"},
	} {
		for _, victim := range []string{"ua-think", "ua-gate", "ua-sandbox", "ua-exec", "ua-journal",
			"ua"} {
			t.Run(state.name+"/"+victim, func(t *testing.T) {
				t.Parallel()
				cmd, dir := begin(t, state.answers, state.until)
				all := descendants(cmd.Process.Pid)
				hit := 0
				for _, p := range all {
					if is(p, victim) {
						syscall.Kill(p.pid, syscall.SIGKILL)
						hit++
						break
					}
				}
				if hit == 0 {
					t.Fatalf("no %s in %v", victim, all)
				}
				ended := make(chan error, 1)
				go func() { ended <- cmd.Wait() }()
				select {
				case <-ended:
				case <-time.After(8 * time.Second):
					t.Errorf("ua still runs 8 s later")
				}
				left := alive(all)
				for end := time.Now().Add(2 * time.Second); len(left) > 0 && time.Now().Before(end); {
					time.Sleep(10 * time.Millisecond)
					left = alive(all)
				}
				if len(left) > 0 {
					t.Errorf("alive: %v", left)
					for _, p := range left {
						syscall.Kill(p.pid, syscall.SIGKILL)
					}
				}
				if victim == "ua" {
					return
				}
				if left, _ := filepath.Glob(filepath.Join(dir, "state/ua/runs/*/*.sock")); len(left) > 0 {
					t.Errorf("left: %v", left)
				}
				kept := bytes.TrimSpace(journalOf(t, dir))
				last := kept[bytes.LastIndexByte(kept, '\n')+1:]
				if event.Type(last) != "summary" || cmd.ProcessState.ExitCode() != 2 ||
					event.Str(last, "stage") == "" {
					t.Errorf("status %d, last line %s\n%s", cmd.ProcessState.ExitCode(), last, cmd.Stderr)
				}
			})
		}
	}
}

func TestInterrupt(t *testing.T) {
	for _, state := range []struct{ name, answers, until, types string }{
		{"answering", answering, "turn", "t e a summary"},
		{"running", running, "verdict", "t c v r a summary"},
	} {
		for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
			t.Run(fmt.Sprintf("%s/%d", state.name, sig), func(t *testing.T) {
				t.Parallel()
				cmd, dir := begin(t, state.answers, state.until)
				all := descendants(cmd.Process.Pid)
				syscall.Kill(-cmd.Process.Pid, sig) // as a terminal does
				cmd.Wait()
				if ws := cmd.ProcessState.Sys().(syscall.WaitStatus); !ws.Signaled() || ws.Signal() != sig {
					t.Errorf("ended with %v", cmd.ProcessState)
				}
				if left := alive(all); len(left) > 0 {
					t.Errorf("alive: %v", left)
				}
				kept := journalOf(t, dir)
				if got := letters(kept); got != "run system instruction "+state.types {
					t.Errorf("journal: %s\n%s", got, cmd.Stderr)
				}
				if state.name == "answering" && !bytes.Contains(kept, []byte("I am still tal")) {
					t.Errorf("the text that had come is lost: %s", kept)
				}
			})
		}
	}
}

// TestQuit ends a run by Ctrl-\ as by Ctrl-C, with no dump of Go's.
func TestQuit(t *testing.T) {
	cmd, dir := begin(t, answering, "turn")
	all := descendants(cmd.Process.Pid)
	syscall.Kill(-cmd.Process.Pid, syscall.SIGQUIT)
	cmd.Wait()
	if said := fmt.Sprint(cmd.Stderr); cmd.ProcessState.ExitCode() != 128+int(syscall.SIGQUIT) ||
		strings.Contains(said, "goroutine") {
		t.Errorf("ended with %v: %s", cmd.ProcessState, said)
	}
	if left := alive(all); len(left) > 0 {
		t.Errorf("alive: %v", left)
	}
	if kept := journalOf(t, dir); !bytes.Contains(kept, []byte(`"exit_code":131`)) {
		t.Errorf("journal: %s", kept)
	}
}

// TestKilledResumed kills ua with SIGKILL while a command runs: the journal is whole, and
// a person goes on with the run.
func TestKilledResumed(t *testing.T) {
	for _, uid := range users() {
		p := newPlace(t, uid)
		p.recording("main.jsonl", "never", "touch made; exec sleep 304")
		cmd := p.command("ua", "task")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		scripttest.Await(t, "the command", func() bool {
			_, err := os.Stat(filepath.Join(p.cwd, "made"))
			return err == nil
		})
		all := descendants(cmd.Process.Pid)
		cmd.Process.Kill()
		cmd.Wait()
		scripttest.Await(t, "the end of all", func() bool { return len(alive(all)) == 0 })
		if out, errs, status := p.run("ua-journal", "verify", "last"); status != 0 {
			t.Errorf("uid %d: %s%s", uid, out, errs)
		}
		p.recording("main.jsonl", "all done", "true", "echo goes on")
		out, errs, status := p.run("ua", "resume", "last", "go on")
		if status != 0 || out != "all done\n" || !strings.Contains(fmt.Sprint(p.outputs()), "goes on") {
			t.Errorf("uid %d: status %d, %s%s", uid, status, out, errs)
		}
		if out, errs, status := p.run("ua-journal", "verify", "last"); status != 0 {
			t.Errorf("uid %d: %s%s", uid, out, errs)
		}
	}
}

// TestWriterKilledAtOnce has a signal end the journal's writer before it has read a line, as
// one to all of a run can that has just begun: what was asked is in the journal, once.
func TestWriterKilledAtOnce(t *testing.T) {
	for _, c := range []struct{ reads, kept string }{
		{"", "run system instruction e summary"},
		{"head -n 2 >>\"$4\"; ", "run system instruction e summary"},
	} {
		p := newPlace(t, os.Getuid())
		p.recording("main.jsonl", "never", "true")
		real := p.bin
		p.bin = filepath.Join(p.home, "bin")
		if out, err := exec.Command("cp", "-r", real, p.bin).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		os.Remove(filepath.Join(p.bin, "ua-journal"))
		p.write(filepath.Join(p.bin, "ua-journal"), "#!/bin/sh\n"+
			`[ "$2" = --tee ] || exec `+real+"/ua-journal \"$@\"\n"+c.reads+"kill -INT $$\n")
		os.Chmod(filepath.Join(p.bin, "ua-journal"), 0o755)
		_, errs, status := p.run("ua", "what is asked")
		kept := p.glob("*/journal.jsonl")
		if len(kept) != 1 {
			t.Fatalf("%v: %s", kept, errs)
		}
		text, _ := os.ReadFile(kept[0])
		if got := letters(text); status != 2 || got != c.kept ||
			bytes.Count(text, []byte(`"text":"what is asked"`)) != 1 || len(p.glob("*/*.sock")) > 0 {
			t.Errorf("status %d, %s: %s%s", status, got, errs, text)
		}
	}
}

// TestSignalAtFirst sends a signal the moment that there is a folder for the run: it is one
// that begins and ends in order, and no folder with nothing in it.
func TestSignalAtFirst(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGINT} {
		for range 5 {
			p := newPlace(t, os.Getuid())
			p.recording("main.jsonl", "done", "sleep 303")
			cmd := p.command("ua", "task")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			for len(p.glob("*")) == 0 {
			}
			cmd.Process.Signal(sig)
			cmd.Wait()
			kept := p.glob("*/journal.jsonl")
			if len(kept) != 1 {
				t.Errorf("%v: %v: %v", sig, cmd.ProcessState, p.glob("*/*"))
				continue
			}
			text, _ := os.ReadFile(kept[0])
			if got := letters(text); !strings.HasPrefix(got, "run system instruction ") ||
				!strings.HasSuffix(got, " summary") {
				t.Errorf("%v: %v: %s", sig, cmd.ProcessState, got)
			}
		}
	}
}

// TestTerminateTree sends SIGTERM to every process of a run, in any order, as a
// service manager or a batch system does, at once or one after the other: the run ends by
// the signal and its last line says so, however soon the model answers.
func TestTerminateTree(t *testing.T) {
	for i := range 24 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			answers, until := running, "verdict"
			if i%4 == 0 {
				answers, until = answering, "turn"
			}
			cmd, dir := begin(t, answers, until)
			all := descendants(cmd.Process.Pid)
			if i%2 == 0 {
				slices.Reverse(all)
			}
			for k := range all {
				syscall.Kill(all[(i+k)%len(all)].pid, syscall.SIGTERM)
				time.Sleep(time.Duration(i%3) * 4 * time.Millisecond)
			}
			cmd.Wait()
			kept := bytes.TrimSpace(journalOf(t, dir))
			last := kept[bytes.LastIndexByte(kept, '\n')+1:]
			if event.Type(last) != "summary" || !bytes.Contains(last, []byte(`"exit_code":143`)) {
				t.Errorf("the last line is %s", last)
			}
			if ws := cmd.ProcessState.Sys().(syscall.WaitStatus); ws.Signal() != syscall.SIGTERM {
				t.Errorf("ended with %v: %s", cmd.ProcessState, cmd.Stderr)
			}
			scripttest.Await(t, "the end of all", func() bool { return len(alive(all)) == 0 })
		})
	}
}
