package main

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ua/internal/test/scripttest"
)

// A depot is a server to which journals are shipped, on a disk of its own.
type depot struct {
	testing.TB
	dir     string   // that its user can reach; disk is the folder with little room
	inside  []string // runs a command where the disk is mounted
	address string   // of the server, HOST:PORT or a socket
	cut     atomic.Int64
	port    string // of the proxy in front of it, which cuts connections
	env     []string
}

// newDepot mounts the disk in a mount namespace, which lives as long as the test.
func newDepot(t testing.TB) *depot {
	scripttest.Need(t, "unshare", "nsenter", "setpriv")
	dir, err := os.MkdirTemp("", "ship") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	d := &depot{TB: t, dir: dir}
	os.Chmod(dir, 0o755)
	os.Mkdir(filepath.Join(dir, "disk"), 0o755)
	own, enter := []string{"unshare", "-cm"}, []string{"nsenter", "-U", "--preserve-credentials"}
	if os.Geteuid() == 0 {
		own, enter = []string{"unshare", "-m"}, []string{"nsenter"}
	}
	holder := exec.Command(own[0], append(own[1:], "sh", "-c", "mount -t tmpfs -o size=64k,mode=777 "+
		"none "+dir+"/disk && echo && exec cat")...)
	stdin, _ := holder.StdinPipe()
	stdout, _ := holder.StdoutPipe()
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stdin.Close(); holder.Wait() })
	if n, _ := stdout.Read(make([]byte, 1)); n == 0 {
		scripttest.Skip(t, scripttest.Refused, "no tmpfs can be mounted here")
	}
	d.inside = append(enter, "-m", "-t", strconv.Itoa(holder.Process.Pid), "--wdns="+dir)
	return d
}

// command returns a command that sees the disk; plain is run by no root.
func (d *depot) command(plain bool, args ...string) *exec.Cmd {
	before := d.inside
	if plain && os.Geteuid() == 0 {
		before = append(before[:len(before):len(before)], "setpriv", "--reuid=65534", "--regid=65534",
			"--clear-groups")
	}
	cmd := exec.Command(before[0], append(before[1:len(before):len(before)], args...)...)
	cmd.Env = append(os.Environ(), d.env...)
	return cmd
}

// run runs a command that has to succeed.
func (d *depot) run(plain bool, args ...string) []byte {
	d.Helper()
	out, err := d.command(plain, args...).Output()
	if err != nil {
		d.Fatalf("%q: %v: %s", args, err, out)
	}
	return out
}

// start starts a server and waits for it to answer; it ends with the test.
func (d *depot) start(plain bool, network string, args ...string) {
	cmd := d.command(plain, args...)
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		d.Fatal(err)
	}
	d.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt)
		cmd.Wait()
		if d.Failed() {
			d.Logf("%.3000s", log.Bytes())
		}
	})
	scripttest.Await(d, args[0], func() bool {
		c, err := net.Dial(network, d.address)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		d.Fatal(err)
	}
	d.Cleanup(func() { l.Close() })
	_, d.port, _ = net.SplitHostPort(l.Addr().String())
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go d.proxy(network, c)
		}
	}()
}

// proxy passes a connection on until it is to be cut.
func (d *depot) proxy(network string, c net.Conn) {
	defer c.Close()
	s, err := net.Dial(network, d.address)
	if err != nil {
		return
	}
	defer s.Close()
	go func() { io.Copy(c, s); c.Close() }()
	most := d.cut.Load()
	if most == 0 {
		most = 1 << 40
	}
	io.CopyN(s, c, most)
}

