package code

// prologCalls reports whether a predicate of Prolog calls what a variable holds: then a name that
// was put together may be called.
func (r *reader) prologCalls(full string, args [][]token) bool {
	goal := -1
	switch {
	case has(" call maplist foldl include exclude partition once ignore forall not catch apply "+
		"call_cleanup setup_call_cleanup ", full):
		goal = 0
	case has(" findall bagof setof aggregate_all findnsols ", full):
		goal = 1
	}
	if goal < 0 || goal >= len(args) || len(args[goal]) != 1 {
		return false
	}
	t := args[goal][0]
	return t.kind == word && (t.text[0] == '_' || t.text[0] >= 'A' && t.text[0] <= 'Z')
}

// prologOpen is open of Prolog, which reads where its second argument says so.
func (r *reader) prologOpen(full string, args [][]token) {
	kind := Write
	if len(args) > 1 && len(args[1]) == 1 && args[1][0].text == "read" {
		kind = Read
	}
	r.act(kind, full, r.argument(args, 0))
}
