package agentloop

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"ua/internal/common/config"
	"ua/internal/common/confine"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/runfolder"
	"ua/internal/common/safefile"
)

// again returns the options of a run that goes on: those that it was started with, and over
// them what this command line says. Each that differs is told. A run whose journal does not
// name them, as one of another program or of an older ua, asks before what is risky.
func (o *options) again(env *prog.Env, help string) (*options, error) {
	o.place()
	r, err := o.earlier()
	if err != nil {
		return nil, err
	}
	was, known := o.termsOf(r)
	was.Ask = was.Ask || !known
	was.leaveOut(env)
	next, err := parse(env, help, &was)
	if err != nil {
		return nil, err
	}
	next.earlierRun, next.words = r, next.words[1:]
	next.tree = runfolder.Read(r).Worktree
	next.sameDir = next.Dir == was.Dir
	if !known && next.Ask {
		env.Warnf("%s doesn't say how it was started, so ua asks before risky commands; "+
			"--no-ask turns that off", r.ID)
	}
	for _, line := range changedTerms(was, next.terms) {
		env.Warnf("%s", line)
	}
	return next, nil
}

// earlier returns the run that is to go on.
func (o *options) earlier() (r run.Run, err error) {
	if o.last {
		return runfolder.LastIn(o.folder(), cmp.Or(o.Dir, "."))
	}
	if len(o.words) == 0 {
		return r, prog.Errorf(prog.Trouble, "no run given").
			Hintf("ua ps --all lists them; last is the newest")
	}
	if r, err = runfolder.Find(o.folder(), o.words[0]); err != nil {
		verb := map[bool]string{false: "resume", true: "fork"}[o.fork]
		return r, AsTask(verb, o.words, err)
	}
	return r, nil
}

// termsOf returns the terms on which a run was started, and whether its journal names them.
// Commands can write the folder of a subagent's run. To a person, outside of their sandbox,
// it therefore has the terms of the run at the top, whose folder no command writes. Its own
// word counts for its agent, and for a folder below that of the run at the top. A run that lies
// elsewhere, where anybody may have put it, has no word but for its agent.
func (o *options) termsOf(r run.Run) (t terms, known bool) {
	top := r.Top()
	if real := safefile.Follow(top.Dir); o.parent == "" && filepath.Dir(real) != run.Root() {
		return terms{Agent: agentOf(runfolder.Read(r))}, false
	}
	if o.parent != "" || top.Dir == r.Dir {
		return ownTerms(r)
	}
	t, known = ownTerms(top)
	own, _ := ownTerms(r)
	t.Agent = own.Agent
	if real, err := filepath.EvalSymlinks(own.Dir); err == nil && t.Dir != "" &&
		confine.Under(real, t.Dir) {
		t.Dir = real
	}
	return t, known
}

// ownTerms returns the terms that a run's journal names. The model is the one that
// answered last, if none was named.
func ownTerms(r run.Run) (t terms, known bool) {
	i := runfolder.Read(r)
	e := gjson.ParseBytes(i.Begin)
	known = e.Get("options").IsObject() && json.Unmarshal([]byte(e.Get("options").Raw), &t) == nil
	if !known {
		t = terms{Agent: agentOf(i)}
		_ = json.Unmarshal([]byte(e.Get("limits").Raw), &t.Limits)
	}
	if _, err := os.Stat(i.Cwd); err == nil || i.Worktree == "" || t.Dir == "" {
		t.Dir = i.Cwd // and otherwise in a new work tree, made from the folder
	}
	if t.Model == "" && strings.Contains(i.Answered, "/") {
		t.Model = i.Answered
	}
	return t, known
}

// leaveOut takes away the paths in whose place a command of another run may have put a link.
func (t *terms) leaveOut(env *prog.Env) {
	for option, list := range map[string]*[]string{"write": &t.Write, "read": &t.Read,
		"socket": &t.Sockets} {
		*list = slices.DeleteFunc(*list, func(path string) bool {
			real, err := filepath.EvalSymlinks(path)
			if err != nil || real == path {
				return false
			}
			env.Warnf("--%s %q does not hold any more, since a link leads to %q now; name it again if "+
				"commands may use that", option, path, real)
			return true
		})
	}
}

// agentOf returns the agent that a run names, "" for a session of ua-shell.
func agentOf(i *runfolder.Info) string {
	if i.Agent == "shell" {
		return ""
	}
	return i.Agent
}

// record returns the terms as the run event has them.
func (o *options) record() []byte {
	t := o.terms
	t.Dir = o.workspace
	for _, list := range []*[]string{&t.Write, &t.Read, &t.Sockets} {
		*list = slices.Clone(*list)
		for i, path := range *list {
			if !filepath.IsAbs(path) {
				path = filepath.Join(t.Dir, path)
			}
			if real, err := filepath.EvalSymlinks(path); err == nil {
				path = real // without links, so that a run which goes on sees new ones
			}
			(*list)[i] = path
		}
	}
	b, err := json.Marshal(t)
	if err != nil {
		return []byte("{}")
	}
	return b
}

// changedTerms returns a line for each term that options have changed.
func changedTerms(was, now terms) (lines []string) {
	before, after := was.texts(), now.texts()
	all := maps.Clone(before)
	maps.Copy(all, after)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		b, a := before[name], after[name]
		option := "--" + strings.ReplaceAll(name, "_", "-")
		switch {
		case a == b:
			continue
		case a == "":
			option = "--no-" + name
		case name == "try" && a == string(config.TryAtomic):
			option = "--atomic"
		}
		line := fmt.Sprintf("%s: %s, by %s", strings.ReplaceAll(name, "_", " "),
			cmp.Or(a, "off"), option)
		if b != "" && a != "" {
			line += " (it was " + b + ")"
		}
		lines = append(lines, line)
	}
	return lines
}

// texts returns the terms that are set, as a person writes them, by their names.
func (t terms) texts() map[string]string {
	list := map[string]string{}
	b, err := json.Marshal(t)
	if err != nil {
		return nil
	}
	gjson.ParseBytes(b).ForEach(func(name, value gjson.Result) bool {
		var words []string
		for _, item := range value.Array() { // of a value that is no array: itself
			words = append(words, item.String())
		}
		text := strings.Join(words, " ")
		if value.Type == gjson.True {
			text = "on"
		}
		list[name.Str] = text
		return true
	})
	return list
}
