// Package grant says what a yes to a question opens of the sandbox, and what a person has allowed
// for as long as the gate runs.
package grant

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"ua/cmd/ua-gate/internal/finding"
	"ua/cmd/ua-gate/internal/judgement"
	"ua/cmd/ua-gate/internal/policy"
	"ua/internal/common/confine"
	"ua/internal/common/verdict"
)

// A Sandbox is what is around the commands, as far as options have opened it.
type Sandbox struct {
	Cwd              string
	Write, Read      []string // paths
	Variables, Hosts []string
	Try, Live        bool // in a try, around a shell as a whole
	None             bool // there is none of ours
}

// Needs returns what a part's yes has to grant, or says why a yes could not work.
func (s *Sandbox) Needs(p *finding.Part) (need verdict.Grant, why string) {
	need.Write, why = writes(p)
	if p.Level == verdict.Network {
		need.Host, why = s.reaches(p, why)
	}
	return need, cmp.Or(why, s.hides(p))
}

// hides says what the sandbox keeps from a part in spite of a yes, and the option that gives it:
// secrets, and what git runs or obeys. It is "" for nothing.
func (s *Sandbox) hides(p *finding.Part) string {
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
		case under(s.Write, path):
		case slices.Contains(p.Outside, path):
			return "no yes opens a place of secrets for writing: do it yourself, or ua --write " + word
		case !under(s.Read, path):
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
		case e.How == "env:secret" && !slices.ContainsFunc(s.Variables, named):
			return "the sandbox keeps secret variables from every command; ua --env NAME passes one"
		case (e.Act == judgement.WritesGuarded || e.Act == judgement.RunsHidden) &&
			strings.Contains("/"+file, "/.git/") && !under(s.Write, s.inFolder(file)):
			return "nothing that git runs or obeys is taken from a command: do it yourself, or " +
				"ua --write " + file
		}
	}
	return ""
}

// inFolder returns the path of a file as seen from the folder in which the calls run.
func (s *Sandbox) inFolder(file string) string {
	if filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(absolute(s.Cwd), file)
}

// reaches returns the hosts that a part's yes has to open. The sandbox reaches hosts through a
// proxy alone, so what can be opened are those of web addresses and of git's remotes. A part that
// names none has only what the run is allowed, and if that can't help it, why says so.
func (s *Sandbox) reaches(p *finding.Part, why string) ([]string, string) {
	program, _, _ := strings.Cut(p.Name, " ")
	list, local := webHosts(p, program)
	if program == "git" && len(list) == 0 {
		list = remoteHosts(p, s.Cwd)
	}
	local = local || slices.ContainsFunc(list, here) || strings.Contains(p.Name, "serve")
	list = slices.DeleteFunc(list, func(h string) bool {
		return here(h) || slices.Contains(s.Hosts, h)
	})
	preset := slices.Contains(s.Hosts, "packages") && installs(p.Name)
	if program == "git" {
		if preset = slices.Contains(s.Hosts, "git"); preset && s.Try {
			list = nil
		}
	}
	own := func(h string) bool { return h != "packages" && h != "git" }
	if why == "" && len(list) == 0 && !local && !preset && !policy.BesideProgram(p) &&
		!slices.ContainsFunc(s.Hosts, own) {
		why = "names no web address or git remote that a yes could open: ua --net-allow HOST opens " +
			"a host"
	}
	return list, why
}

// Opens works out what a yes to a command's open parts grants beyond what is granted already.
// Where the command runs in no sandbox of ours, or outside of it, nothing has to be. What can't be
// granted is not asked about: why says so.
func (s *Sandbox) Opens(
	grant verdict.Grant, parts []*finding.Part, profile verdict.Profile, delegates bool,
) (verdict.Grant, string) {
	outside := profile == verdict.ProfileNone
	if s.None || outside && !s.Live && !s.Try {
		return grant, ""
	}
	if outside {
		return grant, "nothing leaves the sandbox of a try or around a shell: run it yourself, in " +
			"another terminal"
	}
	for _, p := range parts {
		more, why := s.Needs(p)
		if why != "" && !delegates {
			return grant, why
		}
		grant = Join(grant, more)
	}
	var dirs, more []string
	for _, dir := range tildes(grant.Write) {
		dirs = append(dirs, "--write "+dir)
	}
	for _, host := range grant.Host {
		more = append(more, "--net-allow "+host)
	}
	why := ""
	switch options := append(slices.Clip(dirs), more...); {
	case s.Try && len(options) > 0:
		why = "a try can't be opened: ua " + strings.Join(options, " ") + ", or without --try"
	case s.Live && !s.Try && len(dirs) > 0:
		why = "the sandbox around this shell can't be opened while it runs: exit, then ua-shell " +
			"--sandbox workspace " + strings.Join(dirs, " ")
	}
	return grant, why
}

// Join returns both grants together.
func Join(a, b verdict.Grant) verdict.Grant {
	add := func(to, from []string) []string {
		return append(slices.Clip(to), slices.DeleteFunc(slices.Clone(from),
			func(s string) bool { return slices.Contains(to, s) })...)
	}
	return verdict.Grant{Write: add(a.Write, b.Write), Host: add(a.Host, b.Host)}
}

// Words returns in words what a yes opens to the command, "" for nothing.
func Words(g verdict.Grant) string {
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

// Both returns what is in both grants.
func Both(a, b verdict.Grant) verdict.Grant {
	common := func(a, b []string) []string {
		return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return !slices.Contains(b, s) })
	}
	return verdict.Grant{Write: common(a.Write, b.Write), Host: common(a.Host, b.Host)}
}
