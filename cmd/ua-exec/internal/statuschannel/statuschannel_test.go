package statuschannel

import (
	"net"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ua/cmd/ua-exec/internal/pipe"
)

// tell gives a pipe to a command and has it say the text.
func tell(t *testing.T, give func(pipe.Files, *pipe.Ends) pipe.Files, fd int, text string) {
	t.Helper()
	var theirs pipe.Ends
	f := give(pipe.Files{0, 1, 2}, &theirs)
	if len(f) != fd+1 && fd != StatusFD {
		t.Fatalf("%d descriptors, want %d", len(f), fd+1)
	}
	if _, err := syscall.Write(int(f[fd]), []byte(text)); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
}

func TestNotRun(t *testing.T) {
	for text, want := range map[string]string{
		"": "",
		`{"type":"refused","status":126,"message":" no namespaces "}`: "no namespaces",
		`{"type":"refused"}`:   "ua-sandbox gave no reason",
		`{"message":7}`:        "ua-sandbox gave no reason",
		"junk":                 "ua-sandbox gave no reason",
		`{"message":"  \n"}\n`: "ua-sandbox gave no reason",
	} {
		n, err := NewChannel(NotRunFD)
		if err != nil {
			t.Fatal(err)
		}
		tell(t, n.Give, NotRunFD, text)
		if got := n.NotRun(); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	if (*Channel)(nil).NotRun() != "" {
		t.Error("a command without a sandbox of its own")
	}
}

func TestNetLog(t *testing.T) {
	for text, want := range map[string][]string{
		"": nil,
		`{"type":"net","decision":"allow","reason":"listed"}`: nil,
		`{"decision":"deny","reason":"a"}` + "\n" + `{"decision":"allow"}` + "\n" +
			`{"decision":"deny","reason":"b"}` + "\n" + `{"decision":"de`: {"a", "b"},
		"junk\n\x00": nil,
	} {
		n, err := NewChannel(NetLogFD)
		if err != nil {
			t.Fatal(err)
		}
		tell(t, n.Give, NetLogFD, text)
		if got := n.Refused(); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	if (*Channel)(nil).Refused() != nil {
		t.Error("a command without a proxy of its own")
	}
}

// Only a command with a pipe in it has statuses to tell.
func TestPipeline(t *testing.T) {
	prelude := NewSealed(Prelude)
	if prelude == nil {
		return // where there are no files in memory
	}
	defer prelude.Close()
	if NewPipeline(prelude, "ls") != nil || NewPipeline(nil, "ls | wc") != nil ||
		(*Pipeline)(nil).Statuses() != nil {
		t.Error("a pipe for nothing")
	}
	p := NewPipeline(prelude, "ls | wc")
	tell(t, p.Give, StatusFD, "0 141 ")
	if got := p.Statuses(); !slices.Equal(got, []int{0, 141}) {
		t.Errorf("%v", got)
	}
	if _, err := prelude.WriteString("x"); err == nil {
		t.Error("the prelude can be written")
	}
}

func TestParseStatuses(t *testing.T) {
	for text, want := range map[string][]int{"1 0 ": {1, 0}, "": nil, " ": nil, "1 0 x": nil,
		"256": nil,
		"-1":  nil, "0\n255": {0, 255}, "1.5": nil} {
		if got := parseStatuses(text); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func FuzzParseStatuses(f *testing.F) {
	f.Add("1 0 ")
	f.Add("1 0 x")
	f.Fuzz(func(t *testing.T, text string) {
		for _, n := range parseStatuses(text) {
			if n < 0 || n > 255 {
				t.Fatalf("%q holds %d", text, n)
			}
		}
	})
}

// A command longer than an argument may be is in a file that nobody can change.
func TestNewScript(t *testing.T) {
	if f, err := NewScript(strings.Repeat("x", ArgMax-1)); f != nil || err != nil {
		t.Errorf("%v, %v", f, err)
	}
	f, err := NewScript(strings.Repeat("x", ArgMax))
	if err == syscall.E2BIG {
		return // where there are no files in memory
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Size() != ArgMax || f.Truncate(1) == nil {
		t.Errorf("%v, %v", info, err)
	}
}

// proxy answers one request, and returns its address as that of a proxy.
func proxy(t *testing.T, answer string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		b := make([]byte, 4096)
		n, _ := conn.Read(b)
		if !strings.Contains(string(b[:n]), "Proxy-Authorization: Basic dTpw\r\n") { // u:p
			answer = "HTTP/1.1 407 no\r\n\r\n"
		}
		conn.Write([]byte(answer))
	}()
	return "http://u:p@" + l.Addr().String()
}

// The proxy around ua-exec is asked for what it has refused since; one of another make, or
// none, says nothing.
func TestAskProxy(t *testing.T) {
	since := time.UnixMilli(1000)
	const events = `{"reason":"before","at_ms":999}` + "\n" +
		`{"reason":"then","at_ms":1000}` + "\n" + "junk\n" +
		`{"reason":"","at_ms":2000}` + "\n" + `{"reason":"after","at_ms":2000}`
	for answer, want := range map[string][]string{
		"HTTP/1.1 200 OK\r\n\r\n" + events:        {"then", "after"},
		"HTTP/1.1 200 OK\r\n\r\n":                 nil,
		"HTTP/1.1 403 Forbidden\r\n\r\n" + events: nil,
		"SSH-2.0-OpenSSH\r\n":                     nil,
		"":                                        nil,
	} {
		if got := AskProxy(proxy(t, answer), since); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", answer, got, want)
		}
	}
	for _, none := range []string{"", "http://", "http://127.0.0.1:1", "%", "not a url"} {
		if got := AskProxy(none, since); got != nil {
			t.Errorf("%q: %q", none, got)
		}
	}
}

// TestLease: what is no answer of our proxy's is no password.
func TestLease(t *testing.T) {
	for answer, want := range map[string]string{
		"HTTP/1.1 200 OK\r\nA: b\r\n\r\nua:start-ID\n":      "ua:start-ID",
		"HTTP/1.1 200 OK\r\n\r\nua:start-ID\n":              "ua:start-ID",
		"HTTP/1.1 200 OK\r\nA: b\r\n\r\nua:start-ID":        "",
		"HTTP/1.1 200 OK\r\nA: b\r\n\r\nnone\n":             "",
		"HTTP/1.1 200 OK\r\nA: b\r\nua:start-ID\n":          "",
		"HTTP/1.1 407 No\r\nA: b\r\n\r\nua:start-ID\n":      "",
		"HTTP/1.1 200 OK\r\n" + strings.Repeat("A", 20<<10): "",
		"\r\n\r\n": "",
		"":         "",
	} {
		got, until, err := Lease(proxy(t, answer))
		if got != want || (err == nil) != (want != "") || (until == nil) != (want == "") {
			t.Errorf("%.40q: %q, %v", answer, got, err)
		}
		if until != nil {
			until.Close()
		}
	}
}

func FuzzRefusedSince(f *testing.F) {
	f.Add("HTTP/1.1 200 OK\r\n\r\n{\"reason\":\"x\",\"at_ms\":5}\n")
	f.Add("HTTP/1.1 200 \n{\"reason\":[1],\"at_ms\":\"x\"}")
	f.Fuzz(func(t *testing.T, answer string) {
		for _, why := range refusedSince(strings.NewReader(answer), time.UnixMilli(1)) {
			if why == "" {
				t.Errorf("%q", answer)
			}
		}
	})
}
