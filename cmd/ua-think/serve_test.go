package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
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
	"ua/internal/test/modeltest"
	"ua/internal/test/scripttest"
)

// A served is a running `ua-think serve`.
type served struct {
	t      testing.TB
	cmd    *exec.Cmd
	socket string
	ready  gjson.Result // the first line of its log
	mu     sync.Mutex
	log    []gjson.Result
	done   chan struct{} // its log has ended
}

const gatewayToken = "a-token-of-the-gateway"

// serve starts the gateway in front of a fake server. token may be "".
func serve(t testing.TB, token string, args ...string) *served {
	t.Helper()
	dir, err := os.MkdirTemp("", "gw") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	s := &served{t: t, socket: filepath.Join(dir, "s"), done: make(chan struct{})}
	where := []string{"--socket", s.socket}
	for _, a := range args {
		if a == "--listen" {
			where = nil
		}
	}
	s.cmd = exec.Command(filepath.Join(scripttest.Bin(t), "ua-think"),
		append(append([]string{"serve"}, where...), args...)...)
	s.cmd.Stderr = os.Stderr
	if token != "" {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(w, token+"\n")
		w.Close()
		s.cmd.ExtraFiles = []*os.File{r}
		s.cmd.Args = append(s.cmd.Args, "--token-fd", "3")
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	first, err := lines.ReadString('\n')
	if err != nil {
		t.Fatal("the gateway does not begin")
	}
	s.ready = gjson.Parse(first)
	go func() {
		defer close(s.done)
		r := event.NewReader(lines)
		for {
			line, err := r.Next()
			if err != nil {
				return
			}
			s.mu.Lock()
			s.log = append(s.log, gjson.Parse(string(line)))
			s.mu.Unlock()
		}
	}()
	t.Cleanup(s.stop)
	return s
}

// stop ends the gateway and waits for the end of its log.
func (s *served) stop() {
	if s.cmd.ProcessState != nil {
		return
	}
	s.cmd.Process.Signal(syscall.SIGTERM)
	<-s.done
	s.cmd.Wait()
	if got := s.cmd.ProcessState.ExitCode(); got != 143 {
		s.t.Errorf("the gateway ended with %d", got)
	}
}

// lines is the lines of a type in the log, once there are n.
func (s *served) lines(typ string, n int) (list []gjson.Result) {
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		list = nil
		s.mu.Lock()
		for _, l := range s.log {
			if l.Get("type").Str == typ {
				list = append(list, l)
			}
		}
		s.mu.Unlock()
		if len(list) >= n || time.Now().After(deadline) {
			return list
		}
	}
}

// client speaks HTTP to the gateway's socket.
func (s *served) client() *http.Client {
	return &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", s.socket)
		},
	}}
}

// post asks the gateway and gives the status and body of its answer.
func (s *served) post(path, body string, header ...string) (int, string) {
	req, _ := http.NewRequest("POST", "http://gateway"+path, strings.NewReader(body))
	req.Header.Set("X-Api-Key", gatewayToken)
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := s.client().Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	if strings.Contains(string(text)+fmt.Sprint(resp.Header), modeltest.Secret) {
		s.t.Errorf("the key comes back from %s: %s %v", path, text, resp.Header)
	}
	return resp.StatusCode, string(text)
}

func hello(api string) modeltest.Reply {
	return modeltest.Reply{Pieces: modeltest.Stream(api, "tool_use",
		modeltest.Say{Kind: "text", Text: "Let me look"},
		modeltest.Say{Kind: "tool", ID: "t1", Text: `{"command":"ls -la"}`})}
}

