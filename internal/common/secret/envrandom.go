package secret

import (
	"math"
	"strings"
)

// follows says how rarely one character follows another in names, words and paths. Its
// rows are for the character before. Each has, in half bits from A on, a value for each
// letter, a digit, and a sign or the end of a word. A capital inside of a word begins
// another word. The numbers were counted in 260,000 names of files, identifiers and words
// of documentation. Strings need no decoding at start.
var follows = [...]string{
	"QKIIQOKULVNGIHVJUGIGMMPNOTMI", // a
	"HNKOGOOTHKTGOQHNTKJPHSRSKSJG", // b
	"HPMOHOOHMYIHMPFMUJMILNTVNWLG", // c
	"JNOJFNPSHTULPPKORKKPLQPQOWJD", // d
	"KOJJMMMTQWTJKHQMOGHIRNNJOVME", // e
	"IPMMJINRFYTIMNHNWJKKKTRSNXJF", // f
	"MPHRGROMJYWMPKGOWJJNNSSWUGME", // g
	"FRPNFQPUIXROLQHNXLNJLTQWPSNE", // h
	"LKHJKKJVUUSIJEIKVKHHULWNYLPK", // i
	"GQNMFPQRKRLRMOGKSQFOIPNQRTMF", // j
	"JQONEOKQIUSMNMNPSOJMKSPUQVKD", // k
	"IQPKFKQSFYQIRRFLVQKKKPRVMUOF", // l
	"FJOKFRRSIWQLKPHGTQKNKRSTQYMG", // m
	"IQIHHKHSKTMNPMJPURIGLMTWQVOF", // n
	"LLIJRLMTNSMIIFKIYGKKHLLQRWQH", // o
	"GRMMGPPKKXNINMHJTHKIKPSUKYMF", // p
	"NOOMPPQPOTSJMQRQMJLOCPNQQQIE", // q
	"HQLMFOLTHYLMLMHPVKIJLMQVLYOF", // r
	"LRKPGRPJIYNMOQKLQNJFKQPUJUNE", // s
	"HRMPFOSJHYTNNRJNVIKLMTPNKUME", // t
	"LJLGILMVIYTIJGPIUIIGTRTMXRIK", // u
	"FOLNELNQHWTLKOMKROKMPONOUSJG", // v
	"GPNNIOQLGWRONJHNUGJPPQMPVUNE", // w
	"KOKNJMTRLWVQLRNIUQMGQOSONTEE", // x
	"OPKQOSPUOWTNGKPFXQGITRQTSPOD", // y
	"LQPRFQRQKUUPPUMTWRNQQRQQOMMB", // z
	"MMMMLLTSSVTQQSTQVRPRROUNVVCD", // a digit
	"IKIJJJILJPOKJKKIRJHIKLMKSQKK", // a sign
}

// The indexes in follows after those of the letters.
const (
	digit = 26 + iota
	sign
)

// chance reports whether the word is better explained by characters drawn at random than
// by words, numbers and signs. As a ratio of likelihoods it takes length and alphabet into
// account: each letter costs a text what follows says, and a capital inside of a word costs
// more.
func chance(word string) bool {
	var lower, upper, digits, signs, bits float64
	before, was := sign, byte(0)
	for i := range len(word) {
		c, at := word[i], sign
		switch {
		case c >= '0' && c <= '9':
			digits++
			at, bits = digit, bits+3.3
			if c == was || c == was+1 {
				bits -= 1.3 // numbers count up
			}
		case c|0x20 >= 'a' && c|0x20 <= 'z':
			at, bits = int(c|0x20)-'a', bits+0.2
			isLower := c >= 'a'
			if isLower {
				lower++
			} else {
				upper++
			}
			if before < digit && isLower != (was >= 'a') {
				bits++
				if !isLower {
					before, bits = sign, bits+1.5 // a capital begins another word
				}
			}
		case c >= 0x80:
			return false
		default:
			signs++
			bits++
		}
		if rare := float64(follows[before][at]-'A') / 2; c == was || c == was+1 {
			bits += min(rare, 2) // filling, or an alphabet
		} else {
			bits += rare
		}
		before, was = at, c
	}
	alphabet := 0.0
	for _, kind := range [...]struct{ count, size float64 }{{lower, 26}, {upper, 26}, {digits, 10},
		{signs, 2}} {
		if kind.count > 0 {
			alphabet += kind.size
		}
	}
	size, letters := float64(len(word)), lower+upper
	if digits > 0 && (strings.Trim(word, "0123456789abcdef") == "" ||
		strings.Trim(word, "0123456789ABCDEF") == "") {
		return letters > 1 && bits > 4*size
	}
	bits -= size * math.Log2(alphabet)
	switch {
	case letters*5 <= size || signs*5 > size:
		return false
	case letters == size && (lower == 0 || upper == 0):
		return bits > 10
	}
	return bits > 8 || bits > 5 && size > 15
}
