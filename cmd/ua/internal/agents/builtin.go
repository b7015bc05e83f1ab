package agents

import (
	_ "embed" // what the built-in definitions tell the model
	"strings"
)

// The bodies of the built-in definitions, which join the system prompt.
var (
	//go:embed builtin/desktop.md
	desktop string
	//go:embed builtin/explore.md
	explore string
	//go:embed builtin/general.md
	general string
	//go:embed builtin/plan.md
	plan string
)

// builtins returns the built-in definitions. They are Go values and not YAML because
// every run tells its model which agents there are: parsing them would cost each run
// time, and most runs have no other definitions to read.
func builtins() Catalog {
	no := false
	c := Catalog{}
	for _, d := range []Definition{{
		Name:          "desktop",
		Description:   "sees a screen and drives it by scrot, xdotool and tesseract",
		Tools:         []string{"read", "glob", "grep", "edit", "write", "bash"},
		Permissions:   "accept_edits",
		Judge:         "destructive",
		Delegate:      &no,
		MaxIterations: 60,
		Body:          desktop,
	}, {
		Name:          "explore",
		Description:   "looks through files fast and reports, and changes nothing",
		Model:         "cheap",
		Tools:         []string{"read", "glob", "grep"},
		Permissions:   "plan",
		Delegate:      &no,
		MaxIterations: 30,
		Body:          explore,
	}, {
		Name:        "general",
		Description: "does a whole task of several steps, with everything its parent may do",
		Permissions: "trusted",
		Body:        general,
	}, {
		Name:        "plan",
		Description: "analyses a task and writes a plan to .ua/plans, and changes nothing else",
		Permissions: "plan",
		Mode:        "plan_and_solve",
		Delegate:    &no,
		Body:        plan,
	}} {
		d.Body, d.Source, d.Path = strings.TrimSpace(d.Body), "built-in", d.Name+".md"
		c[d.Name] = d
	}
	return c
}
