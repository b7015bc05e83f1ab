package classify

// links notes where a new symbolic link leads.
func (a *argv) links() {
	if len(a.operands) == 2 && a.flagged("-s", "--symbolic") {
		name, target := a.w.at(a.operands[1].text, a.sc), a.w.at(a.operands[0].text, a.sc)
		a.w.links = append(a.w.links, link{name.abs, target.abs})
	}
}