// TestServe: ua-think without a key reaches every API by the gateway, streams as
// it would from the provider, and what the model proposes stands in the log.
func TestServe(t *testing.T) {
	for _, api := range modeltest.APIs() {
		f := modeltest.NewServer(t, modeltest.Always(hello))
		f.Use(t)
		g := serve(t, gatewayToken, "--model", api+"/m", "--allow", "other")
		for _, name := range []string{"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_BASE_URL",
			"OPENAI_BASE_URL", "OLLAMA_HOST"} {
			t.Setenv(name, "")
		}
		t.Setenv("UA_GATEWAY", g.socket)
		t.Setenv("UA_GATEWAY_TOKEN", gatewayToken)
		for _, args := range [][]string{nil, {"--model", api + "/other"}} {
			o := think(t, `{"type":"run","id":"child-1"}`+"\n"+
				`{"type":"instruction","text":"hi"}`, args...)
			if o.status != 0 || o.said("text") != "Let me look" ||
				o.one(t, "tool_call").Get("input.command").Str != "ls -la" {
				t.Errorf("%s %v: %d %s%s", api, args, o.status, o.out, o.stderr)
			}
		}
		calls := g.lines("proposal", 2)
		asked := g.lines("model_request", 2)
		if len(calls) != 2 || len(asked) != 2 || calls[0].Get("input").Str != `{"command":"ls -la"}` ||
			calls[0].Get("agent").Str != "child-1" {
			t.Fatalf("%s: the log holds %v %v", api, asked, calls)
		}
		if l := asked[1]; l.Get("model").Str != api+"/other" || l.Get("usage.output").Int() != 42 ||
			l.Get("pid").Int() != int64(os.Getpid()) || l.Get("decision").Str != "passed" {
			t.Errorf("%s: %s", api, l.Raw)
		}
		if o := think(t, "", "models"); o.status != 0 || !strings.Contains(o.out, api+"/") {
			t.Errorf("%s: models: %d %s%s", api, o.status, o.out, o.stderr)
		}
		if o := think(t, "", "--model", "nobody/x", "hi"); o.status == 0 {
			t.Errorf("%s: another provider: %d %s", api, o.status, o.stderr)
		}
		g.stop()
	}
}

// TestServeCurl: curl --unix-socket is enough, and --listen serves by a base URL.
func TestServeCurl(t *testing.T) {
	scripttest.Need(t, "curl")
	f := modeltest.NewServer(t, modeltest.Always(hello))
	f.Use(t)
	g := serve(t, "", "--model", "anthropic/m")
	const body = `{"model":"m","max_tokens":10,"stream":true,"messages":[{"role":"user",` +
		`"content":[{"type":"text","text":"hi"}]}]}`
	out, err := exec.Command("curl", "-sN", "--unix-socket", g.socket, "http://x/v1/messages", "-H",
		"Content-Type: application/json", "-d", body).CombinedOutput()
	if err != nil || string(out) != strings.Join(hello("anthropic").Pieces, "") {
		t.Errorf("%v %s", err, out)
	}
	tcp := serve(t, "", "--model", "anthropic/m", "--listen", "127.0.0.1:0")
	url, token := tcp.ready.Get("url").Str, tcp.ready.Get("token").Str
	if url == "" || len(token) < 20 {
		t.Fatalf("%s", tcp.ready.Raw)
	}
	for given, want := range map[string]string{token: "200", "": "401", "wrong": "401"} {
		out, err := exec.Command("curl", "-s", "-o", os.DevNull, "-w", "%{http_code}",
			url+"/v1/messages", "-H", "Content-Type: application/json", "-H", "x-api-key: "+given,
			"-d", body).CombinedOutput()
		if err != nil || string(out) != want {
			t.Errorf("token %q: %v %s, want %s", given, err, out, want)
		}
	}
}

