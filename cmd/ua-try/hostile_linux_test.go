package main

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ua/internal/common/scripttest"
)

// dial connects to the server of a bench.
func (b *bench) dial() *net.UnixConn {
	c, err := net.Dial("unix", b.dir+"/home/tries.sock")
	if err != nil {
		b.t.Fatal(err)
	}
	return c.(*net.UnixConn)
}

// null sends what begins a request, with files that hold nothing.
func null(c *net.UnixConn) {
	file, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err == nil {
		fd := int(file.Fd())
		_, _, _ = c.WriteMsgUnix([]byte{0}, unix.UnixRights(fd, fd, fd), nil)
		file.Close()
	}
}

// TestHostileClients: clients that send slowly, do not read, or go on and on hold nothing up,
// and the server ends when it is told to.
func TestHostileClients(t *testing.T) {
	for name, attack := range map[string]func(b *bench, c *net.UnixConn, token string){
		"idle": func(*bench, *net.UnixConn, string) {},
		"drip": func(_ *bench, c *net.UnixConn, _ string) {
			null(c)
			for {
				if _, err := c.Write([]byte(" ")); err != nil {
					return
				}
				time.Sleep(50 * time.Millisecond)
			}
		},
		// The answer would have the name of the folder.
		"deaf": func(_ *bench, c *net.UnixConn, token string) {
			null(c)
			fmt.Fprintf(c, `{"token":"%s","words":["true"],"dir":"/%s"}`+"\n", token,
				strings.Repeat("x", 7<<20))
		},
		"deep": func(_ *bench, c *net.UnixConn, _ string) {
			null(c)
			fmt.Fprintf(c, "%s\n", strings.Repeat(`{"words":[`, 300_000))
		},
		// Who would notice that it is gone?
		"its own end": func(b *bench, c *net.UnixConn, token string) {
			file, err := c.File()
			if err != nil {
				return
			}
			fd := int(file.Fd())
			_, _, _ = c.WriteMsgUnix([]byte{0}, unix.UnixRights(fd, fd, fd), nil)
			fmt.Fprintf(c, `{"token":"%s","words":["sleep","1000"],"dir":"%s"}`+"\n", token, b.dir+"/work")
			file.Close()
			c.Close()
		},
		"signals": func(b *bench, c *net.UnixConn, token string) {
			null(c)
			fmt.Fprintf(c, `{"token":"%s","words":["sleep","1000"],"dir":"%s/work"}`+"\n", token, b.dir)
			junk := []byte(strings.Repeat("\x00\x09\x13\x11\xff", 1000))
			for {
				if _, err := c.Write(junk); err != nil {
					return
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, os.Getuid())
			server := b.serving("workspace")
			token := b.token("workspace") // here: an attack may begin when the test has ended
			for range 20 {                // more than are served at once
				c := b.dial()
				defer c.Close()
				go attack(b, c, token)
			}
			if name != "signals" && name != "its own end" { // those are served
				request := fmt.Sprintf(`{"token":"%s","words":["true"],"dir":"%s/work"}`, token, b.dir)
				if got := b.forge(request, 3); !strings.Contains(got, `{"status":0,"try":"`) {
					t.Errorf("who asks after them: %s", got)
				}
			}
			ended := make(chan error, 1)
			_ = server.Process.Signal(unix.SIGTERM)
			go func() { ended <- server.Wait() }()
			select {
			case <-ended:
			case <-time.After(time.Minute):
				t.Error("the server goes on")
				_ = server.Process.Kill()
				<-ended
			}
		})
	}
}

// TestHalfSent: who has not sent a whole request holds no place. The oldest of many gives way
// at once, so that a command's request is not kept waiting for any time limit.
func TestHalfSent(t *testing.T) {
	b := newBench(t, os.Getuid())
	b.serving("workspace")
	var first *net.UnixConn
	for i := range 300 {
		c := b.dial()
		defer c.Close()
		if i == 0 {
			first = c
		}
		null(c)
		_, _ = c.Write([]byte(`{"token":"`))
	}
	request := fmt.Sprintf(`{"token":"%s","words":["true"],"dir":"%s/work"}`,
		b.token("workspace"), b.dir)
	if got := b.forge(request, 3); !strings.Contains(got, `{"status":0,"try":"`) {
		t.Errorf("who asks after them: %s", got)
	}
	if text, _ := io.ReadAll(first); len(text) > 0 {
		t.Errorf("the oldest was not dropped, but answered in its time: %s", text)
	}
}

