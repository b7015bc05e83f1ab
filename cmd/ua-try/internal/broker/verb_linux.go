package broker

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"ua/cmd/ua-try/internal/tree"
	"ua/internal/common/prog"
	"ua/internal/common/run"
)

// verb runs a verb on tries that this server made.
func (s *Server) verb(fd int, q *Request, files []*os.File) Reply {
	if i := slices.IndexFunc(q.Flags, func(f string) bool {
		return !slices.Contains([]string{"--force", "--json", "--stat", "--name-status"}, f)
	}); i >= 0 {
		return refusal("%s: unknown option %q", q.Verb, q.Flags[i])
	}
	s.mu.Lock()
	s.made = slices.DeleteFunc(s.made, dropped)
	made := slices.Clone(s.made)
	s.mu.Unlock()
	operands, no := operands(q, made)
	if no != nil || len(operands) == 0 {
		return *cmp.Or(no, &Reply{})
	}
	args := slices.Concat([]string{q.Verb}, q.Flags, operands)
	s.verbs.Lock() // of two applies the second sees the first
	defer s.verbs.Unlock()
	r := s.start(fd, args, append(os.Environ(), envServed+"=1"), files)
	if q.Verb == "drop" && r == (Reply{}) {
		s.mu.Lock()
		s.made = slices.DeleteFunc(s.made,
			func(dir string) bool { return slices.Contains(args, dir) })
		s.mu.Unlock()
	}
	return r
}

// dropped reports whether a person has dropped the try in the folder dir. Inside a
// sandbox tries are hidden, so that only the server above can say so.
func dropped(dir string) bool {
	_, err := os.Lstat(dir)
	return err != nil && os.Getenv(run.EnvTries) == ""
}

// operands returns the arguments of a verb. The first is the folder of a try that was
// made here, by default the newest, and the paths follow; ls and drop take several tries,
// and ls all by default. A verb that is not allowed gives a refusal.
func operands(q *Request, made []string) (list []string, no *Reply) {
	refuse := func(r Reply) ([]string, *Reply) { return nil, &r }
	words := q.Words
	switch q.Verb {
	case "diff":
		// A try can cover files that the command's own sandbox hides.
		if !slices.Contains(q.Flags, "--stat") && !slices.Contains(q.Flags, "--name-status") {
			r := refusal("diff: below a run only with --stat or --name-status")
			r.Hint = "the text of files could hold what the sandbox hides"
			return refuse(r)
		}
	case "apply", "undo", "ls", "drop":
	default:
		return refuse(refusal("%q: no verb for a try", q.Verb))
	}
	several := q.Verb == "ls" || q.Verb == "drop"
	switch {
	case len(words) > 0:
	case q.Verb == "ls":
		return made, nil
	case q.Verb == "drop" && len(made) == 0:
		return nil, nil
	default:
		words = []tree.Name{run.Last}
	}
	for i, word := range words {
		// The words after the first are paths in the try.
		if i > 0 && !several {
			list = append(list, string(word))
			continue
		}
		dir := find(made, string(word))
		if dir == "" {
			return refuse(unknown(word))
		}
		list = append(list, dir)
	}
	return list, nil
}

// unknown returns the reply for a name that is no try of this run.
func unknown(word tree.Name) Reply {
	return Reply{Status: prog.Trouble, Error: fmt.Sprintf("%q: no try of this run", string(word))}
}

// find returns the folder of the try that a word names: "last", a folder or an ID. "" is
// none.
func find(made []string, word string) string {
	if word == run.Last && len(made) > 0 {
		return made[len(made)-1]
	}
	for _, dir := range made {
		if dir == word || filepath.Base(dir) == word {
			return dir
		}
	}
	return ""
}