// TestServeRefuses: each bound is refused in the provider's own form, and the
// provider is not asked.
func TestServeRefuses(t *testing.T) {
	f := modeltest.NewServer(t, modeltest.Always(modeltest.Done))
	f.Use(t)
	g := serve(t, gatewayToken, "--model", "anthropic/claude-sonnet-5-5",
		"--allow", "claude-sonnet-*", "--budget-usd", "0.01")
	ask := func(extra string) string {
		return `{"model":"claude-sonnet-5-5","max_tokens":10,"messages":[{"role":"user",` +
			`"content":[{"type":"text","text":"hi"}` + extra
	}
	end := `]}]}`
	for name, c := range map[string]struct {
		path, body string
		header     []string
		status     int
		typ        string
	}{
		"no token": {"/v1/messages", ask(end), []string{"X-Api-Key", ""}, 401,
			"authentication_error"},
		"a wrong token": {"/v1/messages", ask(end), []string{"X-Api-Key", "x"}, 401,
			"authentication_error"},
		"another API":    {"/v1/chat/completions", ask(end), nil, 404, "not_found_error"},
		"files":          {"/v1/files", "{}", nil, 404, "not_found_error"},
		"batches":        {"/v1/messages/batches", "{}", nil, 404, "not_found_error"},
		"a path upwards": {"/v1/../v1/files", "{}", nil, 404, "not_found_error"},
		"no JSON":        {"/v1/messages", "hello", nil, 400, "invalid_request_error"},
		"a list":         {"/v1/messages", "[]", nil, 400, "invalid_request_error"},
		"very deep": {"/v1/messages", strings.Repeat("[", 1<<20), nil, 400,
			"invalid_request_error"},
		"no model": {"/v1/messages", `{"messages":[]}`, nil, 400, "invalid_request_error"},
		"another model": {"/v1/messages", strings.Replace(ask(end), "sonnet", "opus", 1), nil, 403,
			"permission_error"},
		"counting": {"/v1/messages/count_tokens", ask(end), nil, 404, "not_found_error"},
		"a price too high": {"/v1/messages", ask(`,{"type":"text","text":"` +
			strings.Repeat("word ", 10_000) + `"}` + end), nil, 402, "billing_error"},
		"too large": {"/v1/messages", ask(`,{"type":"text","text":"` +
			strings.Repeat("x", 33<<20) + `"}` + end), nil, 413, "request_too_large"},
	} {
		status, body := g.post(c.path, c.body, c.header...)
		if status != c.status || gjson.Get(body, "error.type").Str != c.typ ||
			gjson.Get(body, "type").Str != "error" {
			t.Errorf("%s: %d %.300s, want %d %s", name, status, body, c.status, c.typ)
		}
		time.Sleep(60 * time.Millisecond) // refusals that come faster share a line
	}
	if n := len(f.Requests()); n != 0 {
		t.Errorf("the provider was asked %d times", n)
	}
	reasons := map[string]bool{}
	for _, l := range g.lines("model_request", 13) {
		reasons[l.Get("reason").Str] = l.Get("decision").Str == "refused"
	}
	for _, want := range []string{"token", "path", "form", "model", "budget", "size"} {
		if !reasons[want] {
			t.Errorf("no line says %q: %v", want, reasons)
		}
	}
}

