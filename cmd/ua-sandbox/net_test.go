//go:build linux

package main_test

import (
	"bufio"
	"bytes"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/test/scripttest"
)

// An outside is what a sandbox with a network may and may not reach: servers on
// this machine's loopback, and a folder to start the sandbox in.
type outside struct {
	bin, dir string
	uid      int
	env      []string
	listed   string // HOST:PORT that --net-allow names
	vars     []string
}

// eachUser runs the test as root and as a user, as far as the machine allows.
func eachUser(t *testing.T, do func(*testing.T, *outside)) {
	scripttest.Need(t, "curl")
	uids := []int{os.Getuid()}
	if os.Getuid() == 0 {
		uids = append(uids, 1000)
	}
	for _, uid := range uids {
		t.Run(fmt.Sprint("uid", uid), func(t *testing.T) {
			o := newOutside(t, uid)
			if out, err := o.sandbox("--strict", "--root-ok", "--", "true").CombinedOutput(); err != nil {
				scripttest.Skip(t, scripttest.Refused, "no network namespace here: %s", out)
			}
			do(t, o)
		})
	}
}

func newOutside(t testing.TB, uid int) *outside {
	t.Helper()
	dir, err := os.MkdirTemp("", "ua-net")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	o := &outside{bin: filepath.Join(scripttest.Bin(t), "ua-sandbox"), dir: dir, uid: uid}
	for _, name := range []string{"home", "work"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
		o.own(t, filepath.Join(dir, name))
	}
	o.own(t, dir)
	o.env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(dir, "home")}
	listed := serve(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "hello from ", r.Host)
	})
	other := serve(t, func(w http.ResponseWriter, r *http.Request) {
		t.Error("the unlisted server was reached")
	})
	o.listed = "host.internal:" + listed
	o.vars = []string{"L=" + listed, "O=" + other}
	return o
}

func (o *outside) own(t testing.TB, path string) {
	if os.Getuid() == 0 {
		if err := os.Chown(path, o.uid, o.uid); err != nil {
			t.Fatal(err)
		}
	}
}

// serve runs an HTTP server and returns its port.
func serve(t testing.TB, h http.HandlerFunc) (port string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: h}
	go s.Serve(l)
	t.Cleanup(func() { s.Close() })
	return fmt.Sprint(l.Addr().(*net.TCPAddr).Port)
}

// sandbox is ua-sandbox, run by the user in the workspace.
func (o *outside) sandbox(args ...string) *exec.Cmd {
	c := exec.Command(o.bin, args...)
	c.Dir, c.Env = filepath.Join(o.dir, "work"), o.env
	if os.Getuid() == 0 && o.uid != 0 {
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(o.uid),
			Gid: uint32(o.uid)}}
	}
	return c
}

// inside runs a line of sh in a sandbox with options before it, with $L and $O
// the ports of the listed server and the other one.
func (o *outside) inside(line string, options ...string) (string, error) {
	args := append([]string{"--profile", "network", "--net-allow", o.listed}, options...)
	for _, v := range o.vars {
		args = append(args, "--env", v)
	}
	out, err := o.sandbox(append(args, "--", "sh", "-c", line)...).CombinedOutput()
	return string(out), err
}

