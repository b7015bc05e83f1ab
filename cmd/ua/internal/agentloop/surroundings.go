package agentloop

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"ua/internal/common/config"
	"ua/internal/common/confine"
	"ua/internal/common/event"
	"ua/internal/common/style"
	"ua/internal/common/verdict"
)

// surroundingsMax is how many bytes the model is told about where it is.
const surroundingsMax = 400

// surroundings returns an attachment to the first instruction that says where the model
// works. It is not part of the system prompt, which has to stay the same to be cached.
func (l *loop) surroundings() []byte {
	o := l.o
	cwd, _ := os.Getwd()
	lines := []string{
		"folder: " + style.FirstLine(cwd, 120),
		fmt.Sprintf("system: %s, user %s, shell bash, no terminal, %s", systemName(),
			style.FirstLine(userName(), 20), time.Now().Format("2006-01-02 Mon -0700")),
	}
	if o.Exec == "" {
		lines = append(lines, l.reachable())
	}
	if n := len(l.withheld); n > 0 {
		lines = append(lines, "secret variables, not given: "+
			strings.Join(l.withheld[:min(n, 5)], " "))
	}
	text := strings.Join(lines, "\n")
	if len(text) > surroundingsMax {
		text = strings.ToValidUTF8(text[:surroundingsMax-len("…")], "") + "…"
	}
	b := event.AppendString([]byte(`{"name":"surroundings","media_type":"text/plain","text":`),
		text)
	return append(b, '}')
}

// reachable says what commands can write and reach in the sandbox.
func (l *loop) reachable() string {
	o := l.o
	write := "this folder and $TMPDIR"
	if o.sandboxProfile == "read-only" {
		write = "$TMPDIR"
	}
	if n := len(o.Write); n > 0 {
		write += ", " + strings.Join(o.Write[:min(n, 3)], ", ")
	}
	network := "none"
	inside := o.depth > 0 && os.Getenv("HTTPS_PROXY") == "" // of a command without a network
	if o.Profile == "network" && !inside && len(o.NetAllow) > 0 && !l.cutOff() {
		network = strings.Join(o.NetAllow[:min(len(o.NetAllow), 5)], ", ")
		l.promised = true
	}
	return "sandbox: write " + style.FirstLine(write, 120) + "; network " +
		style.FirstLine(network, 80)
}

// warnOfHome warns before the first command about what commands may write when the working
// folder is the user's home or contains it.
func (l *loop) warnOfHome() {
	if l.warned {
		return
	}
	l.warned = true
	o := l.o
	cwd, err := os.Getwd()
	home, err2 := filepath.EvalSymlinks(os.Getenv("HOME"))
	if err != nil || err2 != nil || !confine.Under(home, cwd) || o.depth > 0 || o.Exec != "" ||
		o.sandboxProfile == string(verdict.ProfileReadOnly) || o.Try != config.TryNever {
		return
	}
	if l.cutOff() { // where ua's own files can't be kept in a folder that takes new ones
		l.show.Warn(fmt.Sprintf("commands can make no new files in %s at tier 2 of the sandbox: "+
			"run ua in a project's folder", style.FirstLine(cwd, 120)))
		return
	}
	l.show.Warn(fmt.Sprintf("commands may write all of %s but hidden names and secrets: "+
		"run ua in a project's folder, or with --profile read-only or --try", style.FirstLine(cwd,
		120)))
}

// takeBack tells the model that commands have no network after all, if it was promised one and
// the sandbox has become one of a lower tier since. It comes with the first command's result.
func (l *loop) takeBack() {
	if l.promised && l.cutOff() {
		l.promised = false
		l.notice("sandbox", "This system refuses a part of the sandbox: commands have no network, "+
			"whatever the surroundings say.")
	}
}

// tierTime is how long the sandbox may take to begin.
const tierTime = 2 * time.Second

// cutOff reports whether commands have no network because this system refuses namespaces.
// ua-sandbox says so once it begins (ua-sandbox(1), --net-log-fd). If it does not say so in
// time, the hosts of the settings are assumed to be reachable.
func (c *confinement) cutOff() bool {
	if c.tierTold == nil {
		return false
	}
	select {
	case <-c.tierTold:
	case <-c.asked: // it has ended
	case <-time.After(tierTime):
	}
	tier := c.tier.Load()
	return 0 < tier && tier < 3
}

// systemName returns the name of the operating system and the architecture.
func systemName() string {
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

// userName returns the user's name, or the number if there is none.
func userName() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return fmt.Sprint(os.Getuid())
}
