package code

// erlangOdd reports whether a call of Erlang at mark i, a colon, finds its module or its function
// by a value: M:delete(F), (list_to_atom("os")):cmd(C), file:F(A).
func (r *reader) erlangOdd(i int) bool {
	if !r.at[i].is(":") || i == 0 || i+1 >= len(r.at) || !r.at[i+1].glued {
		return false
	}
	before, after := r.at[i-1], r.at[i+1]
	return before.is(")") || before.kind == str || after.is("(") || after.kind == str ||
		before.kind == word && variableOfErlang(before.text) ||
		after.kind == word && variableOfErlang(after.text)
}

func variableOfErlang(name string) bool {
	return name[0] == '_' || name[0] >= 'A' && name[0] <= 'Z'
}

// erlangHands reports whether the name at i is that of a module which can do anything, as the
// first of three words that say what is called: spawn(os, cmd, ["id"]).
func (r *reader) erlangHands(i, next int) bool {
	return i > 0 && r.names.armed(r.at[i].text) && next+1 < len(r.at) && r.at[next].is(",") &&
		(r.at[next+1].kind == word || r.at[next+1].kind == str)
}
