package main

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ua/cmd/ua-gate/internal/classify"
	"ua/cmd/ua-gate/internal/judgement"
	"ua/internal/common/confine"
	"ua/internal/common/regular"
	"ua/internal/common/verdict"
	"ua/internal/common/xdg"
)

// writes returns the folders of places outside the workspace that a part writes, which its yes
// has to open, since the sandbox refuses them otherwise. A place that can't be opened is said in
// why.
func writes(p *classify.Part) (list []string, why string) {
	inPlace := slices.ContainsFunc(p.Effects,
		func(e judgement.Effect) bool { return strings.HasSuffix(e.How, " -i") })
	for _, path := range p.Outside {
		folder, cannot := holder(path)
		if p.Name == "mv" && folder == path {
			folder = filepath.Dir(path) // a folder that is moved is an entry of this one
		}
		if info, err := os.Stat(folder); inPlace && err == nil && !info.IsDir() {
			cannot = p.Name + " -i makes a file anew beside itself, and of a home's hidden files only " +
				"the file is opened: write to it with >>, or do it yourself"
		}
		if cannot != "" {
			why = cannot
		} else if !slices.Contains(list, folder) {
			list = append(list, folder)
		}
	}
	return list, why
}

// needs returns what a part's yes has to grant, or says why a yes could not work.
func (g *gate) needs(p *classify.Part) (need verdict.Grant, why string) {
	need.Write, why = writes(p)
	if p.Level == verdict.Network {
		need.Host, why = g.reaches(p, why)
	}
	return need, cmp.Or(why, g.hides(p))
}

// hides says what the sandbox keeps from a part in spite of a yes, and the option that gives it:
// secrets, and what git runs or obeys. It is "" for nothing.
func (g *gate) hides(p *classify.Part) string {
	switch program, _, _ := strings.Cut(p.Name, " "); program {
	case "chown", "chgrp", "lchown":
		return "the sandbox has no other user, so a file gets no other owner there: do it yourself"
	case "docker", "podman", "nerdctl", "docker-compose", "podman-compose":
		return "no daemon of containers is reached from the sandbox: do it yourself"
	}
	under := func(list []string, path string) bool {
		return slices.ContainsFunc(list, func(open string) bool {
			return confine.Under(path, absolute(open))
		})
	}
	for _, path := range p.Secrets {
		switch word := tildes([]string{path})[0]; {
		case under(g.write, path):
		case slices.Contains(p.Outside, path):
			return "no yes opens a place of secrets for writing: do it yourself, or ua --write " + word
		case !under(g.read, path):
			return "the sandbox hides it from every command; ua --read " + word + " shows it"
		}
	}
	for _, e := range p.Effects {
		named := func(name string) bool { return strings.Contains(p.Text, name) }
		file := e.What
		if e.Act == judgement.RunsHidden && e.How == "git config" {
			file = ".git/config"
		}
		switch {
		case e.How == "env:secret" && !slices.ContainsFunc(g.variables, named):
			return "the sandbox keeps secret variables from every command; ua --env NAME passes one"
		case (e.Act == judgement.WritesGuarded || e.Act == judgement.RunsHidden) &&
			strings.Contains("/"+file, "/.git/") && !under(g.write, g.inFolder(file)):
			return "nothing that git runs or obeys is taken from a command: do it yourself, or " +
				"ua --write " + file
		}
	}
	return ""
}

// inFolder returns the path of a file as seen from the folder in which the calls run.
func (g *gate) inFolder(file string) string {
	if filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(absolute(g.cwd), file)
}

// absolute returns the path without links, if it is there.
func absolute(path string) string {
	path, _ = filepath.Abs(path)
	return regular.Follow(path)
}

// holder returns the folder that holds a path, or the nearest one that is there, without links.
// Programs make a file anew and rename it into its place, so the file alone would not do. What
// is hidden at the top of a home is granted by itself.
func holder(path string) (folder, why string) {
	home, _ := os.UserHomeDir()
	home, _ = filepath.EvalSymlinks(home)
	real, err := filepath.EvalSymlinks(path)
	info, err2 := os.Stat(real)
	switch hidden := strings.HasPrefix(filepath.Base(path), "."); {
	case err == nil && err2 == nil && (info.IsDir() || hidden && filepath.Dir(real) == home):
		path = real
	case hidden && filepath.Dir(path) == home:
		return "", "what is hidden in a home is opened only if it is there"
	default:
		path = filepath.Dir(path)
	}
	for at := path; ; at = filepath.Dir(at) {
		real, err := filepath.EvalSymlinks(at)
		if err != nil && at != "/" {
			continue
		}
		switch {
		case confine.Under(real, "/dev"), confine.Under(real, "/proc"), confine.Under(real, "/sys"):
			return "", "the sandbox has a " + real + " of its own"
		case real == "/", real != home && (within(xdg.Config(), real) || within(xdg.State(), real)):
			return "", "the folder " + tilde(real, home) + " is never opened to a command"
		}
		return real, ""
	}
}

