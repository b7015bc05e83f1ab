package secret

// chance reports whether a word is better explained by characters drawn at random than by
// words, numbers and signs: small letters, capitals and digits take turns in it. A capital
// that begins a word is no turn.
func chance(word string) bool {
	turns, kinds, digits := 0, [3]int{}, 0
	was, begins := -1, false
	for i := range len(word) {
		kind := -1
		switch c := word[i]; {
		case c >= 'a' && c <= 'z':
			kind = 0
		case c >= 'A' && c <= 'Z':
			kind = 1
		case c >= '0' && c <= '9':
			kind, digits = 2, digits+1
		case c >= 0x80:
			return false
		}
		if kind >= 0 {
			kinds[kind]++
		}
		if kind != was && kind >= 0 && was >= 0 && !(begins && kind == 0) {
			turns++
		}
		begins = kind == 1 && was != 1
		was = kind
	}
	return turns*4 >= len(word) && digits < len(word)*4/5
}
