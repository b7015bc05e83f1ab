package code

// globCalls writes Dir[…] of Ruby, which lists files, as the call that it stands for.
func globCalls(l language, tokens []token) []token {
	if l.name != "ruby" {
		return tokens
	}
	var out []token
	depth, ends := 0, map[int]bool{}
	for i, t := range tokens {
		switch {
		case t.is("[") && t.glued && i > 0 && tokens[i-1].kind == word && tokens[i-1].text == "Dir":
			ends[depth] = true
			depth++
			out = append(out, token{kind: mark, text: ".", glued: true},
				token{kind: word, text: "glob", glued: true}, token{kind: mark, text: "(", glued: true})
			continue
		case t.is("["):
			depth++
		case t.is("]"):
			if depth--; ends[depth] {
				delete(ends, depth)
				t.text = ")"
			}
		}
		out = append(out, t)
	}
	return out
}
