package classify

import (
	"path"
	"slices"
	"strings"

	"ua/cmd/ua-gate/internal/code"
	"ua/internal/common/verdict"
)

// readVim reads a command of an editor: moving, showing, substituting and saving
// are known; all else may run programs.
func readVim(a *argv, text string) (verdict.Level, string) {
	level, why := readOnly, ""
	for _, m := range dollarName.all(text) { // echo $NAME
		if holdsSecret(m[1]) {
			level, why = destructive, "reads the secret variable "+m[1]
		}
	}
	a.variablesIn(text)
	for line := range strings.FieldsFuncSeq(text, func(r rune) bool {
		return r == '\n' ||
			r == '|'
	}) {
		l, w := exCommand(strings.TrimLeft(line, ": \t"))
		if l > level {
			level, why = l, w
		}
	}
	return level, why
}

// exCommand returns the level of a command of ex or vim, and why. A command that is not
// known may run programs.
func exCommand(text string) (verdict.Level, string) {
	text = strings.TrimSpace(text)
	for _, quit := range []string{"q", "q!", "qa", "qa!", "quit", "version", "noh", "syntax on",
		"syntax off", "p", "=", "%p", "%print"} {
		if text == quit {
			return readOnly, ""
		}
	}
	// The range of lines before a command changes nothing about what it does.
	command := strings.TrimLeft(text, "0123456789$.,%'+- ")
	switch {
	case strings.HasPrefix(command, "call assert_") &&
		vimSays(command[strings.IndexByte(command, '(')+1:]):
		return readOnly, ""
	case strings.HasPrefix(command, "echo ") && vimSays(command[len("echo "):]):
		return readOnly, ""
	case strings.HasPrefix(command, "lua ") && vimLua(command[len("lua "):]):
		return readOnly, ""
	case vimLoads.match(command):
		return buildTest, "loads the project's plugin"
	case strings.HasPrefix(command, "Vader"), strings.HasPrefix(command, "PlenaryBusted"):
		return buildTest, "runs the project's tests"
	case command == "" || strings.HasPrefix(text, "/"), strings.HasPrefix(text, "set ") &&
		!strings.Contains(text, "="):
		return readOnly, ""
	case command == "w" || command == "wq" || command == "wq!" || command == "wqa" ||
		command == "x" || command == "wa" || command == "w!" || command == "x!":
		return write, "saves the file"
	// Keys: those of : and ! and of a register's expression leave the text.
	case strings.HasPrefix(command, "normal ") || strings.HasPrefix(command, "norm "):
		if !strings.ContainsAny(command, ":!\x12=") {
			return write, "changes the file"
		}
	case command == "d" || command == "retab" || command == "sort" || command == "j":
		return write, "changes the file"
	// s/A/B/, g/A/COMMAND and v/A/COMMAND. A replacement that begins with \= is evaluated.
	case len(command) > 1 && (command[0] == 's' || strings.HasPrefix(command, "g") ||
		command[0] == 'v') && strings.IndexByte("/#,@", command[1]) >= 0:
		if strings.Contains(command, `\=`) {
			break
		}
		if command[0] == 's' {
			return write, "changes the file"
		}
		parts := strings.Split(command[2:], command[1:2])
		if len(parts) == 2 || len(parts) > 2 && strings.HasPrefix(parts[1], "s") {
			return exCommand(strings.Join(parts[1:], command[1:2]))
		}
	}
	return destructive, "an editor's command may run programs"
}

// vimSays reports whether an expression of Vim calls nothing but functions that say something.
func vimSays(text string) bool {
	return !strings.ContainsAny(text, "`{") && !strings.Contains(text, "->") &&
		!slices.ContainsFunc(vimCall.all(text), func(m []string) bool {
			return !inList(" exists has len strlen line col bufname empty type join sort keys values "+
				"getline expand fnamemodify abs string toupper tolower ", m[1])
		})
}

// vimLua reports whether Lua in an editor calls nothing of the editor but what tells or computes.
func vimLua(text string) bool {
	acts, ok := code.Acts("lua", text)
	if !ok || len(acts) > 0 || strings.Contains(text, "\\") {
		return false
	}
	for _, m := range vimMember.all(text) {
		if !vimTells.match(m[0] + " ") {
			return false
		}
	}
	return true
}

