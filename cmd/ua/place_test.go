package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/tidwall/gjson"

	"ua/internal/test/modeltest"
	"ua/internal/test/scripttest"
)

// A place is where a user works: a home, and a working folder that is not in it.
type place struct {
	t         *testing.T
	bin       string
	home, cwd string
	uid       int
	env       []string
}

// users are whom a place can be made for here: this user and, if that is root, an
// ordinary one too.
func users() []int {
	if os.Getuid() == 0 {
		return []int{0, 1000}
	}
	return []int{os.Getuid()}
}

// turn reports whether the user has the case of that number. Each case is one user's, and with
// UA_TEST_ALL=1 both users'.
func turn(uid, i int) bool {
	return len(users()) == 1 || os.Getenv("UA_TEST_ALL") != "" || (i%2 == 0) == (uid == 0)
}

func newPlace(t *testing.T, uid int) *place {
	t.Helper()
	dir, err := os.MkdirTemp("", "ua-place")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	p := &place{t: t, bin: scripttest.Bin(t), home: filepath.Join(dir, "home"),
		cwd: filepath.Join(dir, "work"), uid: uid}
	if uid != os.Getuid() { // who may not be able to go where they are
		p.bin = filepath.Join(dir, "bin")
		os.Mkdir(p.bin, 0o755)
		programs, _ := filepath.Glob(scripttest.Bin(t) + "/*")
		for _, program := range programs {
			scripttest.CopyProgram(t, program, filepath.Join(p.bin, filepath.Base(program)))
		}
	}
	for _, d := range []string{p.home, p.cwd} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
		os.Chown(d, uid, uid)
	}
	os.Chmod(dir, 0o755)
	p.env = []string{"HOME=" + p.home, "PATH=" + p.bin + ":" + os.Getenv("PATH"), "NO_COLOR=1",
		"UA_MODEL=replay:main.jsonl"}
	return p
}

// stateOutside keeps the runs in a folder outside of /tmp, which commands may write.
func (p *place) stateOutside() {
	dir, err := os.MkdirTemp("/var/lib", "ua-state")
	if err != nil {
		if dir, err = os.MkdirTemp(os.Getenv("HOME"), ".ua-state"); err != nil {
			p.t.Fatal(err)
		}
	}
	p.t.Cleanup(func() { os.RemoveAll(dir) })
	os.Chown(dir, p.uid, p.uid)
	p.write(filepath.Join(p.home, ".local/share/x"), "") // makes the folder .local
	if err := os.Symlink(dir, filepath.Join(p.home, ".local/state")); err != nil {
		p.t.Fatal(err)
	}
}

// model serves the answers, as the file "model" of a script has them.
func (p *place) model(answers string) *modeltest.Model {
	m := modeltest.New(p.t.TempDir())
	os.WriteFile(filepath.Join(m.Dir, "model"), []byte(answers+"\n"), 0o644)
	server := httptest.NewServer(m)
	p.t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	p.env = append(p.env, "ANTHROPIC_BASE_URL="+server.URL, "UA_MODEL=anthropic/fake",
		"ANTHROPIC_API_KEY=sk-ant-test-key-0123456789")
	return m
}

// write writes a file of the user's, in the working folder unless the name is
// absolute.
func (p *place) write(name, text string) {
	p.t.Helper()
	if !filepath.IsAbs(name) {
		name = filepath.Join(p.cwd, name)
	}
	for dir := filepath.Dir(name); dir != p.cwd && dir != p.home &&
		len(dir) > 1; dir = filepath.Dir(dir) {
		os.MkdirAll(dir, 0o700)
		os.Chown(dir, p.uid, p.uid)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
	os.Chown(name, p.uid, p.uid)
}

// unseenMove is a script that moves what it is given. The gate asks about a mv of .git that
// it sees.
const unseenMove = `mv -- "$1" "$2"` + "\n"

// An input is what a model gives its tool.
type input map[string]any

// recording writes a recorded run: each command in an answer of its own, then a
// text.
func (p *place) recording(name, text string, commands ...string) {
	p.t.Helper()
	inputs := make([]input, len(commands))
	for i, c := range commands {
		inputs[i] = input{"command": c}
	}
	p.calls(name, text, inputs...)
}

// calls writes a recorded run, as recording does, whose calls have these inputs.
func (p *place) calls(name, text string, inputs ...input) {
	p.t.Helper()
	var b strings.Builder
	for i, in := range inputs {
		data, _ := json.Marshal(in)
		fmt.Fprintf(&b, `{"type":"response","model":"m","stop_reason":"tool_use",`+
			`"content":[{"type":"tool_use","id":"c%d","name":"shell","input":%s}]}`+"\n", i, data)
	}
	fmt.Fprintf(&b, `{"type":"response","model":"m","stop_reason":"end_turn",`+
		`"content":[{"type":"text","text":%q}]}`+"\n", text)
	p.write(name, b.String())
}

func (p *place) command(args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(p.bin, args[0]), args[1:]...)
	cmd.Dir, cmd.Env = p.cwd, p.env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if p.uid != os.Getuid() {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(p.uid), Gid: uint32(p.uid)}
	}
	return cmd
}

// run runs one of our programs and returns what it printed and its exit status.
func (p *place) run(args ...string) (stdout, stderr string, status int) {
	p.t.Helper()
	cmd := p.command(args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.Run()
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// outputs is what the commands of the newest run printed, with their status.
func (p *place) outputs() (list []gjson.Result) {
	p.t.Helper()
	text, errs, status := p.run("ua-journal", "cat", "last")
	if status != 0 {
		p.t.Fatal(errs)
	}
	for line := range strings.Lines(text) {
		if r := gjson.Parse(line); r.Get("type").Str == "tool_result" {
			list = append(list, r)
		}
	}
	return list
}

// glob is the files that match a pattern below the folder of runs.
func (p *place) glob(pattern string) []string {
	found, _ := filepath.Glob(filepath.Join(p.home, ".local/state/ua/runs", pattern))
	return found
}
