package main

import (
	"cmp"
	"context"
	"fmt"
	"os/exec"
	"strings"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
)

// costs says what is lost when a layer is missing, by the name that ua-sandbox gives it.
var costs = map[string]string{
	"namespaces": "commands see the machine's processes, network and temporary " +
		"files",
	"pid namespace with its /proc": "commands see the machine's processes",
	"landlock":                     "only mounts protect files",
	"seccomp":                      "commands may use any system call",
}

// sandbox asks ua-sandbox which of its layers this system supports.
func sandbox(ctx context.Context) (list []Check) {
	out, said, err := ask(ctx, "ua-sandbox", "--probe", "--json")
	// The output decides, whatever the status is.
	if !event.ValidJSON(out) {
		return []Check{failed("sandbox", said+errorText(err), "ua-sandbox(1) describes the layers")}
	}
	tier := gjson.GetBytes(out, "tier").Int()
	c := Check{"sandbox", OK, fmt.Sprintf("tier %d of 4", tier), ""}
	switch {
	case tier == 0:
		c.State, c.Mend = Failed, "no layer works here: ua-sandbox --probe says why"
	case tier < 4:
		c.State, c.Mend = Warned,
			"ua --strict refuses to run commands below tier 3; ua-sandbox --probe says what to change"
	}
	list = append(list, c)
	gjson.GetBytes(out, "layers").ForEach(func(_, l gjson.Result) bool {
		name := l.Get("name").Str
		if l.Get("ok").Bool() {
			return true
		}
		cost := costs[name]
		if cost == "" {
			cost = "commands are confined less"
		}
		list = append(list, Check{"  " + name, Warned, "missing: " + cost, l.Get("detail").Str})
		return true
	})
	return list
}

// errorText returns an error as a line of ua-sandbox's, "" for nil.
func errorText(err error) string {
	if err == nil {
		return ""
	}
	return "ua-sandbox: " + err.Error() + "\n"
}

// shells looks for the shells that commands run in and that ua-shell supports.
func shells(context.Context) []Check {
	var found []string
	for _, name := range []string{"bash", "zsh", "fish"} {
		if _, err := exec.LookPath(name); err == nil {
			found = append(found, name)
		}
	}
	c := Check{"shells", OK, cmp.Or(strings.Join(found, ", "), "none on PATH"), ""}
	if len(found) == 0 || found[0] != "bash" {
		c.State, c.Mend = Warned, "without bash, for which models write, commands run in sh"
	}
	return []Check{c}
}

// desktop looks for the programs with which a model sees and controls a desktop. Nothing
// else needs them (ua(7), COMPUTER USE).
func desktop(context.Context) []Check {
	var found []string
	for _, name := range []string{"scrot", "import", "xdotool", "wmctrl", "xclip", "tesseract",
		"arecord", "espeak-ng",
		"screencapture", "cliclick", "osascript"} {
		if _, err := exec.LookPath(name); err == nil {
			found = append(found, name)
		}
	}
	if len(found) == 0 {
		found = []string{"no programs for screen, pointer or sound"}
	}
	return []Check{{"desktop", OK, strings.Join(found, ", "), ""}}
}
