package ring

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"runtime"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/secret"
	"ua/internal/common/style"
)

// surroundingsMax is how many bytes the model is told about where it is.
const surroundingsMax = 400

// surroundings returns an attachment of the first instruction that says where the model
// is. It is no part of the system prompt, which stays the same and cached.
func (o *options) surroundings() []byte {
	cwd, _ := os.Getwd()
	lines := []string{
		"folder: " + style.FirstLine(cwd, 120),
		fmt.Sprintf("system: %s, user %s, shell bash, no terminal, %s", system(),
			style.FirstLine(userName(), 20), time.Now().Format("2006-01-02 Mon -0700")),
	}
	if o.run == "" {
		lines = append(lines, o.reachable())
	}
	if kept := withheld(); kept != "" {
		lines = append(lines, "secret variables, not given: "+kept)
	}
	text := strings.Join(lines, "\n")
	if len(text) > surroundingsMax {
		text = strings.ToValidUTF8(text[:surroundingsMax-len("…")], "") + "…"
	}
	b := event.AppendString([]byte(`{"name":"surroundings","media_type":"text/plain","text":`),
		text)
	return append(b, '}')
}

// reachable says what the sandbox lets commands write and reach.
func (o *options) reachable() string {
	write := "this folder and $TMPDIR"
	if o.sandboxProfile == "read-only" {
		write = "$TMPDIR"
	}
	if n := len(o.write); n > 0 {
		write += ", " + strings.Join(o.write[:min(n, 3)], ", ")
	}
	network := "none"
	inside := o.depth > 0 && os.Getenv("HTTPS_PROXY") == "" // of a command without a network
	if o.profile == "network" && !inside && len(o.netAllow) > 0 && !<-o.cutOff {
		network = strings.Join(o.netAllow[:min(len(o.netAllow), 5)], ", ")
	}
	return "sandbox: write " + style.FirstLine(write, 120) + "; network " +
		style.FirstLine(network, 80)
}

// lookAtSandbox begins to find out whether this system has no namespaces for a sandbox, at
// tier 2, where commands get no network. The stages start meanwhile.
func (o *options) lookAtSandbox() {
	cutOff := make(chan bool, 1)
	o.cutOff = cutOff
	if o.depth > 0 || o.run != "" || o.via != "" { // what holds there is not ours to try
		close(cutOff)
		return
	}
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), probeTime)
		defer cancel()
		out, _ := exec.CommandContext(ctx, prog.Sibling("ua-sandbox"), "--probe", "--json").Output()
		tier := gjson.GetBytes(out, "tier")
		cutOff <- tier.Exists() && tier.Int() < 3
	}()
}

// probeTime bounds the look at the sandbox: without its word the settings' hosts stand.
const probeTime = 2 * time.Second

func system() string {
	if runtime.GOOS != "linux" {
		return runtime.GOOS + "/" + runtime.GOARCH
	}
	release, _ := os.ReadFile("/etc/os-release")
	for line := range strings.Lines(string(release)) {
		if name, ok := strings.CutPrefix(line, "PRETTY_NAME="); ok {
			return style.FirstLine(strings.Trim(strings.TrimSpace(name), `"`), 40) + " " +
				runtime.GOARCH
		}
	}
	return "linux/" + runtime.GOARCH
}

func userName() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return fmt.Sprint(os.Getuid())
}

// withheld returns the names of the variables that commands do not get since they look
// like secrets.
func withheld() string {
	_, names := secret.Environ(os.Environ(), []string{run.EnvToken})
	return strings.Join(names[:min(len(names), 5)], " ")
}
