package code

import "strings"

// odd notes calls for which there is no name: x[k](…) where any function can be reached
// that way, and &$f in Perl.
func (r *reader) odd(i int) {
	t := r.at[i]
	called := i+1 < len(r.at) && r.at[i+1].is("(") && r.at[i+1].glued
	switch r.lang.name {
	case "node":
		if t.is("{") && i > 0 && r.at[i-1].is("(") {
			r.nodeParts(i) // ({a: b} = require("m"))
		}
		if t.is("]") && called && r.computed(i) {
			r.act(Unknown, "[…]()")
		}
		if t.is("$") && i+1 < len(r.at) && r.at[i+1].kind == str {
			r.act(Unknown, "$`…`")
		}
	case "perl":
		if t.is("&") && i+1 < len(r.at) && (r.at[i+1].is("{") ||
			strings.HasPrefix(r.at[i+1].text, "$")) {
			r.act(Unknown, "&{…}")
		}
		if t.is("->") && i+1 < len(r.at) && strings.HasPrefix(r.at[i+1].text, "$") {
			r.act(Unknown, "->$…")
		}
		if t.is("*") && i+1 < len(r.at) && r.at[i+1].is("{") {
			r.act(Unknown, "*{…}")
		}
	}
}

// computed reports whether the bracket that closes at i picks a member, but by no number.
func (r *reader) computed(i int) bool {
	open := r.opening(i)
	if open <= 0 {
		return false
	}
	before := r.at[open-1]
	if !r.at[open].glued || before.kind == mark && !before.is(")") && !before.is("]") &&
		!before.is("}") {
		return false // a list
	}
	return i-open != 2 || r.at[open+1].kind != number
}
