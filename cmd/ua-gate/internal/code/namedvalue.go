package code

import "strings"

// constant reports whether the name, which is not called, is a value that a module of
// Python says about itself: ssl.OPENSSL_VERSION.
func (r *reader) constant(full string) bool {
	last := full[strings.LastIndexByte(full, '.')+1:]
	return r.lang.name == "python" && strings.Contains(full, ".") && len(last) > 2 &&
		strings.Trim(last, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_v0123456789") == ""
}

// toldAbout reports whether a name of Python, which is not called, is all that a function gets
// that tells about a function: inspect.getsource(requests.get).
func (r *reader) toldAbout(i, next int) bool {
	if r.lang.name != "python" || i < 2 || next >= len(r.at) || !r.at[i-1].is("(") ||
		!r.at[next].is(")") {
		return false
	}
	last := r.at[i-2].text
	name := last
	if i > 3 && r.at[i-3].is(".") {
		name = r.at[i-4].text + "." + last
	}
	for k, t := range r.at { // unless the code gives it another meaning
		if t.kind == word && t.text == last && k > 0 && r.at[k-1].text != "import" &&
			(k+1 < len(r.at) && !r.at[k+1].is("(") || has(" def class ", r.at[k-1].text)) {
			return false
		}
	}
	return has(tellers, r.resolve(name))
}

// tellers are functions of Python that tell about a function and don't call it.
const tellers = " help dir inspect.getsource inspect.getsourcelines inspect.isroutine " +
	"inspect.getsourcefile inspect.getfile inspect.getdoc inspect.getcomments inspect.signature " +
	"inspect.getmodule inspect.getfullargspec inspect.isfunction inspect.isclass "

// declares reports whether a text of JavaScript declares the name itself, as a value that
// comes from nothing listed: const got = lock.packages[name].
func (r *reader) declares(name string) bool {
	if _, imported := r.alias[name]; imported || r.lang.name != "node" {
		return false
	}
	found := false
	for k := 1; k+2 < len(r.at); k++ {
		if r.at[k].kind != word || r.at[k].text != name || !r.at[k+1].is("=") {
			continue
		}
		if !has(" const let var ", r.at[k-1].text) {
			return false // it is set anew
		}
		found = true
		for _, t := range r.at[k+2:] {
			if t.is(";") || has(" const let var if for return console ", t.text) {
				break
			}
			if t.kind == word && r.names.kind(r.resolve(t.text)) != "" || t.is("=>") {
				return false
			}
		}
	}
	return found
}
