// Ua-mcp makes commands of MCP servers: in a run each server of the settings is a program
// that the gate judges like any other, while the server itself is kept outside of the
// commands' sandbox, in one of its own (ua-mcp(1)).
package main

import (
	"context"
	"os"
	"path/filepath"
	"text/tabwriter"

	"golang.org/x/term"

	"ua/cmd/ua-mcp/internal/server"
	"ua/cmd/ua-mcp/internal/tool"
	"ua/internal/common/config"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/style"
	"ua/internal/common/verdict"
)

func main() { prog.Main("ua-mcp", start) }

// start does what the program's name or the first word asks for.
func start(env *prog.Env) error {
	if name := filepath.Base(os.Args[0]); name != "ua-mcp" {
		return ask(env, name, env.Args)
	}
	config.TakeKeys() // those of models are for nobody here
	if len(env.Args) > 0 && env.Args[0] == "host" {
		return host(env, env.Args[1:])
	}
	if len(env.Args) > 0 && env.Args[0] == "serve" {
		return serveShell(env, env.Args[1:])
	}
	fs := prog.Flags()
	asJSON := fs.Bool("json", false, "")
	if err := env.Parse(fs, env.Args, help); err != nil {
		return err
	}
	servers, err := load()
	switch {
	case err != nil:
		return err
	case fs.NArg() == 0:
		return list(env, servers, *asJSON)
	case os.Getenv(run.EnvMCP) != "":
		return ask(env, fs.Arg(0), fs.Args()[1:])
	}
	return direct(env, servers, fs.Args())
}

// list prints the servers, each with the level of its calls and what it is.
func list(env *prog.Env, servers config.Servers, asJSON bool) error {
	table := tabwriter.NewWriter(env.Stdout, 0, 8, 2, ' ', 0)
	for _, name := range servers.Names() {
		s := servers[name]
		what := s.URL
		if what == "" {
			what = filepath.Base(s.Command[0])
		}
		if asJSON {
			env.Printf("%s\n", jsonOf(map[string]any{"name": name, "level": s.Level().String(),
				"server": what, "hosts": s.Hosts, "allow": s.Allow}))
			continue
		}
		if _, err := table.Write([]byte(name + "\t" + s.Level().String() + "\t" +
			style.Printable(what) + "\n")); err != nil {
			return err
		}
	}
	return table.Flush()
}

// direct asks a server for the person who types: it is started for this, and nothing is
// judged.
func direct(env *prog.Env, servers config.Servers, words []string) error {
	s, ok := servers[words[0]]
	if !ok {
		e := prog.Errorf(prog.Trouble, "%q: no such server", words[0])
		if near := prog.Nearest(words[0], servers.Names()); near != "" {
			return e.Hintf("did you mean %s?", near)
		}
		return e.Hintf("[mcp.NAME] in the settings names servers: see ua-mcp(1)")
	}
	stdin, err := input(env, words[1:])
	if err != nil {
		return err
	}
	dir, err := os.Getwd()
	if err != nil {
		return prog.Errorf(prog.Trouble, "the working directory: %v", err)
	}
	ctx, stop := prog.Interruptible()
	defer stop()
	v, err := server.Connect(ctx, words[0], s, dir)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return err
	}
	defer v.Close()
	p := &printer{env: env, name: words[0]}
	if term.IsTerminal(int(env.Stdout.Fd())) {
		p.escape = style.NewEscaper(env.Stdout)
	}
	r := tool.Request{Words: words[1:], Stdin: stdin,
		May: func([]string, verdict.Level) error { return nil }}
	err = r.Do(ctx, v, p.print)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if p.err != nil {
		return p.err
	}
	return err
}

// help is the text of --help.
const help = `usage: ua-mcp [--json]
       ua-mcp NAME [TOOL [--ARGUMENT VALUE ...] [-]]
       ua-mcp NAME read [URI] | prompt [PROMPT]
       ua-mcp serve [option of ua ...]
       ua-mcp host --socket-fd N --token-fd N --lives DIR

List the MCP servers of the settings, or ask one of them. In a run each server is
a command NAME of its own. serve is a server itself: it lends a confined shell to an
MCP client.

  --json           print the servers as JSON, one object a line
  --socket-fd N    host: serve a run's commands on this listening socket
  --token-fd N     host: read the secret of their tokens from descriptor N
  --lives DIR      host: take tokens of commands that have a file there
  --help           print this help
  --version        print the version`
