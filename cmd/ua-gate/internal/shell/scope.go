// Package shell is the shell's language as far as it runs nothing: scripts as they are parsed, and
// the words, variables, folders and streams of one with what is known of them.
package shell

import (
	"maps"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"ua/cmd/ua-gate/internal/match"
	"ua/internal/common/secret"
)

// Scope is what a list of commands knows: variables and the folder.
type Scope struct {
	Vars   map[string]Value
	Script *Assignments // what the script assigns, by whatever way
	Cwd    string       // "" is unknown
	Before string       // the folder before the last cd
	Stack  []string     // the folders that pushd left
	Stay   string       // where it still is if a cd before has failed; "" if none may have
	Maybe  int          // above 0, what stands here may not run, or run again
	Chain  int          // above 0, it may not run, and then nothing behind it does
}

// Sub returns the scope of what runs beside, or in a shell of its own.
func (s *Scope) Sub() *Scope {
	c := *s
	c.Vars = maps.Clone(s.Vars)
	return &c
}

// Beside returns the scope of what runs in a subshell.
func (s *Scope) Beside() *Scope {
	c := s.Sub()
	c.Maybe++
	return c
}

// Child returns the scope of a shell that is started: it has only the variables that are exported,
// and a script of its own.
func (s *Scope) Child() *Scope {
	c := s.Sub()
	c.Script = nil
	for name, v := range c.Vars {
		v.Maybe = true
		c.Vars[name] = v
	}
	return c
}

// Get returns the value of a variable, and whether the command has set it.
func (s *Scope) Get(name string) (Value, bool) {
	if v, ok := s.Vars[name]; ok && name != "_" {
		return v, true
	}
	if name == "*" {
		name = "@"
	}
	if name != "0" && name != "" && strings.Trim(name, "0123456789") == "" {
		all := s.Vars["@"]
		return Value{Text: match.Hole, From: all.From, Maybe: true, Cmd: all.Cmd,
			Others: all.List[:min(len(all.List), MaxOlder)]}, true
	}
	v := s.implicit(name)
	if s.Script != nil && s.Script.Times[name] > 0 && (s.Maybe > 0 || s.Script.Times[name] > 1) {
		v.Maybe = true
		v.Others = s.Script.texts[name]
	}
	return v, false
}

// maxValue bounds how much of a value of a variable is known.
const maxValue = 2000

// Set is an assignment that is met.
func (s *Scope) Set(name string, v Value) {
	if len(v.Text) > maxValue {
		v.Text = match.Hole
	}
	if !s.Script.Sure(name) || s.Maybe > 0 {
		old := s.Vars[name]
		if v.Maybe = true; old.Text == match.Hole {
			v.From = v.From.Joined(old.From)
		}
		v.From |= old.From &^ FromFilter
		for _, text := range append(old.Others, old.Text) {
			v.Others = Another(v.Others, text, v.Text)
		}
		if s.Script != nil {
			for _, text := range s.Script.texts[name] {
				v.Others = Another(v.Others, text, v.Text)
			}
		}
	}
	s.Put(name, v)
}

// Put gives a variable a value of which nothing else is to be said.
func (s *Scope) Put(name string, v Value) {
	if s.Vars == nil {
		s.Vars = map[string]Value{}
	}
	s.Vars[name] = v
}

// Forget makes a variable's value unknown.
func (s *Scope) Forget(name string, from Flow) {
	name, _, _ = strings.Cut(name, "[")
	if strings.Contains(name, match.Hole) && s.Script != nil {
		s.Script.All = true
	}
	s.Set(name, Value{Text: match.Hole, From: from, Cmd: true})
}

// Lose makes all variables unknown: a text that nobody has read may have changed them.
func (s *Scope) Lose() {
	if s.Script != nil {
		s.Script.All = true
	}
	for name, v := range s.Vars {
		v.Maybe = true
		s.Vars[name] = v
	}
}

// maxElements bounds how many elements of an array are known, and how many arguments.
const maxElements = 200

// Array gives a variable words of which nobody knows which are taken later.
func (s *Scope) Array(name string, words []Word) {
	v := Value{Text: match.Hole, From: FromAll(words), Maybe: true}
	for _, wd := range words {
		v.Cmd = v.Cmd || !wd.Plain()
		if wd.Plain() && len(v.List) < maxElements {
			v.List = append(v.List, wd.Text)
		}
	}
	if old := s.Vars[name]; len(old.List) > 0 {
		v.From, v.List = v.From.Joined(old.From), append(slices.Clip(old.List), v.List...)
		v.List = v.List[:min(len(v.List), maxElements)]
	}
	s.Put(name, v)
}

// Others returns the scope as it may be as well: with one variable after another of those that the
// node names at each of the other texts that it may hold.
func (s *Scope) Others(node syntax.Node) (all []*Scope) {
	seen := map[string]bool{}
	syntax.Walk(node, func(n syntax.Node) bool {
		p, ok := n.(*syntax.ParamExp)
		if !ok || p.Param == nil || seen[p.Param.Value] {
			return true
		}
		seen[p.Param.Value] = true
		v, _ := s.Get(p.Param.Value)
		list := v.Others
		if p.Index != nil {
			list = v.List[:min(len(v.List), MaxOlder)]
		}
		for _, text := range list {
			other := s.Sub()
			other.Put(p.Param.Value, Value{Text: text, From: v.From, Maybe: true})
			all = append(all, other)
		}
		return true
	})
	return all
}

