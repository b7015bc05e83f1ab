package classify

import "strings"

// commandOf returns the command that a function of Perl's ExtUtils::Command is.
func commandOf(name string) string {
	switch name {
	case "rm_rf":
		return "rm -rf"
	case "rm_f":
		return "rm -f"
	case "mkpath":
		return "mkdir -p"
	case "mv", "cp", "touch", "cat", "chmod":
		return name
	}
	return ""
}

// inPlace is perl and ruby, whose operands are written with -i.
func (a *argv) inPlace() {
	call, _ := a.value("-e")
	module, _ := a.value("-M")
	if strings.HasPrefix(module.text, "ExtUtils::Command") && commandOf(call.text) != "" {
		var words []word
		for field := range strings.FieldsSeq(commandOf(call.text)) {
			words = append(words, lit(field))
		}
		a.w.run(append(words, a.operands...), a.in, a.sc, &a.p.Parts)
	}
	if a.flagged("-c") && len(a.operands) > 0 {
		a.plug(a.name+" -c", a.operands[0]) // its BEGIN blocks run
	}
	for _, u := range a.used {
		if u.name != "-M" && u.name != "-m" || !strings.Contains(u.val.text, "lib") {
			continue
		}
		for piece := range strings.FieldsFuncSeq(u.val.text, partsPlaces) {
			if dir := strings.Trim(piece, "()qw "); a.w.foreignPlace(dir, a.sc) {
				a.p.raise(destructive, a.name+" -Mlib", a.name+" runs code from "+show(dir))
			}
		}
	}
	if !a.flagged("-i") {
		return
	}
	for _, o := range a.operands {
		a.writes(a.name+" -i", o)
		a.w.overwrites(a.p, o, a.sc)
	}
}

// roff is a formatter of manuals: its input names other files.
func (a *argv) roff() {
	if !a.in.known {
		return
	}
	for line := range strings.Lines(a.in.text) {
		fields := strings.Fields(line)
		if len(fields) > 1 && inList(" .so .mso .nx .psbb .cf .trf ", fields[0]) {
			a.reads(lit(fields[1]))
		}
	}
}

// phpSettings are those of -d: some name files whose code runs.
func (a *argv) phpSettings() {
	for _, u := range a.used {
		key, val, _ := strings.Cut(strings.ToLower(u.val.text), "=")
		if u.name != "-d" && u.name != "--define" {
			continue
		}
		for _, runs := range []string{"prepend", "append", "extension", "preload", "sendmail",
			"include_path", "user_ini", "unserialize_callback"} {
			if strings.Contains(key, runs) && val != "" && val != "off" && val != "0" {
				a.p.raise(destructive, "php -d", "php runs what the setting "+show(u.val.text)+" names")
			}
		}
	}
}