// TestShare: one command's tries take a share of the places, and another's are run beside them.
func TestShare(t *testing.T) {
	b := newBench(t, os.Getuid())
	b.serving("workspace")
	for range 40 {
		c := b.dial()
		defer c.Close()
		null(c)
		fmt.Fprintf(c, `{"token":"%s","words":["sleep","600"],"dir":"%s/work"}`+"\n",
			b.token("workspace"), b.dir)
	}
	request := fmt.Sprintf(`{"token":"%s","words":["true"],"dir":"%s/work"}`,
		b.tokenOf("workspace", "OTHER"), b.dir)
	if got := b.forge(request, 3); !strings.Contains(got, `{"status":0,"try":"`) {
		t.Errorf("who asks after them: %s", got)
	}
}

// TestDroppedTry: a verb on a try that a person has dropped is not one on another try.
func TestDroppedTry(t *testing.T) {
	b := newBench(t, os.Getuid())
	b.serving("workspace")
	work := b.dir + "/work"
	if err := os.WriteFile(work+"/f", []byte("old\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := b.inside("workspace", "workspace",
		"ua-try --quiet -- sh -c 'echo hostile >g'; ua-try ls | cut -d' ' -f1").Output()
	id := strings.TrimSpace(string(out))
	if err != nil || id == "" {
		t.Fatalf("%q %v", out, err)
	}
	// The user's own try is the last one then.
	const mine = "until ua-try drop $0 2>/dev/null; do sleep 0.1; done; " + // it may be in use yet
		"ua-try --quiet -- sh -c 'echo mine >f'"
	if out, err := b.run(work, nil, "/bin/sh", "-ec", mine, id); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	for _, verb := range []string{"apply", "apply " + id, "apply " + id + " f", "undo " + id,
		"drop " + id, "diff --stat " + id} {
		said, err := b.inside("workspace", "workspace", "ua-try "+verb+" 2>&1").Output()
		if err == nil || !strings.Contains(string(said), "no try of this run") {
			t.Errorf("%s: %s", verb, said)
		}
	}
	dir := b.dir + "/home/.local/state/ua/tries/" + id
	if said, err := b.run(work, nil, "ua-try", "apply", dir, "f"); err == nil {
		t.Errorf("apply %s f: %s", dir, said)
	}
	if text, _ := os.ReadFile(work + "/f"); string(text) != "old\n" {
		t.Errorf("f: %s", text)
	}
}

// TestAnothersTry: root takes no try of another user's for its own, whatever the user has
// made of it, though HOME is that user's.
func TestAnothersTry(t *testing.T) {
	if os.Getuid() != 0 {
		scripttest.Skip(t, scripttest.Elsewhere, "only root can make another user's try")
	}
	b := newBench(t, 0)
	victim := filepath.Join(b.dir, "victim")
	tries := filepath.Join(b.dir, "home/.local/state/ua/tries")
	const forge = `set -e; umask 022; mkdir -p "$1" "$2"; echo kept >"$1/passwd"; cd "$2"
forge() {
  mkdir -p $1/layers/0/upper $1/landing; echo evil >$1/layers/0/upper/passwd
  cp /bin/true $1/layers/0/upper/setuid; chmod 4755 $1/layers/0/upper/setuid
  printf '{"version":1,"id":"%s","command":["true"],' $3 >$1/try.json
  printf '"cwd":"/","began":"1.000000000",' >>$1/try.json
  printf '"covers":[{"path":"%s","layer":"layers/0"}],"xattrs":"trusted"}' "$2" >>$1/try.json
  : >$1/lock
}
forge 20260101-000000-aaaaaa "$1" 20260101-000000-aaaaaa; chown -R 1000:1000 ../../../..
mkdir "$3"; chmod 1777 "$3"; ln -s "$3" 20260101-000000-bbbbbb
cd "$3"; forge . "$1" 20260101-000000-bbbbbb`
	make := exec.Command("sh", "-c", forge, "sh", victim, tries, b.dir+"/shared")
	if out, err := make.CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	for _, name := range []string{"last", "20260101-000000-aaaaaa", tries + "/20260101-000000-aaaaaa",
		"20260101-000000-bbbbbb", b.dir + "/shared"} {
		for _, verb := range []string{"diff", "apply", "apply --force", "undo", "drop", "ls"} {
			argv := append(append([]string{"ua-try"}, strings.Fields(verb)...), name)
			out, err := b.run(victim, nil, argv...)
			if err == nil || !strings.Contains(err.Error(), "belongs to another user") {
				t.Errorf("%s %s: %s %v", verb, name, out, err)
			}
		}
	}
	// Root's own tries there are known by their places.
	out, err := b.run(b.dir+"/work", nil, "ua-try", "--quiet", "--", "sh", "-c", "echo x >new")
	if err != nil {
		t.Errorf("%v %s", err, out)
	}
	if text, _ := os.ReadFile(victim + "/passwd"); string(text) != "kept\n" {
		t.Errorf("passwd: %s", text)
	}
	if left, _ := filepath.Glob(tries + "/2*/try.json"); len(left) != 2 {
		t.Errorf("left: %v", left)
	}
}
