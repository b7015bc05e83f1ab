package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/tidwall/gjson"

	"ua/internal/test/scripttest"
)

// sshd starts a server that only this test's key opens, for the user of the tests, and
// returns the command that goes there. Each session's process can be killed.
func sshd(t *testing.T, env []string) string {
	t.Helper()
	scripttest.Need(t, "sshd", "ssh", "ssh-keygen")
	dir := t.TempDir()
	for _, key := range []string{"host", "user"} {
		if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f",
			filepath.Join(dir, key)).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	os.MkdirAll("/run/sshd", 0o755) // of a server that root starts
	// inetd mode: each connection is a server of its own, without a port
	config := fmt.Sprintf("HostKey %s/host\nAuthorizedKeysFile %[1]s/user.pub\nStrictModes "+
		"no\nUsePAM no\n"+
		"PasswordAuthentication no\nPermitRootLogin prohibit-password\nLogLevel ERROR\n", dir)
	if err := os.WriteFile(filepath.Join(dir, "config"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	server, _ := exec.LookPath("sshd")
	return fmt.Sprintf("ssh -T -F none -i %s/user -o ProxyCommand='%s -i -f %[1]s/config' -o "+
		"StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR here env %[3]s",
		dir, server,
		strings.Join(env, " "))
}

// states counts the runs in each state.
func (p *place) states() map[string]int {
	got := map[string]int{}
	list, _, _ := p.run("ua", "ps", "--all", "--json")
	for line := range strings.Lines(list) {
		got[gjson.Get(line, "state").Str]++
	}
	return got
}

// farPlace is a home elsewhere with recorded runs: one that goes well, one that fails
// and one that goes on until it is killed.
func (p *place) farPlace() (dir string, hangs []string) {
	dir, hangs = p.t.TempDir(), sleeper(30)
	p.recording("main.jsonl", "done", "cat >/dev/null; echo hi")
	p.recording("fails.jsonl", "no", "touch made; sudo true")
	p.recording("hangs.jsonl", "never", strings.Join(hangs, " "))
	for _, name := range []string{"main.jsonl", "fails.jsonl", "hangs.jsonl"} {
		if err := os.Rename(filepath.Join(p.cwd, name), filepath.Join(dir, name)); err != nil {
			p.t.Fatal(err)
		}
	}
	p.t.Cleanup(func() {
		if p.t.Failed() {
			errs, _ := os.ReadFile(filepath.Join(p.cwd, "errs"))
			p.t.Logf("%v: %.2000s", p.states(), errs)
		}
	})
	return dir, hangs
}

// manyBy has GNU parallel start 16 agents by the engine: the seventh fails, two hang.
func (p *place) manyBy(engine string) *exec.Cmd {
	p.write("via", engine)
	p.write("each", `NODE=n1; case $1 in 7) set -- --model replay:fails.jsonl "$1";; 10|11) `+
		`NODE=n2 && set -- --model replay:hangs.jsonl "$1";; esac
export NODE
exec ua -q --via "$(cat via)" "$@"
`)
	cmd := p.command("ua") // only for its surroundings
	cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-c",
		"seq 16 | parallel --will-cite -j 8 sh each {} >out 2>errs"}
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	return cmd
}

// accounted holds that each of them has an end here: 13 are done, one has failed
// and two were lost.
func (p *place) accounted(cmd *exec.Cmd) {
	err := cmd.Wait()
	if got := p.states(); got["completed"] != 13 || got["failed"] != 3 || len(got) != 2 ||
		cmd.ProcessState.ExitCode() != 3 {
		p.t.Errorf("%v, %v", got, err)
	}
	out, _ := os.ReadFile(filepath.Join(p.cwd, "out"))
	if n := strings.Count(string(out), "done\n"); n != 13 {
		p.t.Errorf("%d answers", n)
	}
}

// TestViaParallel has GNU parallel run 16 agents by ssh, one of which fails and two of
// which lose their connection.
func TestViaParallel(t *testing.T) {
	t.Parallel()
	scripttest.Need(t, "parallel")
	p := newPlace(t, os.Getuid())
	dir, hangs := p.farPlace()
	cmd := p.manyBy(sshd(t, []string{"-C", dir, "PATH=" + p.bin + ":/usr/bin:/bin", "HOME=" + dir,
		"UA_MODEL=replay:main.jsonl"}))
	scripttest.Await(t, "all but the two that hang", func() bool {
		return p.states()["completed"] == 13
	})
	scripttest.Await(t, "those", func() bool { return working(hangs) })
	for _, q := range descendants(cmd.Process.Pid) {
		if strings.HasPrefix(q.name, "ssh -T") {
			syscall.Kill(q.pid, syscall.SIGKILL)
		}
	}
	p.accounted(cmd)
	scripttest.Await(t, "the end of the far side", func() bool { return !working(hangs) })
}

// TestParallelAsEngine has GNU parallel choose the host, and pass the request on.
func TestParallelAsEngine(t *testing.T) {
	scripttest.Need(t, "parallel")
	p := newPlace(t, os.Getuid())
	p.recording("main.jsonl", "done", "true")
	out, errs, status := p.run("ua", "-q", "--via",
		"parallel --will-cite --pipe --block 100M -u --sshlogin :", "x")
	if out != "done\n" || status != 0 || p.states()["completed"] != 2 {
		t.Errorf("status %d, %s%s %v", status, out, errs, p.states())
	}
}

// slurm starts a cluster of two nodes on this machine, and returns the daemon of the
// second one.
func slurm(t *testing.T, p *place) (node *exec.Cmd) {
	t.Helper()
	if os.Getuid() != 0 || os.Getenv("UA_TEST_ENGINES") == "" {
		scripttest.Skip(t, scripttest.Elsewhere, "make test-engines runs Slurm, as root")
	}
	scripttest.Need(t, "munged", "slurmctld", "slurmd", "srun")
	dir := p.t.TempDir()
	host, _ := os.Hostname()
	host, _, _ = strings.Cut(host, ".")
	var ports []any
	for range 3 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
		l.Close()
	}
	config := fmt.Sprintf(`ClusterName=test
SlurmctldHost=HOST(127.0.0.1)
SlurmctldPort=%d
AuthType=auth/munge
AuthInfo=socket=DIR/munge.sock
CredType=cred/munge
SlurmUser=root
StateSaveLocation=DIR/state
SlurmctldPidFile=DIR/ctld.pid
SlurmdPidFile=DIR/slurmd-%%n.pid
SlurmdSpoolDir=DIR/spool-%%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SlurmdTimeout=5
KillWait=1
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
NodeName=n1 NodeHostname=HOST NodeAddr=127.0.0.1 Port=%d CPUs=2 State=UNKNOWN
NodeName=n2 NodeHostname=HOST NodeAddr=127.0.0.1 Port=%d CPUs=2 State=UNKNOWN
PartitionName=p Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:20
`, ports...)
	path := filepath.Join(dir, "slurm.conf")
	os.WriteFile(path, []byte(strings.NewReplacer("HOST", host, "DIR", dir).Replace(config)), 0o644)
	os.WriteFile(filepath.Join(dir, "munge.key"), []byte(strings.Repeat("a key of this test", 9)),
		0o600)
	os.Mkdir(filepath.Join(dir, "state"), 0o700)
	env := append(os.Environ(), "SLURM_CONF="+path)
	p.env = append(p.env, "SLURM_CONF="+path)
	for _, argv := range [][]string{{"munged", "-F", "--force", "--socket=" + dir + "/munge.sock",
		"--key-file=" + dir + "/munge.key", "--log-file=" + dir + "/munge.log", "--pid-file=" + dir +
			"/munge.pid",
		"--seed-file=" + dir + "/munge.seed"}, {"slurmctld", "-D"}, {"slurmd", "-D", "-N", "n1"},
		{"slurmd", "-D", "-N", "n2"}} {
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Env = env
		cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
		node = cmd
		if argv[0] == "munged" {
			scripttest.Await(t, "munged", func() bool {
				_, err := os.Stat(dir + "/munge.sock")
				return err == nil
			})
		}
	}
	scripttest.Await(t, "the nodes", func() bool {
		cmd := exec.Command("sinfo", "-h", "-N", "-o", "%T")
		cmd.Env = env
		out, _ := cmd.Output()
		return string(out) == "idle\nidle\n"
	})
	return node
}

// TestViaSlurm has 16 agents run by srun, one of which fails; the node of two of them
// is killed.
func TestViaSlurm(t *testing.T) {
	p := newPlace(t, os.Getuid())
	node := slurm(t, p)
	dir, hangs := p.farPlace()
	cmd := p.manyBy("srun -Q -N1 -n1 -w $NODE -D " + dir + " env HOME=" + dir)
	scripttest.Await(t, "all but the two that hang", func() bool {
		return p.states()["completed"] == 13
	})
	scripttest.Await(t, "those", func() bool { return working(hangs) })
	node.Process.Kill()
	for _, q := range processes() {
		if strings.HasPrefix(q.name, "slurmstepd") { // no other steps are left
			syscall.Kill(q.pid, syscall.SIGKILL)
		}
	}
	p.accounted(cmd)
	scripttest.Await(t, "the end of the far side", func() bool { return !working(hangs) })
}
