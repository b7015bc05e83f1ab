package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"ua/internal/common/jobs"
)

// asked is what the socket in the folder answers to the lines. Of a file that it wants
// to be made, made says whether it is.
func asked(t *testing.T, dir string, made bool, input string, q jobs.Request) gjson.Result {
	t.Helper()
	d, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	conn, err := net.Dial("unix", jobs.Address(d, jobs.Socket))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	in := bufio.NewReader(conn)
	line, _ := json.Marshal(q)
	fmt.Fprintf(conn, "%s\n", line)
	if q.Token == "" {
		answer, _ := in.ReadString('\n')
		if made {
			os.WriteFile(filepath.Join(dir, gjson.Get(answer, "create").Str), nil, 0o600)
		}
		io.WriteString(conn, "\n")
	}
	io.WriteString(conn, input)
	conn.(*net.UnixConn).CloseWrite()
	answer, _ := in.ReadString('\n')
	return gjson.Parse(answer)
}

// TestControl starts, feeds and stops jobs by the socket, with each right and without
// one.
func TestControl(t *testing.T) {
	dir, show := t.TempDir(), `,"delegates":true`
	l := start(t, "--unconfined", "--dir", dir, "--env", "SHOWN")
	token := func(risk, profile string) string {
		l.send(task{command: "printf %s $UA_JOBS_TOKEN | rev; echo; echo $UA_JOBS; " +
			sleeper(220+len(risk)) + " >/dev/null 2>&1 &", risk: risk, profile: profile, verdict: show})
		got := strings.Fields(text(l.next("tool_result"))) // the token is good while something goes on
		if len(got) < 2 || got[1] != filepath.Join(dir, jobs.Socket) {
			t.Fatalf("%q", got)
		}
		var b strings.Builder
		for i := range len(got[0]) {
			b.WriteByte(got[0][len(got[0])-1-i])
		}
		return b.String()
	}
	narrow, wide := token("read_only", "read-only"), token("write", "workspace")
	l.send(task{command: "env | grep -c UA_JOBS"})
	if r := l.next("tool_result"); text(r) != "0" {
		t.Errorf("a command that does not start ua knows of the socket: %s", r.Raw)
	}
	l.send(task{command: "echo $UA_JOBS_TOKEN", verdict: show})
	if r := l.next("tool_result"); strings.Contains(text(r), wide) {
		t.Errorf("the token is in a result: %s", r.Raw)
	}
	const echo = `while read -r x; do echo "<$x>"; done; echo end; exit 5`
	for _, c := range []struct {
		name, token string
		made        bool
		want        string
	}{
		{"no right", "", false, "permission denied"}, {"a wrong token", "x", false, "permission denied"},
		{"a file that is made", "", true, ""}, {"read-only", narrow, false, ""},
		{"workspace", wide, false, ""},
	} {
		q := jobs.Request{Do: "start", Token: c.token, Command: echo, Dir: dir}
		r := asked(t, dir, c.made, "", q)
		if c.want != "" {
			if !strings.Contains(r.Get("error").Str, c.want) {
				t.Errorf("%s: %s", c.name, r.Raw)
			}
			continue
		}
		if r.Get("state").Str != "running" {
			t.Fatalf("%s: %s", c.name, r.Raw)
		}
		record := func() gjson.Result {
			b, _ := os.ReadFile(filepath.Join(dir, r.Get("job").Str+jobs.Suffix))
			return gjson.ParseBytes(b)
		}
		q = jobs.Request{Do: "in", Token: narrow, Job: r.Get("job").Str}
		if a := asked(t, dir, false, "no\n", q); (c.name == "read-only") != (a.Get("error").Str == "") {
			t.Errorf("%s: a read-only command writes to it: %s", c.name, a.Raw)
		}
		q.Token = wide
		if a := asked(t, dir, false, "a\nb\n", q); c.token != "" && a.Get("bytes").Int() != 4 {
			t.Errorf("%s: %s", c.name, a.Raw)
		}
		q.Token, q.EOF = "", true
		if a := asked(t, dir, true, "c\n", q); a.Get("bytes").Int() != 2 {
			t.Errorf("%s: %s", c.name, a.Raw)
		}
		until(t, "it has ended", func() bool { return record().Get("exit_code").Int() == 5 })
		until(t, "the log has all", func() bool {
			b, _ := os.ReadFile(record().Get("log").Str)
			return strings.HasSuffix(string(b), "<c>\nend\n") && (c.token == "" ||
				strings.Contains(string(b), "<a>\n<b>\n"))
		})
	}
}

// TestControlStop ends jobs, those that do not want to and what one has left running.
func TestControlStop(t *testing.T) {
	dir := t.TempDir()
	l := start(t, "--unconfined", "--dir", dir)
	for i, command := range []string{"%s", "trap '' TERM; %s & wait", "setsid %s & exit 0",
		"%s & exit 0"} {
		s := sleeper(200 + i)
		l.send(task{command: "true", verdict: `,"delegates":true`})
		l.next("tool_result")
		r := asked(t, dir, true, "", jobs.Request{Do: "start", Command: fmt.Sprintf(command, s)})
		until(t, "it runs", func() bool { return alive(s) != nil })
		a := asked(t, dir, true, "", jobs.Request{Do: "stop", Job: r.Get("job").Str, Grace: 50})
		if a.Get("state").Str != "ended" || alive(s) != nil {
			t.Errorf("%s: %s %s, alive: %v", command, r.Raw, a.Raw, alive(s))
		}
	}
	s := sleeper(210)
	asked(t, dir, true, "", jobs.Request{Do: "start", Command: s})
	until(t, "it runs", func() bool { return alive(s) != nil })
	l.stdin.Close()
	l.next("none")
	if err := l.cmd.Wait(); err != nil || alive(s) != nil {
		t.Errorf("%v; alive: %v", err, alive(s))
	}
	if _, err := os.Lstat(filepath.Join(dir, jobs.Socket)); err == nil {
		t.Error("the socket stays")
	}
}