// within reports whether one of two paths is within the other.
func within(a, b string) bool { return confine.Under(a, b) || confine.Under(b, a) }

// tilde shortens the home in a path.
func tilde(path, home string) string {
	if rest, ok := strings.CutPrefix(path, home); ok && home != "" && (rest == "" || rest[0] == '/') {
		return "~" + rest
	}
	return path
}

// tildes shortens the home in paths.
func tildes(paths []string) (list []string) {
	home, _ := os.UserHomeDir()
	home, _ = filepath.EvalSymlinks(home)
	for _, path := range paths {
		list = append(list, tilde(path, home))
	}
	return list
}

// opens works out what a yes to the question grants. Where the command runs in no sandbox of
// ours, or outside of it, nothing has to be. What can't be granted is not asked about.
func (g *gate) opens(q *question) {
	if g.unconfined || g.hooked || q.Decision != verdict.Ask {
		return
	}
	if q.Profile == verdict.ProfileNone {
		if g.live || g.try {
			q.decide(verdict.Deny, "level", q.Rule, q.Reason+", and nothing leaves the sandbox of a "+
				"try or around a shell: run it yourself, in another terminal")
		}
		return
	}
	for _, p := range q.open {
		more, why := g.needs(p)
		if why != "" && !q.Delegates {
			q.decide(verdict.Deny, "level", q.Rule, q.Reason+", and "+why)
			return
		}
		q.Grant = join(q.Grant, more)
	}
	var dirs, more []string
	for _, dir := range tildes(q.Grant.Write) {
		dirs = append(dirs, "--write "+dir)
	}
	for _, host := range q.Grant.Host {
		more = append(more, "--net-allow "+host)
	}
	way := ""
	switch {
	case g.try:
		dirs = append(dirs, more...)
		way = "a try can't be opened: ua " + strings.Join(dirs, " ") + ", or without --try"
	case g.live:
		way = "the sandbox around this shell can't be opened while it runs: exit, then ua-shell " +
			"--sandbox workspace " + strings.Join(dirs, " ")
	}
	if way != "" && len(dirs) > 0 {
		q.decide(verdict.Deny, "level", q.Rule, q.Reason+", and "+way)
	}
}

// join returns both grants together.
func join(a, b verdict.Grant) verdict.Grant {
	add := func(to, from []string) []string {
		return append(slices.Clip(to), slices.DeleteFunc(slices.Clone(from),
			func(s string) bool { return slices.Contains(to, s) })...)
	}
	return verdict.Grant{Write: add(a.Write, b.Write), Host: add(a.Host, b.Host)}
}

// lets returns in words what a yes opens to the command, "" for nothing.
func lets(g verdict.Grant) string {
	var list []string
	if len(g.Write) > 0 {
		list = append(list, "write in "+strings.Join(tildes(g.Write), ", "))
	}
	if len(g.Host) > 0 {
		list = append(list, "reach "+strings.Join(g.Host, ", "))
	}
	if len(list) == 0 {
		return ""
	}
	return "a yes lets it " + strings.Join(list, ", and ")
}

// both returns what is in both grants.
func both(a, b verdict.Grant) verdict.Grant {
	common := func(a, b []string) []string {
		return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return !slices.Contains(b, s) })
	}
	return verdict.Grant{Write: common(a.Write, b.Write), Host: common(a.Host, b.Host)}
}

// openable reports whether a part is asked about only because it writes in folders outside the
// workspace that can be opened to it.
func openable(p *classify.Part) bool {
	dirs, why := writes(p)
	return p.Row == "path:outside" && why == "" && len(dirs) > 0 && !p.Unread && !p.Held
}

// opened reports whether a part is free because all that it needs is held: the folders that it
// writes, or the hosts of a program that does nothing worse than talk to them. A kind that is
// granted needs its own.
func (g *gate) opened(p *classify.Part) (need verdict.Grant, ok bool) {
	if g.unconfined || g.hooked {
		return need, g.granted.part(p)
	}
	if len(g.granted) == 0 || p.Unread || p.Held {
		return need, false
	}
	need, why := g.needs(p)
	switch {
	case why != "" || !g.granted.holds("write", need.Write):
		return need, false
	case g.granted.part(p):
		return need, g.granted.holds("host", need.Host) || g.granted.holds(kind(p), need.Host)
	}
	return need, !need.Empty() && g.granted.holds("host", need.Host) &&
		(openable(p) || p.Level == verdict.Network && !besideProgram(p))
}

// hold remembers folders, or hosts for all programs or for a kind of them, for as long as the
// gate runs.
func (g grants) hold(what string, list []string) {
	for _, s := range list {
		g[what+"\x00"+s] = verdict.Denied
	}
}

// holds reports whether all of them are held.
func (g grants) holds(what string, list []string) bool {
	return !slices.ContainsFunc(list, func(s string) bool {
		_, ok := g[what+"\x00"+s]
		return !ok
	})
}