// TestServeBudget: fifty clients at once never take more than the budget, by
// what the provider counts, and what is left is used.
func TestServeBudget(t *testing.T) {
	var mu sync.Mutex
	var asked, answered int64 // tokens
	f := modeltest.NewServer(t, func(n int, api string, body gjson.Result) modeltest.Reply {
		mu.Lock()
		defer mu.Unlock()
		out := body.Get("max_tokens").Int() // a model that says as much as it may
		asked, answered = asked+30, answered+out
		stop := fmt.Sprintf(`{"type":"message_delta","delta":{"stop_reason":"max_tokens"},`+
			`"usage":{"output_tokens":%d}}`, out)
		pieces := modeltest.Stream(api, "max_tokens", modeltest.Say{Kind: "text", Text: "words"})
		last := len(pieces) - 1
		pieces = append(pieces[:last-1], modeltest.SSE("message_delta", stop), pieces[last])
		return modeltest.Reply{Pieces: pieces, Wait: time.Millisecond}
	})
	f.Use(t)
	const budget = 20_000
	g := serve(t, gatewayToken, "--model", "anthropic/m", "--budget-tokens", fmt.Sprint(budget))
	var wg sync.WaitGroup
	statuses := make(chan int, 50)
	for range 50 {
		wg.Go(func() {
			status, _ := g.post("/v1/messages",
				`{"model":"m","max_tokens":1500,"stream":true,"messages":[{"role":"user",`+
					`"content":[{"type":"text","text":"hi"}]}]}`)
			statuses <- status
		})
	}
	wg.Wait()
	close(statuses)
	count := map[int]int{}
	for status := range statuses {
		count[status]++
	}
	if used := asked + answered; used > budget || used < budget*9/10 || count[200]+count[402] != 50 ||
		count[402] == 0 {
		t.Errorf("%d of %d tokens were used, %v", used, budget, count)
	}
	t.Setenv("UA_GATEWAY", g.socket)
	t.Setenv("UA_GATEWAY_TOKEN", gatewayToken)
	t.Setenv("ANTHROPIC_API_KEY", "")
	if o := think(t, "", "--model", "anthropic/m", "hi"); o.status != 124 ||
		!strings.Contains(o.stderr, "the budget is used up") {
		t.Errorf("ua-think: %d %s", o.status, o.stderr)
	}
}

// TestServeHostile: whatever comes down the socket, the gateway goes on to
// answer others, in bounded memory, and keeps the key.
func TestServeHostile(t *testing.T) {
	f := modeltest.NewServer(t, modeltest.Always(modeltest.Done))
	f.Use(t)
	g := serve(t, gatewayToken, "--model", "anthropic/m")
	good := func(when string) {
		t.Helper()
		status, body := g.post("/v1/messages", `{"model":"m","max_tokens":10,"stream":true,`+
			`"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}]}`)
		if status != 200 || !strings.Contains(body, "Done.") {
			t.Fatalf("%s: %d %s", when, status, body)
		}
	}
	dial := func() net.Conn {
		c, err := net.Dial("unix", g.socket)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	head := "POST /v1/messages HTTP/1.1\r\nHost: x\r\nX-Api-Key: " + gatewayToken + "\r\n"
	for name, text := range map[string]string{
		"junk": "\x00\xff\x16\x03\x01\x02\x00", "another protocol": "SSH-2.0-OpenSSH_9.9\r\n",
		"HTTP/2":      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
		"two lengths": head + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
		"chunks and length": head +
			"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" +
			"GET /v1/models HTTP/1.1\r\n\r\n",
		"a bad chunk":    head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n",
		"a huge length":  head + "Content-Length: 99999999999\r\n\r\n{",
		"a huge header":  "GET /v1/models HTTP/1.1\r\nX: " + strings.Repeat("x", 1<<20),
		"many headers":   "GET /v1/models HTTP/1.1\r\n" + strings.Repeat("X-A: b\r\n", 20_000),
		"a header split": head + "X-Evil: a\rX-Api-Key: b\r\nContent-Length: 0\r\n\r\n",
		"an address": "GET http://169.254.169.254/latest/meta-data HTTP/1.1\r\nHost: " +
			"x\r\nX-Api-Key: " + gatewayToken + "\r\n\r\n",
		"a tunnel": "CONNECT api.anthropic.com:443 HTTP/1.1\r\nHost: x\r\nX-Api-Key: " +
			gatewayToken + "\r\n\r\n",
		"half a request": "POST /v1/mess",
	} {
		c := dial()
		go func() { // it may not take all of it
			io.WriteString(c, text)
			c.(*net.UnixConn).CloseWrite()
		}()
		c.SetReadDeadline(time.Now().Add(30 * time.Second))
		back, _ := io.ReadAll(c)
		c.Close()
		if strings.Contains(string(back), modeltest.Secret) || strings.Contains(string(back), " 200 ") {
			t.Errorf("%s: %.300s", name, back)
		}
	}
	good("after the junk")
	var held []net.Conn
	for i := range 10_000 {
		c, err := net.Dial("unix", g.socket)
		for errors.Is(err, syscall.EAGAIN) { // the queue before accept(2) is full
			time.Sleep(time.Millisecond)
			c, err = net.Dial("unix", g.socket)
		}
		if err != nil {
			t.Fatalf("connection %d: %v", i, err)
		}
		if i%2 == 0 {
			io.WriteString(c, "POST /v1/mess")
		}
		held = append(held, c)
		if len(held) > 400 { // the test's own descriptors are bounded
			held[0].Close()
			held = held[1:]
		}
	}
	good("with all connections taken")
	for _, c := range held {
		c.Close()
	}
	for what, text := range map[string]string{"headers": "POST /v1/mess",
		"bodies": head + "Content-Length: 100\r\n\r\n{"} {
		var half []net.Conn
		for range 400 {
			c := dial()
			io.WriteString(c, text)
			half = append(half, c)
		}
		good("beside half-sent " + what)
		for _, c := range half {
			c.Close()
		}
	}
	if kib := peak(g.cmd.Process.Pid); kib > 200<<10 {
		t.Errorf("the gateway took %d KiB", kib)
	}
}

// peak is the most memory, in KiB, that a process has had so far.
func peak(pid int) (kib int) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	fmt.Sscan(rest, &kib)
	return kib
}

