package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"ua/internal/test/scripttest"
)

// turns is how many requests the run of TestCallsByteForByte makes.
const turns = 20

// A server answers request N, as Anthropic's Messages API or as OpenAI's Chat
// Completions do, with a command, and the last one with text.
type server struct {
	mu     sync.Mutex
	bodies [][]byte
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	s.bodies = append(s.bodies, body)
	n := len(s.bodies)
	s.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	if strings.HasSuffix(r.URL.Path, "/chat/completions") {
		chat(w, n)
	} else {
		messages(w, n)
	}
}

// command prints some 700 bytes, so that a run of 20 turns is cut several times,
// and once an image.
func command(n int) string {
	if n == 15 {
		return `{\"command\":\"cat dot.png\"}`
	}
	return fmt.Sprintf(`{\"command\":\"seq %d %d\"}`, n*1000, n*1000+140)
}

func messages(w io.Writer, n int) {
	send := func(typ, rest string) {
		fmt.Fprintf(w, "event: %s\ndata: {\"type\":%q%s}\n\n", typ, typ, rest)
	}
	send("message_start",
		`,"message":{"id":"m","role":"assistant","model":"fake","content":[],`+
			`"usage":{"input_tokens":10,"output_tokens":1}}`)
	send("content_block_start",
		`,"index":0,"content_block":{"type":"thinking","thinking":"","signature":""}`)
	send("content_block_delta",
		fmt.Sprintf(`,"index":0,"delta":{"type":"thinking_delta","thinking":"thought %d"}`, n))
	send("content_block_delta", `,"index":0,"delta":{"type":"signature_delta","signature":"c2ln"}`)
	send("content_block_stop", `,"index":0`)
	stop := "end_turn"
	if n < turns {
		stop = "tool_use"
		send("content_block_start",
			fmt.Sprintf(`,"index":1,"content_block":{"type":"tool_use","id":"toolu_%d","name":"shell",`+
				`"input":{}}`, n))
		send("content_block_delta",
			fmt.Sprintf(`,"index":1,"delta":{"type":"input_json_delta","partial_json":"%s"}`, command(n)))
	} else {
		send("content_block_start", `,"index":1,"content_block":{"type":"text","text":""}`)
		send("content_block_delta", `,"index":1,"delta":{"type":"text_delta","text":"done"}`)
	}
	send("content_block_stop", `,"index":1`)
	send("message_delta",
		fmt.Sprintf(`,"delta":{"stop_reason":%q},"usage":{"output_tokens":5}`, stop))
	send("message_stop", "")
}

func chat(w io.Writer, n int) {
	send := func(delta, finish string) {
		fmt.Fprintf(w, "data: "+
			"{\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"model\":\"fake\","+
			"\"choices\":[{\"index\":0,\"delta\":%s,\"finish_reason\":%s}]}\n\n", delta, finish)
	}
	if n < turns {
		send(fmt.Sprintf(`{"role":"assistant","content":"step `+
			`%d","tool_calls":[{"index":0,"id":"call_%d","type":"function","function":{"name":"shell",`+
			`"arguments":"%s"}}]}`, n, n, command(n)), "null")
		send("{}", `"tool_calls"`)
	} else {
		send(`{"role":"assistant","content":"done"}`, "null")
		send("{}", `"stop"`)
	}
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// A user runs programs in a home of their own, with a server to ask.
type user struct {
	t    *testing.T
	home string
	env  []string
	*server
}

func newUser(t *testing.T) *user {
	u := &user{t: t, home: t.TempDir(), server: &server{}}
	web := httptest.NewServer(u.server)
	t.Cleanup(web.Close)
	u.env = []string{"HOME=" + u.home, "PATH=" + scripttest.Bin(t) + ":" + os.Getenv("PATH"),
		"ANTHROPIC_BASE_URL=" + web.URL, "OPENAI_BASE_URL=" + web.URL + "/v1",
		"ANTHROPIC_API_KEY=k", "OPENAI_API_KEY=k"}
	return u
}

// run is what a shell command prints.
func (u *user) run(command string) []byte {
	u.t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, "sh", "-c", command)
	cmd.Env, cmd.Dir = u.env, u.home
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		u.t.Fatalf("%s: %v\n%s", command, err, stderr.Bytes())
	}
	return out
}

