package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/answer"
	"ua/cmd/ua-think/internal/conversation"
	"ua/cmd/ua-think/internal/provider"
	"ua/cmd/ua-think/internal/settings"
	"ua/cmd/ua-think/internal/transport"
	"ua/internal/common/event"
	"ua/internal/test/modeltest"
	"ua/internal/test/scripttest"
)

// script is the fake's side of the testscripts: what the user said picks the
// answer.
func script(n int, api string, body gjson.Result) modeltest.Reply {
	has := func(word string) bool { return strings.Contains(body.Raw, word) }
	switch {
	case has("case: json"):
		return modeltest.Reply{Pieces: modeltest.Stream(api, "end_turn",
			modeltest.Say{Kind: "text", Text: `{"name":"ua","size":3}`})}
	case has("case: long"):
		return modeltest.Reply{Pieces: modeltest.Stream(api, "end_turn",
			modeltest.Say{Kind: "text", Text: strings.Repeat("a line of text\n", 20000), Piece: 50})}
	case has("case: stall"):
		half := modeltest.Say{Kind: "text", Text: "Half"}
		return modeltest.Reply{Pieces: modeltest.Stream(api, "end_turn", half)[:4], Stall: true}
	case has("case: tool") && !has("tool_result"):
		return modeltest.Reply{Pieces: modeltest.Stream(api, "tool_use",
			modeltest.Say{Kind: "tool", ID: "t1", Text: `{"command":"echo hi"}`})}
	case has("case: 401"):
		return modeltest.APIError(401, "authentication_error", "invalid key "+modeltest.Secret)
	}
	return modeltest.Reply{Pieces: modeltest.Stream(api, "end_turn",
		modeltest.Say{Kind: "text", Text: "Hello from " + api})}
}

func TestScripts(t *testing.T) {
	f := modeltest.NewServer(t, script)
	scripttest.Run(t, func(e *testscript.Env) error {
		e.Setenv("ANTHROPIC_API_KEY", modeltest.Secret)
		e.Setenv("ANTHROPIC_BASE_URL", f.URL)
		e.Setenv("OPENAI_API_KEY", modeltest.Secret)
		e.Setenv("OPENAI_BASE_URL", f.URL+"/v1")
		e.Setenv("OLLAMA_HOST", f.URL)
		return nil
	})
}

// TestSignals: a signal ends the request, and what was said is kept; a signal
// while nothing is asked just ends.
func TestSignals(t *testing.T) {
	f := modeltest.NewServer(t, script)
	f.Use(t)
	for sig, status := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143,
		syscall.SIGHUP: 129} {
		for _, twice := range []bool{false, true} {
			cmd := exec.Command(filepath.Join(scripttest.Bin(t), "ua-think"), "--model", "anthropic/m",
				"case: stall")
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			r := event.NewReader(out)
			var last string
			for {
				line, err := r.Next()
				if err != nil {
					break
				}
				if last = string(line); event.Type(line) == "delta" {
					cmd.Process.Signal(sig)
					if twice { // the terminal's to the group, and the driver's
						cmd.Process.Signal(syscall.SIGINT)
					}
				}
			}
			cmd.Wait()
			got := cmd.ProcessState.ExitCode()
			if got != status && !(twice && got == 130) ||
				gjson.Get(last, "stop_reason").Str != "interrupted" ||
				gjson.Get(last, "content.0.text").Str != "Half" {
				t.Errorf("%v: status %d, %s", sig, got, last)
			}
		}
	}
	for _, args := range [][]string{{"--events"}, {}} {
		idle := exec.Command(filepath.Join(scripttest.Bin(t), "ua-think"),
			append(args, "--model", "anthropic/m")...)
		stdin, _ := idle.StdinPipe()
		out, _ := idle.StdoutPipe()
		if err := idle.Start(); err != nil {
			t.Fatal(err)
		}
		if len(args) > 0 {
			stdin.Write([]byte("junk\n"))
			event.NewReader(out).Next()
		} else {
			scripttest.AwaitRead(t, 0, func() []int { return []int{idle.Process.Pid} })
		}
		idle.Process.Signal(syscall.SIGTERM)
		idle.Wait()
		if got := idle.ProcessState.ExitCode(); got != 143 && (got != -1 || len(args) > 0) {
			t.Errorf("%v: status %d", args, got)
		}
	}
}

