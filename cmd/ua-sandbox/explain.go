package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"ua/cmd/ua-sandbox/internal/access"
	"ua/cmd/ua-sandbox/internal/proxy"
	"ua/internal/common/prog"
	"ua/internal/common/verdict"
)

// An explanation is the output of --explain: policy and environment.
type explanation struct {
	*access.Policy
	// git folders that are seen through an overlay
	Repositories []string `json:"repositories,omitempty"`
	Hosts        []string `json:"hosts,omitempty"` // the proxy's, presets resolved
	Env          []string `json:"env"`             // names that are passed
	Withheld     []string `json:"withheld"`        // names that are not
}

// explain prints the policy that the options lead to in this folder. It resolves it as a
// run does, and starts nothing.
func explain(env *prog.Env, o *options) error {
	p, err := resolve(o)
	if err != nil {
		return err
	}
	repositories := p.GitFolders()
	p = p.Covered(repositories)
	e := explanation{Policy: p, Repositories: repositories}
	if p.Network == access.NetProxy {
		hosts, err := proxy.ParseAllowlist(p.Allow)
		if err != nil {
			return usage("--net-allow: %w", err)
		}
		e.Hosts = hosts.Hosts()
	}
	passed, withheld := o.environ()
	for _, kv := range passed {
		e.Env = append(e.Env, name(kv))
	}
	e.Withheld = withheld
	slices.Sort(e.Env)
	if !o.json {
		err = e.print(env.Out())
	} else {
		enc := json.NewEncoder(env.Out())
		enc.SetEscapeHTML(false)
		err = enc.Encode(e)
	}
	if err != nil {
		return prog.Errorf(prog.Trouble, "%w", err) // nothing was to be run
	}
	return nil
}

// print writes the explanation for a person, one paragraph for each subject.
func (e explanation) print(w io.Writer) error {
	var b strings.Builder
	row := func(subject string, list ...string) {
		if len(list) == 0 {
			list = []string{"nothing"}
		}
		fmt.Fprintf(&b, "%-9s %s\n", subject, strings.Join(list, "\n          "))
	}
	row("profile", string(e.Profile))
	row("cwd", e.Dir)
	if e.Tier == access.Auto {
		row("tier", "the highest that works (--probe)")
	} else {
		row("tier", fmt.Sprint(e.Tier))
	}
	write := slices.Clone(e.Write)
	if e.Profile != verdict.ProfileNone {
		write = append(write, "$TMPDIR, seen as /tmp and /var/tmp: "+e.tmp())
	}
	row("write", write...)
	if len(e.Protect) > 0 {
		row("protected", e.Protect...)
	}
	if len(e.Repositories) > 0 {
		row("git", e.Repositories...)
	}
	var hidden []string
	for _, m := range e.Masks {
		hidden = append(hidden, m.Path)
	}
	row("hidden", hidden...)
	row("network", e.network())
	row("limits", e.limits()...)
	row("env", strings.Join(e.Env, " "))
	row("withheld", strings.Join(e.Withheld, " "))
	_, err := io.WriteString(w, b.String())
	return err
}

// tmp says where TMPDIR is kept.
func (e explanation) tmp() string {
	switch {
	case e.Tmp.Memory:
		return "in memory"
	case e.Tmp.Dir != "":
		return e.Tmp.Dir
	}
	return "a folder that is removed at the end"
}

// network says how far the network reaches.
func (e explanation) network() string {
	switch e.Network {
	case access.NetHost:
		return "this machine's"
	case access.NetProxy:
		if len(e.Hosts) == 0 {
			return "a loopback of its own, and a proxy to no host"
		}
		return "a loopback of its own, and a proxy to\n          " + strings.Join(e.Hosts,
			"\n          ")
	}
	return "a loopback of its own"
}

// limits returns the limits that are set.
func (e explanation) limits() (list []string) {
	for _, l := range []struct {
		name  string
		value uint64
	}{{"mem", uint64(e.Limits.Mem)}, {"cpu", uint64(e.Limits.CPU)}, {"pids", e.Limits.Pids},
		{"fsize", uint64(e.Limits.Fsize)}} {
		if l.value != 0 {
			list = append(list, fmt.Sprintf("%s %d", l.name, l.value))
		}
	}
	return list
}