// same asks each call back and compares it with what the server received.
func (u *user) same(options string) {
	u.t.Helper()
	for i, body := range u.bodies {
		if got := u.run(fmt.Sprintf("ua-journal calls %s %d last", options, i+1)); !bytes.Equal(got,
			body) {
			u.t.Errorf("request %d: %d bytes came back, %d were sent:\n%.2000s\n%.2000s", i+1, len(got),
				len(body), got, body)
		}
	}
}

// Every request body of a run that is cut several times comes back byte for
// byte as the server received it.
func TestCallsByteForByte(t *testing.T) {
	for _, model := range []string{"anthropic/fake", "openai-chat/fake"} {
		t.Run(model, func(t *testing.T) {
			u := newUser(t)
			var dot bytes.Buffer
			if err := png.Encode(&dot, image.NewGray(image.Rect(0, 0, 300, 300))); err != nil {
				t.Fatal(err)
			}
			os.WriteFile(filepath.Join(u.home, "dot.png"), dot.Bytes(), 0o600)
			if out := u.run("ua --model " + model +
				" --context-tokens 2500 --net-allow packages count"); string(out) != "done\n" {
				t.Fatalf("the run says %q", out)
			}
			cuts := 0
			for i := range u.bodies {
				if i > 0 && len(u.bodies[i]) < len(u.bodies[i-1]) {
					cuts++
				}
			}
			if len(u.bodies) != turns || cuts < 2 {
				t.Fatalf("%d requests, cut %d times", len(u.bodies), cuts)
			}
			if data := base64.StdEncoding.EncodeToString(dot.Bytes()); !bytes.Contains(u.bodies[15],
				[]byte(data)) {
				t.Errorf("the image is not in the request after it: %s",
					u.run("ua-journal grep --type tool_result -e dot.png last"))
			}
			u.same("--budget 2500")
			n := 0
			for line := range bytes.Lines(u.run("ua-journal trajectories --budget 2500 last")) {
				e := gjson.ParseBytes(line)
				if !e.Get("verified").Bool() || e.Get("input").Raw != string(u.bodies[n]) ||
					e.Get("output.#").Int() == 0 ||
					(e.Get("thinking.#").Int() > 0) != (model == "anthropic/fake") {
					t.Errorf("trajectory %d: %.300s", n+1, line)
				}
				n++
			}
			if n != turns {
				t.Errorf("%d trajectories", n)
			}
		})
	}
}

// In a journal that a pipeline by hand has made no event says when the model was
// asked.
func TestCallsByHand(t *testing.T) {
	u := newUser(t)
	u.run("ua-journal new --task count")
	for range 4 {
		u.run("ua-journal read >talk && ua-think --model anthropic/fake <talk | ua-gate | ua-exec | " +
			"ua-journal append last")
	}
	if len(u.bodies) != 4 {
		t.Fatalf("%d requests", len(u.bodies))
	}
	u.same("")
}

// One ua-think makes the bodies of all calls of a model, in whatever order they come.
func TestCallsOfOneProgram(t *testing.T) {
	u := newUser(t)
	bin := filepath.Join(u.home, "bin")
	os.Mkdir(bin, 0o700)
	real := filepath.Join(scripttest.Bin(t), "ua-think")
	u.run("cp '" + filepath.Join(scripttest.Bin(t), "ua-journal") + "' bin")
	os.WriteFile(filepath.Join(bin, "ua-think"),
		fmt.Appendf(nil, "#!/bin/sh\necho \"$4\" >>starts\nexec '%s' \"$@\"\n", real), 0o700)
	lines := `{"type":"run","id":"r"}` + "\n" + `{"type":"instruction","text":"a"}` + "\n"
	for i := range 3 {
		for _, model := range []string{"anthropic/fake", "openai-chat/fake"} {
			lines += fmt.Sprintf(`{"type":"turn"}`+"\n"+`{"type":"response","model":%q,"content":[`+
				`{"type":"text","text":"%d"}]}`+"\n"+`{"type":"message","text":"m"}`+"\n", model, i)
		}
	}
	os.WriteFile(filepath.Join(u.home, "journal"), []byte(lines), 0o600)
	out := u.run("bin/ua-journal calls ./journal || true")
	sizes := map[int64]bool{}
	for line := range bytes.Lines(out) {
		sizes[gjson.GetBytes(line, "bytes").Int()] = true
	}
	if len(sizes) != 6 {
		t.Errorf("the bodies do not grow: %s", out)
	}
	if starts := string(u.run("cat starts")); starts != "anthropic/fake\nopenai-chat/fake\n" {
		t.Errorf("started for %q", starts)
	}
}
