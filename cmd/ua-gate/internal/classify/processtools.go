package classify

// printsVariables reports whether a command prints all variables, which in a container
// are secrets more often than not: nobody has filtered them.
func printsVariables(p *Part) bool {
	if (p.Row == "env" || p.Row == "printenv" || p.Row == "export" || p.Row == "set" ||
		p.Row == "declare") && len(p.Words) == 1 {
		return true
	}
	for i := range p.Parts {
		if printsVariables(&p.Parts[i]) {
			return true
		}
	}
	return false
}
