package job

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ua/internal/common/jobs"
)

// record writes a job's record into a folder.
func record(t testing.TB, dir, name, text string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+jobs.Suffix), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestFind(t *testing.T) {
	at := func(minute int) time.Time { return time.Date(2026, 1, 2, 3, minute, 0, 0, time.UTC) }
	list := []*Job{
		{Name: "20260102-030405-abcdef", Record: jobs.Record{CallID: "c1", Started: at(1)}},
		{Name: "20260102-030405-abc123", Record: jobs.Record{CallID: "c2", Started: at(3)}},
		{Name: "job-1", Record: jobs.Record{CallID: "job-2", Started: at(2)}},
		{Name: "job-2", Record: jobs.Record{CallID: "c4", Started: at(0)}},
	}
	for _, c := range []struct{ word, want, wrong string }{
		{"job-1", "job-1", ""},
		{"abcdef", "20260102-030405-abcdef", ""},
		{"c1", "20260102-030405-abcdef", ""},
		{"last", "20260102-030405-abc123", ""},
		{"1", "job-1", ""},
		{"2026", "", `"2026": matches 2 jobs`},
		{"job-2", "", `"job-2": matches 2 jobs`}, // a name and the ID of a call
		{"job", "", `"job": matches 2 jobs`},
		{"c", "", `"c": no such job`},
		{"", "", `"": no such job`},
		{"none", "", `"none": no such job`},
	} {
		j, err := Find(list, c.word)
		if c.wrong == "" && (err != nil || j.Name != c.want) ||
			c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)) {
			t.Errorf("%q: %+v, %v", c.word, j, err)
		}
	}
	if _, err := Find(nil, "last"); err == nil {
		t.Error("the last of none")
	}
}

// Records are read in the order in which their jobs began, and what is no record is not.
func TestIn(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a[b]*?") // which is no pattern
	record(t, dir, "second", `{"state":"ended","started":"2026-01-02T00:00:00Z","log":"/etc/passwd"}`)
	record(t, dir, "first", `{"state":"ended","started":"2026-01-01T00:00:00Z"}`)
	record(t, dir, "junk", "junk")
	if err := os.Symlink("first"+jobs.Suffix, filepath.Join(dir, "link"+jobs.Suffix)); err != nil {
		t.Fatal(err)
	}
	list := In(dir, "r", "")
	if len(list) != 2 || list[0].Name != "first" || list[1].Name != "second" || list[1].Run != "r" {
		t.Fatalf("%+v", list)
	}
	if got := list[1].LogPath(); got != filepath.Join(dir, "passwd") {
		t.Errorf("the log is %s", got)
	}
	if got := list[0].LogPath(); got != "" {
		t.Errorf("the log is %s", got)
	}
	if list := In(dir, "", "named"); list[0].Name != "named" || list[0].Key != "first" {
		t.Errorf("%+v", list[0])
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	if list := In(link, "", ""); list != nil {
		t.Errorf("through a link: %+v", list)
	}
}

// A job whose keeper is gone is lost if it ran, and has left nothing if it had ended.
func TestLost(t *testing.T) {
	dir := t.TempDir()
	record(t, dir, "a", `{"state":"running","socket":"none.sock","left":2}`)
	record(t, dir, "b", `{"state":"ended","socket":"none.sock","left":2}`)
	record(t, dir, "c", `{"state":"running"}`) // nobody ever kept it
	for _, j := range In(dir, "", "") {
		want := map[string]string{"a": Lost, "b": jobs.Ended, "c": jobs.Running}[j.Name]
		if j.State != want || j.Left != 0 {
			t.Errorf("%s: %s, %d left", j.Name, j.State, j.Left)
		}
	}
}

func TestOwn(t *testing.T) {
	folder := t.TempDir()
	record(t, filepath.Join(folder, "j1", Outputs), "job", `{"state":"ended"}`)
	record(t, filepath.Join(folder, "j2"), "job", `{"state":"ended"}`) // not where it belongs
	if err := os.WriteFile(filepath.Join(folder, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	list := Own(folder, "r")
	if len(list) != 1 || list[0].Name != "j1" || list[0].Key != "job" || list[0].Run != "r" {
		t.Errorf("%+v", list)
	}
	if Own(filepath.Join(folder, "none"), "") != nil {
		t.Error("jobs of no folder")
	}
}

// keeper answers one request in a folder with the replies, the last of them after the proof
// if one is asked for, and tells what it was asked.
func keeper(t *testing.T, dir string, replies ...string) <-chan string {
	t.Helper()
	d, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	l, err := net.Listen("unix", jobs.Address(d, jobs.Socket))
	if err != nil {
		t.Fatal(err)
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false) // its address has a descriptor's number
	t.Cleanup(func() { os.Remove(filepath.Join(dir, jobs.Socket)) })
	asked := make(chan string, 1)
	go func() {
		defer l.Close()
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		in := bufio.NewReader(conn)
		q, _ := in.ReadString('\n')
		for i, r := range replies {
			if i > 0 {
				in.ReadByte()
			}
			fmt.Fprintln(conn, r)
		}
		asked <- q
	}()
	return asked
}

// Who has no token makes the file that it is told to, in the job's folder and nowhere else.
func TestAsk(t *testing.T) {
	for _, c := range []struct {
		name    string
		token   string
		replies []string
		wrong   string
		made    string
	}{
		{"with a token", "secret", []string{`{"job":"job-1"}`}, "", ""},
		{"with a proof", "", []string{`{"create":".right-1"}`, `{"job":"job-1"}`}, "", ".right-1"},
		{"refused", "secret", []string{`{"error":"no room"}`}, "no room", ""},
		{"no proof", "", []string{`{"error":"no"}`}, "an unexpected answer: no", ""},
		{"a proof elsewhere", "", []string{`{"create":".right-/../../x"}`}, "an unexpected answer", ""},
		{"a proof of another name", "", []string{`{"create":"call.jsonl"}`}, "an unexpected answer", ""},
		{"junk for a proof", "", []string{"junk"}, "invalid character", ""},
		{"junk", "secret", []string{"junk"}, "no answer", ""},
		{"silence", "secret", nil, "no answer: EOF", ""},
	} {
		dir := t.TempDir()
		asked := keeper(t, dir, c.replies...)
		r, err := Start(filepath.Join(dir, jobs.Socket), jobs.Request{Do: "start", Token: c.token,
			Command: "make", Dir: "/w"})
		if c.wrong == "" && (err != nil || r.Job != "job-1") ||
			c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)) {
			t.Errorf("%s: %+v, %v", c.name, r, err)
		}
		var q jobs.Request
		if err := json.Unmarshal([]byte(<-asked), &q); err != nil ||
			q != (jobs.Request{Do: "start", Token: c.token, Command: "make", Dir: "/w"}) {
			t.Errorf("%s: asked %+v, %v", c.name, q, err)
		}
		if _, err := os.Stat(filepath.Join(dir, c.made)); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// What has ended, or nobody keeps, is not asked.
func TestNotAsked(t *testing.T) {
	for _, c := range []struct {
		job   Job
		do    string
		wrong string
	}{
		{Job{Name: "j", Record: jobs.Record{State: jobs.Ended}}, "in", "j has ended"},
		{Job{Name: "j", Record: jobs.Record{State: jobs.Ended, Left: 1}}, "in", "j has ended"},
		{Job{Name: "j", Record: jobs.Record{State: jobs.Ended, Left: 1}}, "stop",
			"j: no process controls it"},
		{Job{Name: "j", Record: jobs.Record{State: jobs.Running}}, "in", "j: no process controls it"},
		{Job{Name: "j", Dir: "/nonexistent", Record: jobs.Record{State: jobs.Running, Socket: "s"}},
			"in", "/nonexistent/s: no such file"},
	} {
		if _, err := c.job.Ask(jobs.Request{Do: c.do}, nil); err == nil ||
			!strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%+v, %s: %v", c.job, c.do, err)
		}
	}
}

// FuzzRecord: whatever a command has made of a record, a job is found in it or none, its log
// lies beside it, and its socket is asked in that folder.
func FuzzRecord(f *testing.F) {
	f.Add(`{"state":"running","socket":"../../x.sock","log":"../../../etc/passwd","left":-1}`)
	f.Add(`{"state":7}`)
	f.Add(`{"started":"0000-00-00","pid":1e99}`)
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		record(t, dir, "one", text)
		for _, j := range In(dir, "", "") {
			path := j.LogPath() // "." and ".." are folders, which no log is
			if path != "" && filepath.Dir(path) != dir && path != dir && path != filepath.Dir(dir) {
				t.Errorf("the log is %s", path)
			}
			if j.Name != "one" {
				t.Errorf("%+v", j)
			}
		}
	})
}

