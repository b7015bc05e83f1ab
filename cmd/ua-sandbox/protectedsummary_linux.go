package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/style"
)

// An account records what was done about protected files: in events at once, for callers
// that continue while the command runs, and in words at its end.
type account struct {
	mu      sync.Mutex
	log     *eventLog // gets the events
	changed mentions  // put back, where no mount keeps it
	lost    mentions  // changed, and not to be put back: its folder is gone
	moved   mentions  // protected, and made by the command
	planted mentions  // in a repository that the command made, with why
}

// A mentions is a list of what was told, without repetition.
type mentions struct {
	list []string
	more bool // there were others
}

// add reports whether to tell about what: it is new, and the list is not full.
func (t *mentions) add(what string) bool {
	if slices.Contains(t.list, what) {
		return false
	}
	if len(t.list) == toldMax {
		t.more = true
		return false
	}
	t.list = append(t.list, what)
	return true
}

// String returns the list for a message.
func (t *mentions) String() string {
	if t.more {
		return shown(t.list) + " and more"
	}
	return shown(t.list)
}

// shown returns paths for a message. A command chose these names, and one with a newline
// would look like a message of its own.
func shown(list []string) string {
	var words []string
	for _, word := range list {
		if strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsPrint(r) }) {
			word = strconv.Quote(word)
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}

// putBack tells that a protected file was restored.
func (a *account) putBack(path string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.changed.add(path) {
		a.tell(path, "put_back", "it is protected, and the command changed it", "--write "+path)
	}
}

// lose tells that a protected file was changed and could not be restored.
func (a *account) lose(path string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.lost.add(path) {
		a.tell(path, "left", "it is protected, and the command changed it", "--write "+path)
	}
}

// setAside tells that a file which the command made, and should not have, was renamed.
func (a *account) setAside(path string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.moved.add(path) {
		a.tell(path, "set_aside", "it is protected, and the command made it", "--write "+path)
	}
}

// plant tells what became of a file in a new repository that would make git, or another
// version control system, run something.
func (a *account) plant(path, why string, away bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	state, what := "set_aside", fmt.Sprintf("%s (%s)", path, why)
	if !away {
		state, what = "left", what+" still there"
	}
	if a.planted.add(what) {
		a.tell(path, state, "version control would run or obey it: "+why, "")
	}
}

// unseen tells that not all of what a command made was looked at.
func (a *account) unseen(env *prog.Env, dir string) {
	a.tell(dir, "unseen", "too much to search for repositories", "")
	env.Warnf("%s: too much to search for repositories: look at it before git or another such "+
		"program runs there", shown([]string{dir}))
}

// tell writes an event. If escapes make it too long, it writes a shorter one.
func (a *account) tell(path, state, reason, option string) {
	for _, room := range []int{300, 60} { // characters, which may be written as several
		line := event.New("guarded").Str("path", style.FirstLine(path, room)).Str("state", state).
			Str("reason", style.FirstLine(reason, room)).
			OptStr("option", style.FirstLine(option, room)).Line()
		if len(line) < eventMax {
			a.log.write(line)
			return
		}
	}
}

// sum tells a person at the end.
func (a *account) sum(env *prog.Env) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.changed.list) > 0 {
		env.Warnf("protected, so put back as it was: %s (what was there is beside it as *%s; "+
			"--write PATH lets a command change it)", &a.changed, aside)
	}
	if len(a.lost.list) > 0 {
		env.Warnf("protected, but changed, and it could not be put back (its folder may have moved): "+
			"%s (look at it; --write PATH lets a command change it)", &a.lost)
	}
	if len(a.moved.list) > 0 {
		env.Warnf("protected, so moved aside as *%s: %s (--write PATH lets a command make it)", aside,
			&a.moved)
	}
	if len(a.planted.list) > 0 {
		env.Warnf("version control would run or obey it in a repository that the command made "+
			"or changed, so moved "+
			"aside as *%s: %s (look at it, then give it its name back)", aside, &a.planted)
	}
}
