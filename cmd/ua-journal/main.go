// Ua-journal keeps the events of a run in its journal, the run's only state,
// and reads them back.
package main

import (
	"os"
	"path/filepath"
	"strings"

	"ua/internal/common/prog"
	"ua/internal/common/run"
)

func main() { prog.Main("ua-journal", start) }

const help = `usage: ua-journal append [--tee] [--wait] [--deltas] [--sync none|turn|line]
                         [--retain-days N] RUN|FILE
       ua-journal new [--path] [--task TEXT]
       ua-journal read [--budget TOKENS] [RUN]
       ua-journal path [RUN]
       ua-journal answer [RUN]
       ua-journal end [--exit-code N] [--stage NAME] [--message TEXT] [--retryable] [RUN]

RUN is a run's ID, the start of one, "last" (the default), or a path with a
slash or ending in .jsonl.

  --tee            pass each line on, once it is kept
  --wait           wait for a journal that another process writes
  --deltas         keep delta events too
  --retain-days N  remove audit logs of months that ended N days ago
  --sync POLICY    fsync: none, turn (after response, tool_result, summary) or line
  --path           print the journal's path instead of the run's ID
  --task TEXT      begin the journal with the run, system and instruction events
  --budget TOKENS  keep the conversation within so many tokens (60000; 0: all)
  --exit-code N    the run's exit status
  --stage NAME     the stage that failed
  --message TEXT   how it failed
  --retryable      trying again makes sense
  --help           print this help
  --version        print the version`

// start hands the arguments to a verb.
func start(env *prog.Env) error {
	fs := prog.Flags()
	if err := env.Parse(fs, env.Args, help); err != nil {
		return err
	}
	if fs.NArg() == 0 {
		return prog.Errorf(prog.Trouble, "no verb").Hintf("--help lists the verbs")
	}
	do, args := verb(fs.Arg(0)), fs.Args()[1:]
	if do == nil {
		err := prog.Errorf(prog.Trouble, "unknown verb %q", fs.Arg(0))
		if near := prog.Nearest(fs.Arg(0), verbs()); near != "" {
			return err.Hintf("did you mean %s?", near)
		}
		return err.Hintf("--help lists the verbs")
	}
	return do(env, args)
}

func verbs() []string {
	return []string{"answer", "append", "end", "new", "path", "read"}
}

func verb(name string) func(*prog.Env, []string) error {
	switch name {
	case "answer":
		return answerVerb
	case "append":
		return appendVerb
	case "end":
		return endVerb
	case "new":
		return newVerb
	case "path":
		return pathVerb
	case "read":
		return readVerb
	}
	return nil
}

// isPath says whether an operand names a file or folder rather than a run.
func isPath(name string) bool {
	return strings.ContainsRune(name, '/') || strings.HasSuffix(name, ".jsonl")
}

// locate is the path of the journal that an operand means.
func locate(name string) (string, error) {
	if isPath(name) {
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			return filepath.Join(name, "journal.jsonl"), nil
		}
		return name, nil
	}
	r, err := run.Find(name)
	return r.Journal(), err
}

// operand is the one operand that a verb takes, "last" when there is none.
func operand(args []string) (string, error) {
	switch len(args) {
	case 0:
		return "last", nil
	case 1:
		return args[0], nil
	}
	return "", prog.Errorf(prog.Trouble, "%q: one run at a time", args[1])
}
