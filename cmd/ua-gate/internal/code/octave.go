package code

import "strings"

// octaveCalls reports whether a function of Octave calls another by a text that is put together,
// or is one of its own inner functions.
func (r *reader) octaveCalls(full string, args [][]token) bool {
	if strings.HasPrefix(full, "__") {
		return true
	}
	if !has(" cellfun arrayfun structfun bsxfun spfun fzero fminsearch fminunc fminbnd "+
		"fsolve quad quadv quadl quadgk quadcc integral integral2 integral3 dblquad ode45 ode23 ode15s "+
		"lsode dassl daspk nthargout pararrayfun parcellfun ",
		full) || len(args) == 0 || len(args[0]) == 0 || args[0][0].is("@") {
		return false
	}
	of := args[0]
	if full == "nthargout" && len(args) > 1 {
		of = args[1]
	}
	if len(of) == 1 && of[0].kind == str {
		return r.grave(of[0].text)
	}
	if len(of) == 1 && of[0].kind == word {
		text, set := r.vars[of[0].text]
		return set && !strings.HasPrefix(text, Hole) && text != "" ||
			set && !r.handle(of[0].text)
	}
	return true
}

// handle reports whether a variable of Octave is set to a function, @f or @(x) ….
func (r *reader) handle(name string) bool {
	for _, k := range indexes(r.at, name) {
		if k+2 < len(r.at) && r.at[k+1].is("=") && r.at[k+2].is("@") {
			return true
		}
	}
	return false
}

// mildPackage reports whether pkg of Octave loads or lists packages that are installed.
func (r *reader) mildPackage(next int) bool {
	if r.lang.name != "octave" || next >= len(r.at) {
		return false
	}
	verb := r.at[next]
	if verb.is("(") && next+1 < len(r.at) {
		verb = r.at[next+1]
	}
	return has(" load list describe unload ", verb.text)
}

// octaveWords notes the paths of a command that is given words and no arguments: save /etc/x.
func (r *reader) octaveWords(kind, full string, next int) {
	of := Read
	if kind == "write" {
		of = Write
	} else if kind != "read" {
		return
	}
	for _, path := range r.tclWords(next) {
		if strings.ContainsAny(path, "/~") {
			r.act(of, full, path)
		}
	}
}
