package classify

// onlyExec reports whether the words are exec without a command: the shell's own
// descriptors become those of its redirections (bash(1), SHELL BUILTIN COMMANDS).
func onlyExec(words []word) bool {
	found := false
	for _, wd := range words {
		switch wd.text {
		case "exec":
			found = true
		case "command", "builtin", "--":
		default:
			return false
		}
	}
	return found
}

// readsOn judges the new standard input of a shell that reads its script from there: what
// it runs next.
func (w *walker) readsOn(p *Part, in stream, sc *scope) {
	if in.known {
		w.text(in.text, stream{}, sc, &p.Parts)
	}
	if !in.known || !in.here {
		w.scriptInput(p, in, "exec")
	}
}