// freeAddress returns an address on which nobody listens.
func freeAddress(t testing.TB) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// The servers, each with a function that starts one and returns the URL to ship to, and one
// that returns what it holds of a run.
var depots = map[string]func(*depot) (url string, held func(run string) []byte){
	"folder": func(d *depot) (string, func(string) []byte) {
		return "disk", func(run string) []byte {
			out, _ := d.command(false, "cat", "disk/h/"+run+"/journal.jsonl").Output()
			return out
		}
	},
	"dav": func(d *depot) (string, func(string) []byte) {
		scripttest.Need(d, "/usr/sbin/apache2")
		d.address = freeAddress(d)
		conf := "Listen " + d.address + "\nUser #65534\nGroup #65534\nServerName x\nPidFile " +
			d.dir + "/pid\nErrorLog /dev/stderr\nDocumentRoot " + d.dir + "/disk\nDavLockDB " + d.dir +
			"/disk/lock\n<Directory " + d.dir + "/disk>\nDav On\nRequire all granted\n</Directory>\n"
		for _, m := range []string{"dav_fs", "dav", "authz_core", "mpm_event"} {
			conf = "LoadModule " + m + "_module /usr/lib/apache2/modules/mod_" + m + ".so\n" + conf
		}
		os.WriteFile(d.dir+"/conf", []byte(conf), 0o644)
		d.start(false, "tcp", "/usr/sbin/apache2", "-DFOREGROUND", "-f", d.dir+"/conf")
		return "http://127.0.0.1:" + d.port + "/all", func(run string) []byte {
			out, _ := d.command(false, "cat", "disk/all/h/"+run+"/journal.jsonl").Output()
			return out
		}
	},
	"postgres": func(d *depot) (string, func(string) []byte) {
		bin, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
		if len(bin) == 0 {
			scripttest.Need(d, "postgres")
			bin = []string{""}
		}
		os.Mkdir(d.dir+"/pg", 0o755)
		if os.Geteuid() == 0 {
			os.Chown(d.dir+"/pg", 65534, 65534)
		}
		d.run(true, "mkdir", "disk/space")
		d.run(true, filepath.Join(bin[0], "initdb"), "-N", "-A", "trust", "-U", "u", "-D", "pg/data")
		d.address = d.dir + "/pg/.s.PGSQL.5432"
		d.start(true, "unix", filepath.Join(bin[0], "postgres"), "-D", d.dir+"/pg/data", "-k",
			d.dir+"/pg", "-h", "", "-F")
		sql := func(query string) []byte {
			return d.run(false, "psql", "-XAt", "-h", d.dir+"/pg", "-U", "u", "-c", query, "postgres")
		}
		sql("CREATE TABLESPACE small LOCATION '" + d.dir + "/disk/space'")
		d.env = []string{"PGOPTIONS=-c default_tablespace=small"}
		return "postgres://u@127.0.0.1:" + d.port + "/postgres?sslmode=disable",
			func(run string) (all []byte) {
				if len(sql("SELECT to_regclass('ua_journal')")) < 2 {
					return nil
				}
				for row := range strings.Lines(string(sql("SELECT at, encode(line, 'hex') FROM ua_journal " +
					"WHERE journal = 'h/" + run + "' ORDER BY at"))) {
					at, line, _ := strings.Cut(strings.TrimSpace(row), "|")
					text, _ := hex.DecodeString(line)
					if at != strconv.Itoa(len(all)) {
						d.Errorf("a line at %s behind %d bytes", at, len(all))
					}
					all = append(append(all, text...), '\n')
				}
				return all
			}
	},
	"s3": func(d *depot) (string, func(string) []byte) {
		if os.Getenv("UA_TEST_ENGINES") == "" {
			scripttest.Skip(d, scripttest.Elsewhere, "make test-engines builds the server, versitygw")
		}
		install := exec.Command("go", "install", "github.com/versity/versitygw/cmd/versitygw@v1.8.0")
		install.Dir, install.Env = d.dir, append(os.Environ(), "GOBIN="+d.dir)
		if out, err := install.CombinedOutput(); err != nil {
			d.Fatalf("%v: %s", err, out)
		}
		d.address = freeAddress(d)
		d.env = []string{"ROOT_ACCESS_KEY=id", "ROOT_SECRET_KEY=secret", "AWS_ACCESS_KEY_ID=id",
			"AWS_SECRET_ACCESS_KEY=secret"}
		d.run(false, "mkdir", "disk/bucket")
		d.start(false, "tcp", d.dir+"/versitygw", "--port", d.address, "posix", "--nometa", "disk")
		d.env = append(d.env, "AWS_ENDPOINT_URL=http://127.0.0.1:"+d.port)
		return "s3://bucket/all", func(run string) []byte {
			out, _ := d.command(false, "cat", "disk/bucket/all/h/"+run+"/journal.jsonl").Output()
			return out
		}
	},
}