// TestServeGone: a client that goes away ends the provider's work, and is
// charged and logged for what it had.
func TestServeGone(t *testing.T) {
	f := modeltest.NewServer(t, func(n int, api string, _ gjson.Result) modeltest.Reply {
		return modeltest.Reply{Pieces: hello(api).Pieces[:8], Stall: true} // all of the call
	})
	f.Use(t)
	g := serve(t, gatewayToken, "--model", "anthropic/m", "--budget-tokens", "100000")
	c, err := net.Dial("unix", g.socket)
	if err != nil {
		t.Fatal(err)
	}
	body := `{"model":"m","max_tokens":1000,"stream":true,"messages":[{"role":"user",` +
		`"content":[{"type":"text","text":"hi"}]}]}`
	fmt.Fprintf(c, "POST /v1/messages HTTP/1.1\r\nHost: x\r\nX-Api-Key: %s\r\nContent-Length: "+
		"%d\r\n\r\n%s", gatewayToken, len(body), body)
	r := bufio.NewReader(c)
	for {
		line, err := r.ReadString('\n')
		if err != nil || strings.Contains(line, "ls -la") {
			break
		}
	}
	c.Close()
	l := g.lines("model_request", 1)
	if len(l) != 1 || l[0].Get("stop_reason").Str != "interrupted" ||
		l[0].Get("usage.input").Int() == 0 || len(g.lines("proposal", 1)) != 1 {
		t.Errorf("%v", l)
	}
}