// TestControlJunk asks for nothing that there is, and says nothing for long.
func TestControlJunk(t *testing.T) {
	dir := t.TempDir()
	l := start(t, "--unconfined", "--dir", dir)
	l.send(task{command: "true", verdict: `,"delegates":true`})
	l.next("tool_result")
	d, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for range 48 { // who waits for the line, more than there is room for
		conn, err := net.Dial("unix", jobs.Address(d, jobs.Socket))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
	}
	tooLong := strings.Repeat("x", 2<<20)
	for _, junk := range []string{"\n", "{}\n", "[1]\n", `{"do":`, tooLong} {
		conn, err := net.Dial("unix", jobs.Address(d, jobs.Socket))
		if err != nil {
			t.Fatal(err)
		}
		go io.WriteString(conn, junk)
		conn.SetReadDeadline(time.Now().Add(20 * time.Second))
		if answer, _ := bufio.NewReader(conn).ReadString('\n'); !strings.Contains(answer, `"error"`) &&
			!strings.Contains(answer, `"create"`) {
			t.Errorf("%.20q: %q", junk, answer)
		}
		conn.Close()
	}
	for _, q := range []jobs.Request{{Do: "no"}, {Do: "stop", Job: "../x"}, {Do: "in"},
		{Do: "start"}} {
		if r := asked(t, dir, true, "", q); r.Get("error").Str == "" {
			t.Errorf("%+v: %s", q, r.Raw)
		}
	}
}

// TestControlHalfSent: who has not sent a whole request holds no place. The oldest of many
// gives way at once, so that ua job is not kept waiting for any time limit.
func TestControlHalfSent(t *testing.T) {
	dir := t.TempDir()
	l := start(t, "--unconfined", "--dir", dir)
	l.send(task{command: "true", verdict: `,"delegates":true`})
	l.next("tool_result")
	d, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	var first net.Conn
	for i := range 400 {
		conn, err := net.Dial("unix", jobs.Address(d, jobs.Socket))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if i == 0 {
			first = conn
		}
		io.WriteString(conn, `{"do":"start",`)
	}
	r := asked(t, dir, true, "", jobs.Request{Do: "start", Command: "true", Dir: dir})
	if r.Get("job").Str == "" {
		t.Errorf("who asks after them: %s", r.Raw)
	}
	if text, _ := io.ReadAll(first); len(text) > 0 {
		t.Errorf("the oldest was not dropped, but answered in its time: %s", text)
	}
}

// TestControlShare: the whole requests of one command keep out neither another one nor ua job
// outside.
func TestControlShare(t *testing.T) {
	dir := t.TempDir()
	l := start(t, "--unconfined", "--dir", dir)
	tokens := []string{}
	for i := range 2 {
		l.send(task{command: "printf %s $UA_JOBS_TOKEN | rev; " + sleeper(240+i) + " >/dev/null 2>&1 &",
			verdict: `,"delegates":true`})
		got := []byte(strings.TrimSpace(strings.SplitN(text(l.next("tool_result")), "\n", 2)[0]))
		slices.Reverse(got)
		tokens = append(tokens, string(got))
	}
	deaf := asked(t, dir, false, "", jobs.Request{Do: "start", Dir: dir, Token: tokens[0],
		Command: "trap '' TERM; " + sleeper(242) + " & wait; wait; wait"})
	d, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	line, _ := json.Marshal(jobs.Request{Do: "stop", Token: tokens[0], Job: deaf.Get("job").Str,
		Grace: 1e9})
	for range 48 {
		conn, err := net.Dial("unix", jobs.Address(d, jobs.Socket))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprintf(conn, "%s\n", line)
	}
	for _, token := range []string{tokens[1], ""} {
		r := asked(t, dir, true, "", jobs.Request{Do: "start", Command: "true", Dir: dir, Token: token})
		if r.Get("job").Str == "" {
			t.Errorf("who asks after them: %s", r.Raw)
		}
	}
}

// TestBackgroundStdin feeds the call of a model, which a pipe keeps from ending.
func TestBackgroundStdin(t *testing.T) {
	dir := t.TempDir()
	l := start(t, "--unconfined", "--dir", dir)
	l.send(task{command: "cat; exit 3", input: `,"background":true`})
	r := l.next("tool_result")
	if r.Get("status").Str != "background" {
		t.Fatal(r.Raw)
	}
	q := jobs.Request{Do: "in", Job: jobs.Name(r.Get("job").Str), EOF: true}
	if a := asked(t, dir, true, "some\x00bytes", q); a.Get("bytes").Int() != 10 {
		t.Error(a.Raw)
	}
	until(t, "it has ended", func() bool {
		b, _ := os.ReadFile(r.Get("job").Str)
		return gjson.GetBytes(b, "exit_code").Int() == 3
	})
	if a := asked(t, dir, true, "more", q); a.Get("error").Str == "" {
		t.Error(a.Raw)
	}
}