// What is listed is reached by both ways of the proxy; nothing else is, by
// the proxy or past it.
func TestNetAllow(t *testing.T) {
	eachUser(t, func(t *testing.T, o *outside) {
		const curl = `curl -sS -m 20 `
		for _, tt := range []struct {
			line, want string
			fails      bool
		}{
			{curl + `http://host.internal:$L/`, "hello from host.internal:", false},
			{curl + `-p http://host.internal:$L/`, "hello from host.internal:", false},
			{curl + `--noproxy "" http://127.0.0.1:$L/`, "hello from 127.0.0.1:", false},
			{curl + `http://127.0.0.1:$L/`, "hello from 127.0.0.1:", false},
			{curl + `http://host.internal:$O/`, "host.internal is allowed at port", false},
			{curl + `--noproxy "" http://127.0.0.1:$O/`, "127.0.0.1 is allowed at port", false},
			{curl + `http://evil.test/`, "evil.test is not among the allowed hosts", false},
			{curl + `https://evil.test/`, "response 403", true},
			{curl + `http://169.254.169.254/latest/meta-data/`,
				"169.254.169.254 is not among the allowed hosts", false},
			{`u=http://[::ffff:127.0.0.1]:$L/; ` + curl + `--noproxy "" -g $u`,
				"is not among the allowed hosts", false},
			{curl + `--noproxy "" --request-target http://2130706433:$L/ http://x/`, "not a plain address",
				false},
			{curl + `--noproxy "" --request-target http://0x7f.1:$L/ http://x/`, "not a plain address",
				false},
			{curl + `-x "${UA_PROXY%%ua:*}${UA_PROXY##*@}" http://host.internal:$L/`,
				"may not use the network", false},
			{curl + `--noproxy "*" http://127.0.0.1:$L/`, "connect", true},
			{curl + `--noproxy "*" http://192.0.2.1/`, "connect", true},
			{curl + `--noproxy "*" http://host.internal:$L/`, "resolve", true},
		} {
			out, err := o.inside(tt.line, "--net-allow",
				strings.Replace(o.listed, "host.internal", "127.0.0.1", 1))
			if (err != nil) != tt.fails || !strings.Contains(out, tt.want) {
				t.Errorf("%s: %v\n%s, want %q", tt.line, err, out, tt.want)
			}
		}
	})
}

// A narrower command inside gets no proxy and can't find its secret.
func TestNetSecret(t *testing.T) {
	eachUser(t, func(t *testing.T, o *outside) {
		out, err := o.inside(o.bin + ` --nested --profile workspace -- sh -c '
			env | grep -i _proxy= | grep -vi no_proxy
			tr "\0" "\n" 2>/dev/null </proc/1/environ | grep UA_PROXY
			tr "\0" "\n" 2>/dev/null </proc/$PPID/environ | grep UA_PROXY
			echo done'`)
		if err != nil || out != "done\n" {
			t.Errorf("%v: %s", err, out)
		}
	})
}

// A hundred downloads at once arrive whole.
func TestNetParallel(t *testing.T) {
	eachUser(t, func(t *testing.T, o *outside) {
		data := bytes.Repeat([]byte("x"), 1<<20)
		port := serve(t, func(w http.ResponseWriter, r *http.Request) { w.Write(data) })
		out, err := o.inside(`curl -sS -Z --parallel-max 100 -p -o "$TMPDIR/#1" \
				"http://host.internal:`+port+`/[1-100]" 2>/dev/null &&
			cat "$TMPDIR"/* | wc -c`, "--net-allow", "host.internal:"+port)
		if strings.TrimSpace(out) != fmt.Sprint(100<<20) || err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
}

// --connect carries what ssh says, and git starts ssh so that it is used.
func TestNetConnect(t *testing.T) {
	scripttest.Need(t, "ssh", "git")
	eachUser(t, func(t *testing.T, o *outside) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		said := make(chan string, 8)
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				io.WriteString(c, "SSH-2.0-test\r\n")
				line, _ := bufio.NewReader(c).ReadString('\n')
				said <- line
				c.Close()
			}
		}()
		port := fmt.Sprint(l.Addr().(*net.TCPAddr).Port)
		allow := []string{"--net-allow", "host.internal:" + port}
		out, err := o.inside(`echo SSH-2.0-me | `+o.bin+` --connect host.internal `+port, allow...)
		if err != nil || out != "SSH-2.0-test\r\n" || <-said != "SSH-2.0-me\n" {
			t.Errorf("--connect: %v: %q", err, out)
		}
		out, err = o.inside(o.bin+` --connect evil.test 22`, allow...)
		if err == nil || !strings.Contains(out, "evil.test is not among the allowed hosts") {
			t.Errorf("--connect to another: %v: %s", err, out)
		}
		out, err = o.inside(`git ls-remote ssh://git@host.internal:`+port+`/x`, allow...)
		if line := <-said; err == nil || !strings.HasPrefix(line, "SSH-2.0-OpenSSH") {
			t.Errorf("git by ssh: %v: %q: %s", err, line, out)
		}
	})
}

