package broker

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"ua/cmd/ua-try/internal/tree"
	"ua/internal/common/prog"
)

// verb runs a verb on a try that was made here.
func (s *Server) verb(fd int, q *Request, files []*os.File) Reply {
	if i := slices.IndexFunc(q.Flags, func(f string) bool {
		return !slices.Contains([]string{"--force", "--json", "--stat", "--name-status"}, f)
	}); i >= 0 {
		return refusal("%s: unknown option %q", q.Verb, q.Flags[i])
	}
	s.mu.Lock()
	made := slices.Clone(s.made)
	s.mu.Unlock()
	args := append([]string{q.Verb}, q.Flags...)
	switch q.Verb {
	case "diff":
		if !slices.Contains(q.Flags, "--stat") && !slices.Contains(q.Flags, "--name-status") {
			r := refusal("diff: below a run only with --stat or --name-status")
			r.Hint = "the text of files could hold what the sandbox hides"
			return r
		}
		fallthrough
	case "apply", "undo":
		words := append([]tree.Name{"last"}, q.Words...)
		if len(q.Words) > 0 {
			words = words[1:]
		}
		dir := find(made, string(words[0]))
		if dir == "" {
			return unknown(words[0])
		}
		args = append(args, dir)
		for _, path := range words[1:] {
			args = append(args, string(path))
		}
	case "ls", "drop":
		dirs := made
		if q.Verb == "drop" {
			dirs = made[max(len(made)-1, 0):]
		}
		if len(q.Words) > 0 {
			dirs = nil
		}
		for _, w := range q.Words {
			dir := find(made, string(w))
			if dir == "" {
				return unknown(w)
			}
			dirs = append(dirs, dir)
		}
		if len(dirs) == 0 {
			return Reply{}
		}
		args = append(args, dirs...)
	default:
		return refusal("%q: no verb for a try", q.Verb)
	}
	s.verbs.Lock() // of two applies the second sees the first
	defer s.verbs.Unlock()
	r := s.start(fd, args, append(os.Environ(), envServed+"=1"), files)
	if q.Verb == "drop" && r == (Reply{}) {
		s.mu.Lock()
		s.made = slices.DeleteFunc(s.made, func(dir string) bool { return slices.Contains(args, dir) })
		s.mu.Unlock()
	}
	return r
}

func unknown(word tree.Name) Reply {
	return Reply{Status: prog.Trouble, Error: fmt.Sprintf("%q: no try of this run", string(word))}
}

// find returns the folder of the try that a word names, "" for none.
func find(made []string, word string) string {
	if word == "last" && len(made) > 0 {
		return made[len(made)-1]
	}
	for _, dir := range made {
		if dir == word || filepath.Base(dir) == word {
			return dir
		}
	}
	return ""
}
