package classify

import "strings"

// cmake has tools of its own behind -E: those of these names read or write, and
// any other word is a program.
func (a *argv) cmake() {
	for _, o := range a.operands {
		if strings.HasPrefix(o.text, "SHELL=") {
			a.p.raise(destructive, "cmake SHELL=", "make runs "+show(o.text))
		}
	}
	if target, ok := a.value("--target", "-t"); ok {
		a.task(target.text)
	}
	if len(a.rest) == 0 {
		return
	}
	switch a.rest[0].text {
	case "chdir":
		if len(a.rest) > 2 {
			a.sc = a.sc.sub()
			a.sc.cd(a.rest[1])
			a.rest = a.rest[2:]
		}
	case "capabilities", "compare_files", "echo", "echo_append", "environment", "md5sum", "sha1sum",
		"sha256sum", "sha512sum", "sleep", "true", "false":
		a.base, a.rest = readOnly, nil
	case "copy", "copy_if_different", "copy_directory", "create_symlink", "create_hardlink",
		"make_directory", "touch", "touch_nocreate", "rename":
		for _, wd := range a.rest[1:] {
			a.writes("cmake -E", wd)
		}
		a.w.overwrites(a.p, a.rest[len(a.rest)-1], a.sc)
		if a.rest[0].text == "rename" && len(a.rest) > 1 {
			a.w.overwrites(a.p, a.rest[1], a.sc)
		}
		a.rest = nil
	}
}

// dashboard is ctest, some of whose actions send their results.
func (a *argv) dashboard() {
	for _, u := range a.used {
		if inList(" -T --test-action -M --test-model -D --dashboard ", u.name) &&
			u.val.text != "Test" {
			a.p.raise(network, a.name+" "+u.name, a.name+" may send results to a dashboard")
		}
	}
}

// ninja's tools only look, but for those that delete or rewrite what was built.
func (a *argv) ninja() {
	if tool, ok := a.value("-t"); ok {
		if inList(" clean cleandead restat recompact ", tool.text) || !tool.plain() {
			a.p.raise(write, a.name+" -t", a.name+" -t "+show(tool.text)+" changes what was built")
		}
	}
	a.targets()
}