// git clones by http without a setting.
func TestNetGit(t *testing.T) {
	scripttest.Need(t, "git")
	eachUser(t, func(t *testing.T, o *outside) {
		root := t.TempDir()
		make := exec.Command("sh", "-c", `git init -q -b main w && cd w && echo text >f && git add f &&
			git -c user.name=x -c user.email=x@y.z commit -qm one && cd .. &&
			git clone -q --bare w r.git && cd r.git && git update-server-info`)
		make.Dir = root
		if out, err := make.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		port := serve(t, http.FileServer(http.Dir(root)).ServeHTTP)
		out, err := o.inside(`git clone -q http://host.internal:`+port+`/r.git got && cat got/f
			git clone -q https://evil.test/r.git no`,
			"--net-allow", "host.internal:"+port)
		if err == nil || !strings.HasPrefix(out, "text\n") || !strings.Contains(out, "403") {
			t.Errorf("%v: %s", err, out)
		}
	})
}

// The secret of --inject reaches the server and is nowhere inside.
func TestNetInject(t *testing.T) {
	eachUser(t, func(t *testing.T, o *outside) {
		s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, "key ", len(r.Header.Get("X-Api-Key")), " of ",
				r.Header.Get("X-Api-Key") == "s3cret-value", " ", r.Header.Values("Authorization"))
		}))
		defer s.Close()
		cert := filepath.Join(o.dir, "ca.pem")
		if err := os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE",
			Bytes: s.Certificate().Raw}), 0o644); err != nil {
			t.Fatal(err)
		}
		o.env = append(o.env, "SSL_CERT_FILE="+cert, "INJECTED=s3cret-value")
		host := s.Listener.Addr().String()
		out, err := o.inside(`curl -sS --noproxy "" -H "X-Api-Key: mine" http://`+host+`/; echo
			env | grep s3cret; echo done`,
			"--quiet", "--net-allow", host, "--inject", host+"=INJECTED:X-Api-Key")
		if err != nil || out != "key 12 of true []\ndone\n" {
			t.Errorf("%v: %s", err, out)
		}
	})
}

// A program that asks no proxy gets to listed hosts all the same.
func TestNetCapture(t *testing.T) {
	eachUser(t, func(t *testing.T, o *outside) {
		const curl = `curl -sS -m 20 --noproxy "*" `
		for _, tt := range []struct {
			line, want string
			fails      bool
		}{
			{`getent hosts host.internal`, "127.1.", false},
			{`getent hosts evil.test`, "", true},
			{curl + `http://evil.test/`, "Could not resolve host", true},
			{curl + `--resolve evil.test:80:127.1.0.1 http://evil.test/`,
				"evil.test is not among the allowed hosts", false},
			{curl + `-k --resolve evil.test:443:127.1.0.1 https://evil.test/`, "access denied", true},
		} {
			out, err := o.inside(tt.line, "--net-allow", "host.internal", "--net-capture")
			if (err != nil) != tt.fails || !strings.Contains(out, tt.want) {
				t.Errorf("%s: %v\n%s, want %q", tt.line, err, out, tt.want)
			}
		}
		l, err := net.Listen("tcp", "127.0.0.1:80")
		if err != nil {
			t.Logf("SKIPPED: a captured download: %v", err)
			return
		}
		s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, "hello from ", r.Host)
		})}
		go s.Serve(l)
		defer s.Close()
		out, err := o.inside(curl+`http://host.internal/`, "--net-allow", "host.internal",
			"--net-capture")
		if err != nil || out != "hello from host.internal" {
			t.Errorf("captured: %v: %s", err, out)
		}
	})
}

