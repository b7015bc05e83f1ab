package classify

// temporary reports whether the word is the very name that mktemp has given.
func temporary(wd word) bool {
	return wd.from&fromTemp != 0 && !wd.maybe && wd.text == "/tmp/"+hole
}

// removes is rm of what mktemp has made: nothing else is lost.
func (a *argv) removes() {
	for _, o := range a.operands {
		if !temporary(o) && (o.text != "" || !o.known()) {
			return
		}
	}
	if len(a.operands) > 0 {
		a.base, a.why = write, "deletes what mktemp has made"
	}
}

// mktemp says where the new file is, if nothing tells it otherwise.
func (a *argv) mktemp() {
	if len(a.operands) == 0 && !a.flagged("-p", "--tmpdir", "-t") {
		a.printed, a.known = "/tmp/"+hole, true
		a.out |= fromTemp
	}
}
