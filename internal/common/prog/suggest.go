package prog

// Nearest returns the name in list that is closest to word. It returns "" if none is
// within a third of the word's length in edits.
func Nearest(word string, list []string) string {
	best, at := "", len(word)/3+1
	for _, name := range list {
		if d := distance(word, name); d <= at && (best == "" || d < at) {
			best, at = name, d
		}
	}
	return best
}

// distance returns the Levenshtein distance of two words in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		last := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			last, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, last+cost)
		}
	}
	return row[len(b)]
}
