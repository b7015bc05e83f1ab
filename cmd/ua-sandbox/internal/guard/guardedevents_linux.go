package guard

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"ua/cmd/ua-sandbox/internal/eventlog"
	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/style"
)

// An Outcome is what becomes of a file that commands should not have made or changed.
type Outcome struct {
	state, reason string // of the event
	option        bool   // --write with its path would have allowed it
	words         string // for a person, before the paths and behind them
	hint          string
}

// toldMax limits how much is told, for each outcome. A command can cause any number of such
// messages.
const toldMax = 50

// The outcomes, in the order in which they are told.
var (
	restored = &Outcome{"put_back", "it is protected, and the command changed it", true,
		"protected, so put back as it was: ",
		"what was there is beside it as *" + aside + "; --write PATH lets a command change it"}
	unrestored = &Outcome{"left", "it is protected, and the command changed it", true,
		"protected, but changed, and it could not be put back (its folder may have moved): ",
		"look at it; --write PATH lets a command change it"}
	Moved = &Outcome{"set_aside", "it is protected, and the command made it", true,
		"protected, so moved aside as *" + aside + ": ", "--write PATH lets a command make it"}
	disarmed = &Outcome{"set_aside", "version control would run or obey it: ", false,
		"version control would run or obey it in a repository that the command made or changed, so " +
			"moved aside as *" + aside + ": ", "look at it, then give it its name back"}
	armed = &Outcome{"left", "version control would run or obey it: ", false,
		"version control would run or obey it, and it can't be moved: ", "look at it"}
	NotTaken = &Outcome{"refused", "", true, "not taken into the repository: ", ""}
	outcomes = []*Outcome{NotTaken, restored, unrestored, Moved, disarmed, armed}
)

// An Account records what was done about protected files: in events at once, for callers
// that continue while the command runs, and in words at its end.
type Account struct {
	Log *eventlog.Log // gets the events

	mu   sync.Mutex
	told map[*Outcome][]string
}

// Add records an outcome for a path, with why version control would obey it. A command can
// cause any number of them.
func (a *Account) Add(o *Outcome, path, why string) {
	what, option := path, ""
	if why != "" {
		what += " (" + why + ")"
	}
	if o.option {
		option = "--write " + path
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.told == nil {
		a.told = map[*Outcome][]string{}
	}
	switch list := a.told[o]; {
	case slices.Contains(list, what) || len(list) > toldMax:
	case len(list) == toldMax:
		a.told[o] = append(list, "and more")
	default:
		a.told[o] = append(list, what)
		a.tell(path, o.state, o.reason+why, option)
	}
}

// plant records what became of a file that version control would run or obey.
func (a *Account) plant(path, why string, away bool) {
	if away {
		a.Add(disarmed, path, why)
	} else {
		a.Add(armed, path, why)
	}
}

// unseen tells that not all of what a command made was looked at.
func (a *Account) unseen(env *prog.Env, dir string) {
	a.tell(dir, "unseen", "too much to search for repositories", "")
	env.Warnf("%s: too much to search for repositories: look at it before git or another such "+
		"program runs there", Shown([]string{dir}))
}

// tell writes an event. If escapes make it too long, it writes a shorter one.
func (a *Account) tell(path, state, reason, option string) {
	for _, room := range []int{300, 60} { // characters, which may be written as several
		line := event.New("guarded").Str("path", style.FirstLine(path, room)).Str("state", state).
			Str("reason", style.FirstLine(reason, room)).
			OptStr("option", style.FirstLine(option, room)).Line()
		if len(line) < eventlog.Max {
			a.Log.Write(line)
			return
		}
	}
}

// sum tells a person at the end.
func (a *Account) sum(env *prog.Env) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, o := range outcomes {
		if list := a.told[o]; len(list) > 0 {
			env.Warnf("%s", strings.TrimSuffix(o.words+Shown(list)+" ("+o.hint+")", " ()"))
		}
	}
}

// Shown returns paths for a message. A command chose these names, and one with a newline
// would look like a message of its own.
func Shown(list []string) string {
	var words []string
	for _, word := range list {
		if strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsPrint(r) }) {
			word = strconv.Quote(word)
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}