// Cd moves the scope to a folder.
func (s *Scope) Cd(to Word) {
	from := s.Cwd
	switch {
	case to.Text == "-":
		s.Cwd = s.Before
	case Temporary(to):
		s.Cwd = to.Text
	case !to.Plain() || to.Glob:
		s.Cwd = ""
	case strings.HasPrefix(to.Text, "/") || strings.HasPrefix(to.Text, "~"):
		s.Cwd = path.Clean(to.Text)
	default:
		s.Cwd = path.Join(s.Cwd, to.Text)
	}
	s.Before = from
}

// Pop moves the scope to the folder that the last pushd left, which changes places with this one
// or is taken from the list. Where the list is empty the shell stays where it is.
func (s *Scope) Pop(swaps, numbered bool) {
	last := len(s.Stack) - 1
	switch {
	case numbered:
		s.Stack, s.Cwd = nil, ""
	case last < 0:
	case swaps:
		s.Stack = slices.Clone(s.Stack)
		s.Cwd, s.Stack[last] = s.Stack[last], s.Cwd
	default:
		s.Cwd, s.Stack = s.Stack[last], s.Stack[:last]
	}
}

// Assigns finds what a script assigns, and gives back which functions it defines. In a shell that
// has begun another script, what a text in it assigns is no plain assignment.
func (s *Scope) Assigns(f *syntax.File) (functions []string) {
	times := 2
	if s.Script == nil {
		times = 1
		s.Script = &Assignments{Times: map[string]int{}, texts: map[string][]string{}}
	}
	to, counted := s.Script, uint(0) // up to where numbers have been looked at
	syntax.Walk(f, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign:
			if n.Name != nil {
				to.assign(n, times)
			}
		case *syntax.WordIter:
			to.note(n.Name.Value, times, "")
		case *syntax.ParamExp:
			if n.Exp != nil && (n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull) {
				to.All = to.All || n.Param == nil || n.Excl
				to.mention(n.Param, n.Exp.Word.Lit())
			}
		case *syntax.FuncDecl:
			for _, name := range append(n.Names, n.Name) {
				if name != nil {
					functions = append(functions, name.Value)
				}
			}
		case *syntax.CallExpr:
			to.call(n)
		case *syntax.Redirect: // {NAME}>FILE gives it the number of a descriptor
			to.mention(n.N, "")
		case *syntax.BinaryArithm, *syntax.UnaryArithm, *syntax.LetClause:
			if end := n.End().Offset(); end > counted {
				to.counts(n)
				counted = end
			}
		}
		return true
	})
	return functions
}

// implicit returns what is known of a variable that the command did not set.
func (s *Scope) implicit(name string) Value {
	if name == "OLDPWD" && s.Before != "" {
		return Value{Text: s.Before}
	}
	v := Value{Text: implicit(name)}
	if HoldsSecret(name) {
		v.From = FromVar
	}
	return v
}

// implicit returns the value of a variable that the command did not set. A home is
// written ~, which the path rules read wherever it stands.
func implicit(name string) string {
	switch name {
	case "HOME":
		return "~"
	case "IFS":
		return " \t\n"
	case "!":
		return ownJob
	case "PWD":
		return "."
	case "SHELL", "BASH":
		return "sh"
	}
	if place := UsualPlace(name); place != "" {
		return place
	}
	return match.Hole
}

// ownJob stands for the process that the shell itself has last put in the background.
const ownJob = "%!"

// customs are the variables that a command does not set and that lead by custom to a place, which
// is judged as if it were named.
const customs = `
XDG_CONFIG_HOME=~/.config XDG_DATA_HOME=~/.local/share XDG_BIN_HOME=~/.local/bin TMPDIR=/tmp
XDG_CONFIG_DIRS=/etc/xdg __fish_config_dir=~/.config/fish __fish_user_data_dir=~/.local/share/fish
fish_function_path=~/.config/fish/functions ZDOTDIR=~ USERPROFILE=~ BASH_ENV=~/.profile
HISTFILE=~/.bash_history MYVIMRC=~/.vimrc INPUTRC=~/.inputrc GNUPGHOME=~/.gnupg
KUBECONFIG=~/.kube/config NETRC=~/.netrc PGPASSFILE=~/.pgpass DOCKER_CONFIG=~/.docker
AWS_SHARED_CREDENTIALS_FILE=~/.aws/credentials AWS_CONFIG_FILE=~/.aws/config
GOOGLE_APPLICATION_CREDENTIALS=~/.config/gcloud/application_default_credentials.json
CARGO_HOME=~/.cargo RUSTUP_HOME=~/.rustup GOPATH=~/go GOBIN=~/go/bin GOROOT=/usr/local/go
NVM_DIR=~/.nvm PYENV_ROOT=~/.pyenv PIPX_BIN_DIR=~/.local/bin PYTHONSTARTUP=~/.pythonrc GIT_DIR=.git
`

// UsualPlace returns where a variable that the command does not set leads by custom, or "".
func UsualPlace(name string) string {
	for custom := range strings.FieldsSeq(customs) {
		if place, ok := strings.CutPrefix(custom, name+"="); ok {
			return place
		}
	}
	return ""
}

// HoldsSecret reports whether a variable that the command has not set is a secret, by
// its name. A shell's own variables for folders, sockets and counts of tokens are
// none.
func HoldsSecret(name string) bool {
	switch {
	case len(name) < 3, name == "PWD", name == "OLDPWD", strings.HasSuffix(name, "_SOCK"),
		strings.HasSuffix(name, "TOKENS"):
		return false
	}
	return secret.Name(name)
}

// UnknownName reports whether a variable whose name is not known whole may be one by which
// programs run other code. Those have no small letters, but for the lists of zsh.
func UnknownName(name string) bool {
	if !strings.Contains(name, match.Hole) {
		return false
	}
	name, _, _ = strings.Cut(name, "[")
	return strings.ToUpper(name) == name
}
