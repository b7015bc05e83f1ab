package secret

import "math"

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

// kinds counts the characters of a text by kind.
type kinds struct {
	lower, upper, digits, signs int
	hexadecimal                 bool // digits and letters up to f, of one case
}

// alphabet returns from how many characters the text is drawn if it is random.
func (k kinds) alphabet() (size int) {
	if k.hexadecimal {
		return 16
	}
	for _, kind := range [...]struct{ count, size int }{{k.lower, 26}, {k.upper, 26}, {k.digits, 10},
		{k.signs, 2}} {
		if kind.count > 0 {
			size += kind.size
		}
	}
	return size
}

// evidence returns how much better the text is explained by characters drawn at random
// from its alphabet than by words, numbers and signs, in bits. Below zero it is text. As
// a ratio of likelihoods it takes length and alphabet into account: each letter costs a
// text what follows says, a capital inside of a word costs much, and numbers that count
// up cost little.
func evidence(s string) (k kinds, bits float64) {
	k.hexadecimal = true
	before, kind, last := sign, byte('s'), byte(0)
	for i := range len(s) {
		c := s[i]
		class, at := classOf(c), sign
		switch class {
		case 'l', 'u':
			at = int(c|0x20) - 'a'
			k.hexadecimal = k.hexadecimal && c|0x20 <= 'f'
			switch {
			case kind == 'l' && class == 'u':
				bits += 2.5
				before = sign
			case kind == 'u' && class == 'l' && i > 1 && classOf(s[i-2]) == 'u':
				bits += 2.5
			case kind == 'u' && class == 'l':
				bits += 0.5
			case kind == class:
				bits += 0.2
			default:
				bits++
			}
			if class == 'l' {
				k.lower++
			} else {
				k.upper++
			}
		case 'd':
			at = digit
			k.digits++
			bits += 3.3
			if kind == 'd' && (c == last || c == last+1) {
				bits -= 1.3
			}
		default:
			if c >= 0x80 {
				return kinds{}, math.Inf(-1)
			}
			k.signs++
			bits++
		}
		rare := float64(follows[before][at]-'A') / 2
		if kind == class && class != 's' && c == last+1 {
			rare = min(rare, 2) // an alphabet
		}
		bits += rare
		before, kind, last = at, class, c
	}
	k.hexadecimal = k.hexadecimal && k.signs == 0 && k.digits > 0 && (k.lower == 0) != (k.upper == 0)
	if k.lower+k.upper == 0 || k.signs*5 > len(s) {
		return k, math.Inf(-1)
	}
	return k, bits - float64(len(s))*math.Log2(float64(k.alphabet()))
}

// The indexes in follows after those of the letters.
const (
	digit = 26 + iota
	sign
)

// classOf returns the class of a character: 'd' for a digit, 'l' and 'u' for a lower and
// upper case letter, and 's' for a sign.
func classOf(c byte) byte {
	switch {
	case c >= '0' && c <= '9':
		return 'd'
	case c >= 'a' && c <= 'z':
		return 'l'
	case c >= 'A' && c <= 'Z':
		return 'u'
	}
	return 's'
}