// Each request is an event in the log, which the command can't write.
func TestNetLog(t *testing.T) {
	eachUser(t, func(t *testing.T, o *outside) {
		path := filepath.Join(o.dir, "net.jsonl")
		out, _ := o.inside(`curl -sS http://host.internal:$L/; curl -sS https://evil.test/
			echo junk >>`+path, "--net-log", path)
		log, _ := os.ReadFile(path)
		lines := strings.Split(strings.TrimSpace(string(log)), "\n")
		if len(lines) != 2 {
			t.Fatalf("%s\n%s", out, log)
		}
		for i, want := range []string{`"decision":"allow","addr":"127.0.0.1"`,
			`"host":"evil.test","port":443,"method":"CONNECT","decision":"deny"`} {
			if !strings.Contains(lines[i], want) || !event.Valid([]byte(lines[i])) ||
				event.Type([]byte(lines[i])) != "net" {
				t.Errorf("%s lacks %s", lines[i], want)
			}
		}
	})
}

// Any number of requests are few events, which together tell of each.
func TestNetLogMany(t *testing.T) {
	const n = 3_000
	eachUser(t, func(t *testing.T, o *outside) {
		path := filepath.Join(o.dir, "net.jsonl")
		out, err := o.inside(fmt.Sprintf(`curl -sS -o /dev/null "http://host.internal:$L/[1-%d]"`, n),
			"--net-log", path)
		log, _ := os.ReadFile(path)
		requests, lines := 0, 0
		for line := range strings.Lines(string(log)) {
			requests += max(int(gjson.Get(line, "count").Int()), 1)
			lines++
		}
		if err != nil || requests != n || lines > 200 {
			t.Errorf("%d requests in %d lines: %v %s", requests, lines, err, out)
		}
	})
}

// The events of the last moment are in the log too: a tunnel is open when the
// command ends.
func TestNetLogEnd(t *testing.T) {
	eachUser(t, func(t *testing.T, o *outside) {
		path := filepath.Join(o.dir, "net.jsonl")
		for range 20 {
			if out, err := o.inside(`curl -sS -p -o /dev/null http://host.internal:$L/`, "--net-log",
				path); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
		}
		log, _ := os.ReadFile(path)
		if n := strings.Count(string(log), "\n"); n != 20 {
			t.Errorf("%d events of 20 requests", n)
		}
	})
}

// asksMuch is a client of the proxy that asks for 1000 hosts, most of which are refused,
// and then opens connections that say nothing.
const asksMuch = `import socket, os, base64
from urllib.parse import urlparse
u = urlparse(os.environ["UA_PROXY"])
key = base64.b64encode((u.username + ":" + u.password).encode()).decode()
connect = lambda: socket.create_connection((u.hostname, u.port), timeout=20)
for i in range(1000):
    with connect() as s:
        s.sendall(("CONNECT %d.example.com:443 HTTP/1.1\r\n"
                   "Proxy-Authorization: Basic %s\r\n\r\n" % (i, key)).encode())
        assert s.recv(12) == b"HTTP/1.1 403", i
kept = [connect() for i in range(600)]
print("asked")
`

// TestNetLogBehind has a command ask for more than a pipe holds that nobody reads, and
// leave connections open: the proxy goes on, the sandbox ends, and the loss is told.
func TestNetLogBehind(t *testing.T) {
	scripttest.Need(t, "python3")
	eachUser(t, func(t *testing.T, o *outside) {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		defer w.Close()
		script := filepath.Join(o.dir, "asks.py")
		os.WriteFile(script, []byte(asksMuch), 0o644)
		cmd := o.sandbox("--profile", "network", "--net-allow", o.listed, "--read", script,
			"--net-log-fd",
			"3", "--", "python3", script)
		cmd.ExtraFiles = []*os.File{w}
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.HasPrefix(string(out), "asked\n") ||
			!strings.Contains(string(out), "their reader fell behind") {
			t.Errorf("%v: %s", err, out)
		}
	})
}
