package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"ua/cmd/ua-sandbox/internal/access"
	"ua/cmd/ua-sandbox/internal/initprocess"
	"ua/cmd/ua-sandbox/internal/plan"
	"ua/internal/common/confine"
	"ua/internal/common/prog"
	"ua/internal/common/verdict"
)

// A finding says whether one layer works here.
type finding struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail,omitempty"`
}

// findings is the output of --probe.
type findings struct {
	Tier   int       `json:"tier"` // the highest that works
	Layers []finding `json:"layers"`
	Hint   string    `json:"hint,omitempty"`
}

// probe says which layers work here, by trying them: each tier is built as for a command,
// and nothing runs in it.
func probe(env *prog.Env, asJSON bool) error {
	var f findings
	for _, l := range []struct {
		tier int
		name string
	}{{3, "namespaces"}, {4, "pid namespace with its /proc"}} {
		switch r := try(l.tier); {
		case f.add(l.name, r):
			f.Tier = l.tier
		case f.Hint == "":
			f.Hint = mend(r)
		}
	}
	f.landlock()
	if f.add("seccomp", try(1)) && f.Tier == 0 {
		f.Tier = 1
	}
	// Tier 2 needs Landlock and no namespaces, so nothing else has to be tried.
	if confine.ABI() > 0 && f.Tier == 1 {
		f.Tier = 2
	}
	if asJSON {
		return json.NewEncoder(env.Out()).Encode(f)
	}
	for _, l := range f.Layers {
		word := "no"
		if l.OK {
			word = "yes"
		}
		env.Outf("%s\n", strings.TrimSpace(fmt.Sprintf("%-30s %-3s %s", l.Name, word, l.Detail)))
	}
	env.Printf("tier %d\n", f.Tier)
	if f.Hint != "" {
		env.Outf("hint: %s\n", f.Hint)
	}
	return nil
}

// add adds the finding about a layer, and reports whether it works.
func (f *findings) add(name string, r *initprocess.Refused) bool {
	found := finding{Name: name, OK: r == nil}
	if r != nil {
		found.Detail = strings.TrimPrefix(r.Error(), "namespaces: ")
	}
	f.Layers = append(f.Layers, found)
	return r == nil
}

// landlock adds what the kernel's Landlock can do, by its ABI version (landlock(7)).
func (f *findings) landlock() {
	abi := confine.ABI()
	knows := []string{"files"}
	for _, k := range []struct {
		abi  int
		what string
	}{{2, "moves between folders"}, {3, "truncate"}, {4, "TCP"}, {5, "device ioctl"}, {6, "scopes"},
		{9, "Unix sockets"}, {10, "UDP"}} {
		if abi >= k.abi {
			knows = append(knows, k.what)
		}
	}
	detail := "the kernel has none"
	if abi > 0 {
		detail = fmt.Sprintf("ABI %d: %s", abi, strings.Join(knows, ", "))
	}
	f.Layers = append(f.Layers, finding{"landlock", abi > 0, detail})
}

// try builds all layers of a tier, and returns the first that was refused, or nil.
func try(tier int) *initprocess.Refused {
	p := &access.Policy{Profile: verdict.ProfileReadOnly, Dir: "/", Home: "/",
		Network: access.NetOwn}
	init := initprocess.Start(initprocess.Terms{Profile: p.Profile, Files: [3]uintptr{0, 1, 2},
		Command: []string{"true"}}, tier)
	pl := plan.New(p, tier, "true", os.TempDir(), []string{"PATH=/usr/bin:/bin"})
	pl.Check = true
	err := init.Launch(pl, nil)
	var r *initprocess.Refused
	switch {
	case err == nil:
		init.Reap()
		return nil
	case errors.As(err, &r):
		return r
	}
	return &initprocess.Refused{Step: "init", Err: err}
}