var (
	vimMember = regex{text: `\b(?:vim|nvim|require|package|_G|_ENV)\b(?:\s*(?:[.:]\s*\w+|\[))*`}
	vimTells  = regex{text: `^vim\.(?:inspect|version|split|trim|startswith|endswith|deepcopy|` +
		`isempty|pesc|` +
		`tbl_\w+|list_\w+|json\.(?:decode|encode)|fn\.(?:has|exists|line|col|getline|bufname|strlen|` +
		`len|` +
		`getcwd|fnamemodify|stdpath|localtime|strftime)|api\.nvim_(?:get_current_(?:buf|line|win)|` +
		`buf_line_count|` +
		`buf_get_lines|list_bufs|get_mode)|v\.(?:version|progname)|(?:o|bo|wo|opt)\.\w+)\W*$`}
	vimCall = regex{text: `(\S?\w*)\s*\(`}
	// vimLoads finds the commands by which the folder of the project is a plugin.
	vimLoads = regex{text: `^(?:set (?:rtp|runtimepath)(?:\+=|\^=|=)\.(?:,\$VIMRUNTIME)?|` +
		`ru(?:ntime)?!? (?:\w[\w-]*/)*[\w-]+\.(?:vim|lua)|` +
		`packadd!? [\w.-]+|filetype plugin (?:indent )?on)$`}
)

// readEd reads a script of ed(1): lines of text end with a dot, and of the
// commands only !, e, f, r and w leave the buffer.
func readEd(a *argv, text string) (verdict.Level, string) {
	level, why, typing := readOnly, "", false
	raise := func(l verdict.Level, w string) {
		if l > level {
			level, why = l, w
		}
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if typing {
			typing = line != "."
			continue
		}
		command := strings.TrimLeft(line, "0123456789$.,;+- ")
		// Addresses before a command, /text/ or a mark, choose lines and do nothing.
		for command != "" && (command[0] == '/' || command[0] == '?' ||
			command[0] == '\'') { // an address
			if command[0] == '\'' {
				command = command[min(2, len(command)):]
			} else if _, rest, ok := strings.Cut(command[1:], command[:1]); ok {
				command = rest
			} else {
				return destructive, "a script of ed that is not understood"
			}
			command = strings.TrimLeft(command, "0123456789$.,;+- ")
		}
		if command == "" {
			continue
		}
		switch c := command[0]; {
		// r !PROGRAM and w !PROGRAM run it in place of a file.
		case strings.Contains(command, "!") && strings.IndexByte("!erwf", c) >= 0:
			raise(destructive, "ed runs "+show(strings.TrimLeft(command, "erwf !")))
		case c == '!' || c == 'g' && strings.Contains(command, "!"):
			raise(destructive, "ed runs programs")
		case c == 'a' || c == 'i' || c == 'c':
			typing = true
			raise(write, "changes the file")
		case c == 'w' || c == 'W' || c == 'r' || c == 'e' || c == 'f':
			file := strings.TrimLeft(strings.TrimLeft(command[1:], "q"), " ")
			if file != "" && (c == 'r' || c == 'e') {
				a.reads(lit(file))
			} else if file != "" {
				a.w.write(a.p, lit(file), a.sc)
			}
			if c == 'w' || c == 'W' {
				raise(write, "saves the file")
			}
		case strings.IndexByte("dgjkmnpqQstuvxyzlhH=P#", c) < 0:
			raise(destructive, "a script of ed that is not understood")
		}
	}
	return level, why
}

// editorInput is the rule for an editor whose commands come from its input.
func (a *argv) editorInput() {
	for _, u := range a.used {
		if (u.name == "-u" || u.name == "-U") && !inList(" NONE NORC DEFAULTS ", u.val.text) &&
			!a.projectTest(u.val) {
			a.p.add(runsHidden, a.name+" "+u.name,
				a.name+" runs the commands in "+show(u.val.text))
		}
	}
	for _, u := range a.used {
		if u.name != "-S" && u.name != "-l" {
			continue
		}
		switch end := path.Ext(u.val.text); {
		case a.w.hasWritten(u.val, a.sc):
			a.scriptFile(u.val)
		case (end == ".vim" || end == ".lua") && (a.projectTest(u.val) || a.ownProgram(u.val)):
			a.p.add(runsOwn, a.name+" "+u.name, a.name+" runs "+show(u.val.text))
		default:
			a.p.add(runsHidden, a.name+" "+u.name, a.name+" runs the commands in "+show(u.val.text))
		}
	}
	if a.p.Level >= write && slices.ContainsFunc(a.used,
		func(u use) bool { return u.value == isCode }) {
		for _, o := range a.operands { // its commands save what they have changed
			a.w.write(a.p, o, a.sc)
			a.w.overwrites(a.p, o, a.sc)
		}
	}
	if a.base == write && len(a.operands) == 0 && a.flagged("--headless", "-es", "-Es") &&
		!a.in.open {
		a.base = buildTest // it has no file to save, and its commands are judged
	}
	if a.in.open && (a.row.reader == "ed" || a.name == "ex" || a.flagged("-es", "-Es")) {
		a.stdinCode()
	} else if a.in.open && strings.Contains(a.in.text, "!") && a.row.name == "vi" {
		a.p.add(runsHidden, a.name, a.name+" may run what is typed into it")
	}
}