// TestServeNoLog: without a log nothing is answered.
func TestServeNoLog(t *testing.T) {
	f := modeltest.NewServer(t, modeltest.Always(modeltest.Done))
	f.Use(t)
	dir := t.TempDir()
	cmd := exec.Command(filepath.Join(scripttest.Bin(t), "ua-think"), "serve", "--model",
		"anthropic/m", "--socket", filepath.Join(dir, "s"))
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	cmd.Stdout = full
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Signal(syscall.SIGTERM)
	g := &served{t: t, cmd: cmd, socket: filepath.Join(dir, "s")}
	scripttest.Await(t, "the socket", func() bool { // its file is there before it listens
		c, err := net.Dial("unix", g.socket)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	if status, body := g.post("/v1/messages", `{"model":"m"}`); status != 503 ||
		len(f.Requests()) > 0 {
		t.Errorf("%d %s", status, body)
	}
}

// TestServeDepth: how deep a client stands is read from the process tree, not
// from what it says.
func TestServeDepth(t *testing.T) {
	scripttest.Need(t, "curl", "bash")
	f := modeltest.NewServer(t, modeltest.Always(modeltest.Done))
	f.Use(t)
	g := serve(t, gatewayToken, "--model", "anthropic/m", "--max-depth", "1")
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatal(err)
	}
	hands := filepath.Join(t.TempDir(), "ua-exec") // a shell in the place of what runs commands
	scripttest.CopyProgram(t, bash, hands)
	ask := `curl -s -o "$OUT" -w '%{http_code}' --unix-socket ` + g.socket +
		` http://x/v1/messages -H 'x-api-key: ` + gatewayToken +
		`' -H 'UA-Depth: 0' -H 'content-type: application/json' -d ` +
		`'{"model":"m","max_tokens":10,"stream":true,"messages":[{"role":"user",` +
		`"content":[{"type":"text","text":"hi"}]}]}'; true`
	for depth, want := range []string{"200", "200", "403"} {
		script := ask
		for range depth {
			script = hands + " -c " + quote("bash -c "+quote(script)+"; true") + "; true"
		}
		cmd := exec.Command("bash", "-c", script)
		out := filepath.Join(t.TempDir(), "out")
		cmd.Env = append(os.Environ(), "OUT="+out, "UA_DEPTH=0")
		got, err := cmd.Output()
		body, _ := os.ReadFile(out)
		if err != nil || string(got) != want {
			t.Errorf("depth %d: %s %v %s", depth, got, err, body)
		}
		if want == "403" && !strings.Contains(string(body),
			"an agent at depth 2 may not ask: the limit is 1") {
			t.Errorf("%s", body)
		}
	}
}

// quote is s as one word of a shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// TestServeEnds: a socket that is in use is not taken, one that is left over is,
// and nothing is left behind.
func TestServeEnds(t *testing.T) {
	f := modeltest.NewServer(t, nil)
	f.Use(t)
	g := serve(t, "", "--model", "anthropic/m")
	if info, err := os.Stat(g.socket); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	bin := filepath.Join(scripttest.Bin(t), "ua-think")
	for _, c := range []struct{ args, says string }{
		{"--socket " + g.socket, "another program is listening there"},
		{"--socket " + bin, "a file is there that is not a socket"},
		{"--socket /nonexistent/s", "no such file or directory"},
		{"--socket /tmp/" + strings.Repeat("x", 200), "too long for a socket"},
		{"--listen 0.0.0.0:0", "is not a loopback address"},
		{"--listen 127.0.0.1:0 --socket x", "serve needs one of"},
		{"", "serve needs one of"},
		{"--socket-fd 77", "descriptor 77"},
		{"--socket x --token-fd 77", "descriptor 77"},
		{"--socket x --model exec:cat", "has no API to serve"},
	} {
		args := append([]string{"serve"}, strings.Fields(c.args)...)
		if !strings.Contains(c.args, "--model") {
			args = append(args, "--model", "anthropic/m")
		}
		out, _ := exec.Command(bin, args...).CombinedOutput()
		if !strings.Contains(string(out), c.says) || strings.Contains(string(out), "goroutine") {
			t.Errorf("%s: %s", c.args, out)
		}
	}
	g.stop()
	if _, err := os.Lstat(g.socket); err == nil {
		t.Error("the socket is left behind")
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: g.socket})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	l.Close() // as after kill -9
	again := exec.Command(bin, "serve", "--model", "anthropic/m", "--socket", g.socket)
	out, err := again.StdoutPipe()
	if err == nil {
		err = again.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if line, _ := bufio.NewReader(out).ReadString('\n'); gjson.Get(line, "socket").Str != g.socket {
		t.Errorf("%s", line)
	}
	// Who started it is gone: it ends by itself.
	out.Close()
	again.Wait()
	if got := again.ProcessState.ExitCode(); got != 141 {
		t.Errorf("status %d", got)
	}
}