// TestHostileSocket has in the place of a job's socket what a command can put there: it is
// not followed, nor waited for, nor read without an end.
func TestHostileSocket(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	connected := listenIn(t, outside, "real", 8)
	if err := os.Symlink(filepath.Join(outside, "real"), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600)
	full := listenIn(t, dir, "full", 0)
	for range 3 { // a connection more than the backlog holds would wait
		if c, err := dial(dir, "full"); err == nil {
			defer c.Close()
		}
	}
	for _, socket := range []string{"link", "fifo", "full"} {
		record(t, dir, socket, `{"state":"running","socket":"`+socket+`"}`)
	}
	for _, j := range In(dir, "", "") {
		if j.State != Lost {
			t.Errorf("%s: %s", j.Name, j.State)
		}
	}
	if fd, _, err := syscall.Accept(connected); err == nil {
		t.Error("a link to a socket was followed")
		syscall.Close(fd)
	}
	syscall.Close(connected)
	syscall.Close(full)
}

// listenIn listens on a socket in a folder, where nobody takes connections.
func listenIn(t *testing.T, dir, name string, backlog int) int {
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		err = syscall.Bind(fd, &syscall.SockaddrUnix{Name: filepath.Join(dir, name)})
	}
	if err == nil {
		err = syscall.Listen(fd, backlog)
	}
	if err == nil {
		err = syscall.SetNonblock(fd, true)
	}
	if err != nil {
		t.Fatal(err)
	}
	return fd
}

// TestEndlessReply reads no more of an answer than one may hold.
func TestEndlessReply(t *testing.T) {
	dir := t.TempDir()
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	sent := make(chan int, 1)
	go func() {
		n := 0
		defer func() { sent <- n }()
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		fmt.Fprintln(conn, `{"create":".right-x"}`)
		for part := make([]byte, 1<<16); n < 64<<20 && err == nil; n += len(part) {
			_, err = conn.Write(part)
		}
	}()
	j := &Job{Record: jobs.Record{State: jobs.Running, Socket: "s"}, Dir: dir}
	if _, err := j.Ask(jobs.Request{Do: "stop"}, nil); err == nil {
		t.Error("no error")
	}
	if n := <-sent; n > 8*replyMax {
		t.Errorf("%d bytes were read", n)
	}
}

// TestManyRecords reads no more records of a folder than have room.
func TestManyRecords(t *testing.T) {
	dir, long := t.TempDir(), strings.Repeat("x", 3<<20)
	for n := range 40 {
		record(t, dir, fmt.Sprint(n), `{"state":"ended","command":"`+long+`"}`)
	}
	if n := len(In(dir, "", "")); n == 0 || n > recordsMax/len(long) {
		t.Errorf("%d records", n)
	}
}
