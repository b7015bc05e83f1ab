package main

import (
	"errors"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"ua/cmd/ua-journal/internal/shipping"
	"ua/cmd/ua-journal/internal/store"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/style"
)

// shipVerb adds to the journals at a place what those of this machine have more.
func shipVerb(env *prog.Env, args []string) error {
	fs := prog.Flags()
	s := shipper{env: env, sizes: map[string]int64{}}
	to := fs.String("to", "", "")
	follow := fs.Bool("f", false, "")
	fs.BoolVar(follow, "follow", false, "")
	host, _ := os.Hostname()
	fs.StringVar(&s.host, "host", host, "")
	if err := env.Parse(fs, args, help); err != nil {
		return err
	}
	if *to == "" {
		return prog.Errorf(prog.Trouble, "ship needs a place").
			Hintf("--to a folder, http://, https://, s3:// or postgres://")
	}
	if s.host == "" || strings.ContainsAny(s.host, "/\n") || strings.HasPrefix(s.host, ".") {
		return prog.Errorf(prog.Trouble, "%q is no name of a host", s.host)
	}
	var err error
	if s.to, err = shipping.Open(*to); err != nil {
		return err
	}
	ctx, stop := prog.Interruptible()
	defer stop()
	for *follow {
		if err := s.round(fs.Args()); err != nil && prog.Status(err) != prog.TryLater {
			return err
		} else if err != nil {
			env.Warnf("%v: trying again", err)
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			*follow = false // what has come since is shipped below
		}
	}
	return s.round(fs.Args())
}

// A shipper knows up to where it has shipped.
type shipper struct {
	env   *prog.Env
	host  string
	to    shipping.Archive
	sizes map[string]int64 // of journals, by their paths
}

// round ships the runs that the operands name with their subagents, or all.
func (s *shipper) round(args []string) error {
	list, err := run.List(run.Root())
	if len(args) > 0 {
		list = nil
		for _, name := range args {
			path, err := readable(name)
			if err != nil {
				return err
			}
			list = append(list, run.Run{ID: filepath.Base(filepath.Dir(path)), Dir: filepath.Dir(path)})
		}
	}
	if err != nil {
		return err
	}
	paths, err := journals(list)
	if err != nil {
		return err
	}
	var other error
	for _, path := range paths {
		err := s.ship(path)
		var e *prog.Error
		if errors.As(err, &e) && e.Status == prog.No { // the others are not to wait for it
			s.env.Report(err)
			other = prog.Exit(prog.No)
		} else if err != nil {
			return err
		}
	}
	return other
}

// ship ships one journal, unless it is as it was.
func (s *shipper) ship(journal string) error {
	j, size, err := store.Open(journal)
	if err != nil {
		return prog.Errorf(prog.No, "%v", err) // a command may have made it
	}
	defer j.Close()
	if size, err = store.LastNewline(j, 0, size); err != nil || size == s.sizes[journal] {
		return err
	}
	dir := filepath.Dir(journal)
	top := filepath.Dir(run.Run{Dir: dir}.Top().Dir)
	below, err := filepath.Rel(top, journal)
	if err != nil {
		return err
	}
	name := path.Join(s.host, filepath.ToSlash(below))
	last, missing, err := shipping.Ship(s.to, name, dir, j, size)
	if err != nil {
		return err
	}
	s.sizes[journal] = size
	if missing > 0 {
		s.env.Printf("%s: %d bytes, last %s\n", style.Printable(path.Dir(name)), missing, last[:])
	}
	return nil
}
