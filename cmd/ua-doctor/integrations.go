package main

import (
	"context"
	"os/exec"
	"strings"

	"ua/internal/common/config"
	"ua/internal/common/prog"
	"ua/internal/common/style"
)

// servers checks the MCP servers of the settings. It starts none.
func servers(context.Context) []Check {
	var s struct {
		MCP config.Servers `toml:"mcp"`
	}
	// What is wrong with the settings themselves another check says.
	if err := config.Load(&s); err != nil || len(s.MCP) == 0 || s.MCP.Check("") != nil {
		return nil
	}
	for _, name := range s.MCP.Names() {
		if command := s.MCP[name].Command; len(command) > 0 {
			if _, err := exec.LookPath(config.Expand(command[0])); err != nil {
				return []Check{{"mcp", Warned, name + ": " + err.Error(), "install it, or mend [mcp." + name +
					"] in the settings"}}
			}
		}
		if _, err := exec.LookPath(name); err == nil {
			return []Check{{"mcp", Warned, name + " is already a program, so runs skip this server",
				"give [mcp." + name + "] another name"}}
		}
	}
	if prog.Sibling("ua-mcp") == "" {
		return []Check{{"mcp", Failed, "ua-mcp not found", "make install puts it beside ua"}}
	}
	return []Check{{"mcp", OK, strings.Join(s.MCP.Names(), ", "), ""}}
}

// doors says where the programs are by which editors and other agents come in.
func doors(context.Context) (list []Check) {
	for _, d := range [][2]string{{"editors", "ua-acp"}, {"other agents", "ua-record"}} {
		if path := prog.Sibling(d[1]); path != "" {
			list = append(list, Check{d[0], OK, path, ""})
		} else {
			list = append(list, Check{d[0], Warned, d[1] + " not found", "make install puts it beside ua"})
		}
	}
	return list
}

// skills counts the skills for work in this folder, and says what is wrong with the first.
func skills(ctx context.Context) []Check {
	out, said, err := ask(ctx, "ua", "skills", "--json")
	wrong, _, _ := strings.Cut(said, "\n")
	if _, wrong, _ = strings.Cut(wrong, ": "); err != nil || wrong != "" {
		return []Check{{"skills", Warned, wrong, "ua skills says all that is wrong"}}
	}
	return []Check{{"skills", OK, style.Plural(int64(strings.Count(string(out), "\n")), "skill"), ""}}
}