// TestShip: whenever ua-journal is killed, its connection is cut or the disk there is full,
// what is there is the beginning of the journal, and in the end all of it, each line once.
func TestShip(t *testing.T) {
	for name, start := range depots {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDepot(t)
			url, held := start(d)
			p := newPlace(t)
			out, _, _ := p.run("new", "--task", "t")
			run := strings.TrimSpace(out)
			journal := filepath.Join(p.dir, ".local/state/ua/runs", run, "journal.jsonl")
			full, stopped := 0, 0
			for round := range 24 {
				var lines strings.Builder
				for i := range 1 + rand.IntN(20) {
					fmt.Fprintf(&lines, `{"type":"message","text":"%d.%d \u0000 \\x %s"}`+"\n", round, i,
						strings.Repeat("ü", rand.IntN(600)))
				}
				add := p.command("append", run)
				add.Stdin = strings.NewReader(lines.String())
				if out, err := add.CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
				if round == 16 { // there is room again
					d.run(false, "mount", "-o", "remount,size=64m", "disk")
				}
				if d.cut.Store(0); round%3 == 1 {
					d.cut.Store(1 + rand.Int64N(9000))
				}
				ship := d.command(false, p.bin, "ship", "--host", "h", "--to", url, run)
				ship.Env = append(ship.Env, "HOME="+p.dir)
				if round%3 == 2 {
					ship.Start()
					time.AfterFunc(time.Duration(rand.IntN(120))*time.Millisecond, func() { ship.Process.Kill() })
					ship.Wait()
				} else if out, err := ship.CombinedOutput(); err != nil {
					stopped++
					if t.Logf("round %d: %v: %.200s", round, err, out); round >= 16 && round%3 == 0 {
						t.Errorf("round %d: it can't be shipped", round)
					}
					if round < 16 && round%3 == 0 {
						full++
					}
				}
				want, _ := os.ReadFile(journal)
				if got := held(run); !bytes.HasPrefix(want, got) ||
					round >= 16 && round%3 == 0 && len(got) < len(want) {
					t.Fatalf("round %d: %d of %d bytes are there:\n%.300q", round, len(got), len(want), got)
				}
			}
			if full == 0 {
				t.Errorf("the disk was never full; %d ended early", stopped)
			}
		})
	}
}

// TestShipSecret: a token is on no command line, and goes to no other server.
func TestShipSecret(t *testing.T) {
	const token = "token-of-the-server"
	var asked, shown, elsewhere atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		elsewhere.Add(1)
	}))
	defer other.Close()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "Bearer "+token {
			asked.Add(1)
		}
		lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
		for _, path := range lines {
			if line, _ := os.ReadFile(path); bytes.Contains(line, []byte(token)) {
				shown.Add(1)
			}
		}
		http.Redirect(w, r, other.URL+r.URL.Path, http.StatusTemporaryRedirect)
	}))
	defer s.Close()
	p := newPlace(t)
	p.run("new", "--task", "t")
	os.WriteFile(filepath.Join(p.dir, ".curlrc"), []byte("location-trusted\n"), 0o600)
	ship := p.command("ship", "--to", s.URL+"/x")
	ship.Env = append(ship.Env, "UA_SHIP_TOKEN="+token)
	if out, err := ship.CombinedOutput(); err == nil || asked.Load() == 0 ||
		shown.Load()+elsewhere.Load() > 0 {
		t.Errorf("%v %s: asked %d, shown %d, elsewhere %d", err, out, asked.Load(), shown.Load(),
			elsewhere.Load())
	}
	for _, url := range []string{"https://u:pw@127.0.0.1/", "postgres://u:pw@127.0.0.1/x",
		"postgres://127.0.0.1/x?password=pw"} {
		if _, errs, status := p.run("ship", "--to", url); status != 2 || strings.Contains(errs, "pw@") {
			t.Errorf("%s: %d %s", url, status, errs)
		}
	}
}
