package main

import (
	"flag"
	"os"
	"strings"
	"syscall"

	"ua/cmd/ua-try/internal/broker"
	"ua/cmd/ua-try/internal/tree"
	"ua/internal/common/chain"
	"ua/internal/common/confine"
	"ua/internal/common/prog"
)

// asksOutside reports whether a server outside of this process's sandbox makes the tries:
// nothing inside can mount.
func asksOutside() bool { return confine.Inside() != "" && broker.Known() }

// askRun has the server run a command in a try. The error stands for the command's own
// end (ended).
func askRun(o *options, command []string) error {
	q := &broker.Request{Env: broker.Carried(os.Environ()), Quiet: o.quiet}
	if o.out != "" || len(o.dirs) > 0 {
		return refuse("a try below a run is kept beside the others and covers the working folder alone").
			Hintf("leave -o and --dir out")
	}
	dir, err := syscall.Getwd()
	if err != nil {
		return usage("working directory: %w", err)
	}
	q.Dir = tree.Name(dir)
	// The server has another working folder, so all paths become absolute here.
	for _, path := range o.except {
		real, err := tree.Real(path)
		if err != nil {
			return usage("--except %q: %w", path, cause(err))
		}
		q.Except = append(q.Except, tree.Name(real))
	}
	for _, word := range command {
		q.Words = append(q.Words, tree.Name(word))
	}
	r, err := ask(q)
	if err == nil && r.Try != "" {
		err = o.tell(string(r.Try))
	}
	if err != nil {
		return err
	}
	return ended(r)
}

// askVerb has the server do a verb on the tries of this run.
func askVerb(env *prog.Env, verb string, args []string) error {
	fs := prog.Flags()
	for _, name := range []string{"json", "force", "stat", "name-status"} {
		fs.Bool(name, false, "")
	}
	if err := env.Parse(fs, args, help); err != nil {
		return err
	}
	q := &broker.Request{Verb: verb}
	fs.Visit(func(f *flag.Flag) { q.Flags = append(q.Flags, "--"+f.Name) })
	words := fs.Args()
	if len(words) > 0 {
		if dir, err := os.Readlink(words[0]); err == nil && strings.Contains(words[0], "/") {
			// The server knows tries by their folders, and has not this process's links.
			words[0] = dir // of --link
		}
		q.Words = []tree.Name{tree.Name(words[0])}
		for _, w := range words[1:] {
			// ls and drop take several tries; all others one try and paths.
			if verb != "ls" && verb != "drop" {
				paths, err := absolute([]string{w})
				if err != nil {
					return err
				}
				w = string(paths[0])
			}
			q.Words = append(q.Words, tree.Name(w))
		}
	}
	r, err := ask(q)
	if err != nil {
		return err
	}
	return ended(r)
}

// ask sends a request to the server. Signals that come to this process go there, too.
func ask(q *broker.Request) (broker.Reply, error) {
	r, err := broker.Ask(q, chain.Catch())
	if err != nil {
		return r, refuse("the run that keeps the tries does not answer: %w", err)
	}
	return r, nil
}

// ended returns the error that ends this program as the server's program ended: with its
// status, its signal, or the reason why it was not run.
func ended(r broker.Reply) error {
	if r.Error != "" {
		e := prog.Errorf(r.Status, "%s", r.Error)
		if r.Hint != "" {
			return e.Hintf("%s", r.Hint)
		}
		return e
	}
	if r.Signal != 0 {
		return chain.Reraise(syscall.Signal(r.Signal))
	}
	if r.Status != 0 {
		return prog.Exit(r.Status)
	}
	return nil
}
