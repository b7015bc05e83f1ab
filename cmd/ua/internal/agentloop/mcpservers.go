package agentloop

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"ua/internal/common/config"
	"ua/internal/common/event"
	"ua/internal/common/gateway"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/stage"
	"ua/internal/common/verdict"
)

// serverHost is ua-mcp, which keeps the MCP servers of a run outside of its sandbox
// (ua-mcp(1)). A nil serverHost is that of a run without servers.
type serverHost struct {
	socket   *gateway.Gateway
	verdicts *event.Outbox // on the calls of this run, by which it knows what each may do
	host     *stage.Stage
}

// offer keeps of the user's servers those that this run can have, and says why it has not
// the others. In a run's PATH each is a command, so its name must not be one already.
func (o *options) offer(env *prog.Env, servers config.Servers) {
	if len(servers) == 0 || o.depth > 0 || o.Exec != "" || o.Gate != "" {
		return
	}
	o.servers = config.Servers{}
	taken := commandsNamed(servers.Names(), o.path)
	for _, name := range servers.Names() {
		switch s := servers[name]; {
		case slices.Contains(taken, name):
			env.Warnf("skipping [mcp.%s]: %s is already a command: give it another name", name, name)
		case o.tries() && s.Level() == verdict.Destructive:
			env.Warnf("skipping [mcp.%s]: it writes files, which a try can't contain", name)
		default:
			o.servers[name] = s
		}
	}
}

// commandsNamed returns those of the names that bash would run already: words of its own and
// programs on path.
func commandsNamed(names []string, path string) []string {
	c := exec.Command("bash", append([]string{"--norc", "-c",
		`for n do type -t -- "$n" >/dev/null && echo "$n"; done`, "bash"}, names...)...)
	c.Env = []string{"PATH=" + path}
	c.WaitDelay = time.Second
	out, err := c.Output()
	if _, ended := err.(*exec.ExitError); err != nil && !ended {
		return names
	}
	return strings.Fields(string(out))
}

// serverPrompt tells the model which servers there are. What each of them can do it asks the
// command, so that a server of a hundred tools costs a word.
func (o *options) serverPrompt() string {
	if len(o.servers) == 0 {
		return ""
	}
	return "MCP servers are commands here: " + strings.Join(o.servers.Names(), ", ") + ". NAME " +
		"lists its tools, NAME TOOL --help their arguments, NAME TOOL --arg value calls one (NAME " +
		"TOOL - with JSON on stdin). Write NAME and TOOL plainly: the gate judges by them."
}

// serverPolicy returns the rows by which the gate knows the servers' commands. Their level is
// what the server's own sandbox lets it do.
func (o *options) serverPolicy() string {
	var b strings.Builder
	for _, name := range o.servers.Names() {
		s := o.servers[name]
		fmt.Fprintf(&b, "[command.%q]\nlevel = %q\nflags = \"--destroys:D\"\nfacts = \"ua loose\"\n"+
			"why = \"asks the MCP server %s\"\n", name, s.Level(), name)
		for _, tool := range s.Allow {
			fmt.Fprintf(&b, "[[allow]]\npattern = [%q, %q]\n", name+" "+tool+" *", name+" call "+tool+" *")
		}
	}
	return b.String()
}

// env returns the variables by which a command reaches the servers. Its token is that of the
// gateway, or one like it where there is none: ua-exec makes of it one for each call.
func (s *serverHost) env(g *gateway.Gateway) []string {
	if s == nil {
		return nil
	}
	list := []string{run.EnvMCP + "=" + s.socket.Path}
	if g == nil {
		return append(list, run.EnvToken+"="+s.token(g))
	}
	return list
}

// token returns the secret from which the tokens of calls are made.
func (s *serverHost) token(g *gateway.Gateway) string {
	if g != nil {
		return g.Token
	}
	return s.socket.Token
}

// judged tells ua-mcp what a call may do.
func (s *serverHost) judged(line []byte) {
	if s != nil && s.verdicts != nil && gjson.GetBytes(line, "delegates").Bool() {
		s.verdicts.Offer(line)
	}
}

// close ends ua-mcp, and with it the servers.
func (s *serverHost) close() {
	if s == nil {
		return
	}
	s.socket.Remove()
	if s.verdicts != nil {
		s.verdicts.End()
	}
	if s.host != nil && !s.host.Wait(stage.Grace/5) {
		s.host.Signal(9)
	}
}