// TestTextOnTerminal: the model's words drive no terminal, as text or in events; a pipe
// gets them as they are.
func TestTextOnTerminal(t *testing.T) {
	f := modeltest.NewServer(t, func(n int, api string, _ gjson.Result) modeltest.Reply {
		return modeltest.Reply{Pieces: modeltest.Stream(api, "end_turn",
			modeltest.Say{Kind: "text", Text: "a\x1b]52;c;eA==\x07b\u009b2Jc\u202ed é\tx\n", Piece: 1})}
	})
	f.Use(t)
	for form, want := range map[string]string{"--text": "d é\tx\r\n", "--effort=low": `d é\tx\n`} {
		cmd := exec.Command(filepath.Join(scripttest.Bin(t), "ua-think"), "--model", "anthropic/m",
			"--quiet", form, "hi")
		tty, err := pty.Start(cmd)
		if err != nil {
			t.Fatal(err)
		}
		defer tty.Close()
		seen, _ := io.ReadAll(tty) // ends with EIO when the program has ended
		cmd.Wait()
		if strings.ContainsAny(string(seen), "\x1b\x07\u009b\u202e") ||
			!strings.Contains(string(seen), want) {
			t.Errorf("%s: the terminal got %q", form, seen)
		}
	}
	if o := think(t, "", "--model", "anthropic/m", "--text",
		"hi"); o.out != "a\x1b]52;c;eA==\x07b\u009b2Jc\u202ed é\tx\n" {
		t.Errorf("the file got %q", o.out)
	}
}

// TestStalledReader: a reader that stops does not stall the model's stream, and
// gets all of it when it comes back.
func TestStalledReader(t *testing.T) {
	sent := make(chan struct{})
	f := modeltest.NewServer(t, script)
	f.Use(t)
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	box := event.NewOutbox(out)
	m, err := provider.Resolve("openai-chat/m", &settings.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	m.Key = modeltest.Secret
	o := defaults(settings.Default())
	a := &answer.Answer{Out: box, Limits: o.session.Answer, IDs: map[string]bool{}}
	talk := conversation.New("", false)
	talk.Add(`{"type":"instruction","text":"case: long"}`)
	body, err := m.Encode(&provider.Request{Talk: talk.Now(), Thinking: -1})
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		if err := transport.New(o.time).Ask(t.Context(), m, body, a); err != nil {
			t.Error(err)
		}
		close(sent)
	}()
	<-sent
	if a.Stop != "end_turn" {
		t.Errorf("stop %q", a.Stop)
	}
	go func() {
		box.Close(0)
		out.Close()
	}()
	text := ""
	r := event.NewReader(in)
	for {
		line, err := r.Next()
		if err != nil {
			break
		}
		text += event.Str(line, "text")
	}
	if text != strings.Repeat("a line of text\n", 20000) {
		t.Errorf("%d bytes came through", len(text))
	}
}

// TestStuckStdout: a signal ends ua-think even when nobody reads what it says.
func TestStuckStdout(t *testing.T) {
	f := modeltest.NewServer(t, script)
	f.Use(t)
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	cmd := exec.Command(filepath.Join(scripttest.Bin(t), "ua-think"), "--model", "anthropic/m",
		"case: long")
	cmd.Stdout = out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	out.Close()
	one := make([]byte, 1)
	in.Read(one)
	cmd.Process.Signal(syscall.SIGTERM)
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		cmd.Process.Kill()
		t.Error("ua-think does not end")
	}
}

// TestProgramDies: what a model's program started is gone after ua-think, killed
// or not.
func TestProgramDies(t *testing.T) {
	for _, kill := range []bool{true, false} {
		dir := t.TempDir()
		command := `sleep 1000 >/dev/null & echo $! >pids; echo '{"type":"delta","text":"x"}'`
		if kill {
			command += "; sleep 1000"
		}
		cmd := exec.Command(filepath.Join(scripttest.Bin(t), "ua-think"), "--model", "exec:"+command,
			"hi")
		cmd.Dir = dir
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		r := event.NewReader(out)
		for {
			if line, err := r.Next(); err != nil || event.Type(line) == "delta" {
				break
			}
		}
		if kill {
			cmd.Process.Kill()
		}
		cmd.Wait()
		pid, err := os.ReadFile(filepath.Join(dir, "pids"))
		if err != nil {
			t.Fatal(err)
		}
		for n := 0; running(strings.TrimSpace(string(pid))); n++ {
			if n == 200 {
				t.Fatalf("killed %v: the program's child is alive 2 s later", kill)
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
}

// running says whether a process is there and no zombie.
func running(pid string) bool {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	return err == nil && !strings.Contains(string(stat), ") Z ")
}
