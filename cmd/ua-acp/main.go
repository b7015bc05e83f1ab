// Ua-acp lets an editor use ua by the Agent Client Protocol, version 1
// (https://agentclientprotocol.com): a session is a run, a prompt is a turn of it, and the
// editor's person answers what the policy wants asked (ua-acp(1)).
package main

import (
	"context"
	"os"
	"strings"

	"github.com/tidwall/gjson"

	"ua/internal/common/prog"
	"ua/internal/common/uaclient"
)

func main() { prog.Main("ua-acp", start) }

// help is the text of --help.
const help = `usage: ua-acp [option of ua ...]

Be the agent of an editor that speaks the Agent Client Protocol on standard input
and output. The options hold for each session; ua --help lists them.

      --help     print this help
      --version  print the version`

// start serves an editor until it closes its side.
func start(env *prog.Env) error {
	if len(env.Args) == 1 && (env.Args[0] == "--help" || env.Args[0] == "--version") {
		return env.Parse(prog.Flags(), env.Args, help)
	}
	if len(env.Args) > 0 && !strings.HasPrefix(env.Args[0], "-") {
		return prog.Errorf(prog.Trouble, "%q: not an option of ua", env.Args[0])
	}
	if err := uaclient.Options(env.Args); err != nil {
		return err
	}
	files, err := os.MkdirTemp("", "ua-acp-")
	if err != nil {
		return prog.Errorf(prog.Trouble, "%v", err)
	}
	defer os.RemoveAll(files)
	signals, stop := prog.Interruptible()
	defer stop()
	ctx, cancel := context.WithCancel(signals)
	defer cancel()
	c := &connection{w: env.Stdout, waiting: map[string]chan gjson.Result{}}
	a := &agent{env: env, args: env.Args, files: files, ctx: ctx, conn: c,
		sessions: map[string]*session{}}
	c.handle = a.handle
	ended := make(chan error, 1)
	go func() { ended <- c.read(env.Stdin) }()
	select {
	case err = <-ended:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	cancel() // ends what runs
	c.open.Wait()
	return err
}
