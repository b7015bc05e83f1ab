package redact

// A class is a set of bytes.
type class uint16

const (
	alnum       class = 1 << iota // A-Z a-z 0-9
	upper                         // A-Z 0-9
	hexadecimal                   // 0-9 a-f
	word                          // alnum _ -
	dotted                        // alnum _ - .
	base64                        // alnum + / = _ -
	password                      // what a password in a URL may hold
	pem                           // the body of a PEM block, also with "\n" spelled out
	value                         // what a value that is assigned may hold
	digit                         // 0-9
)

// signs are the bytes of each class that are no letters and digits.
var signs = map[class]string{
	word:     "_-",
	dotted:   "_-.",
	base64:   "+/=_-",
	password: "!#$%&()*+,-.:;=?[\\]^_`{|}~",
	pem:      "+/=-\n\r\t \\:,.",
	value:    "+/=_-.~!@#$%^&*?:{<",
}

// classes are the classes of each byte.
var classes = func() (table [256]class) {
	for c := range table {
		switch {
		case c >= '0' && c <= '9':
			table[c] = alnum | upper | hexadecimal | word | dotted | base64 | password | pem | value | digit
		case c >= 'A' && c <= 'Z':
			table[c] = alnum | upper | word | dotted | base64 | password | pem | value
		case c >= 'a' && c <= 'z':
			table[c] = alnum | word | dotted | base64 | password | pem | value
			if c <= 'f' {
				table[c] |= hexadecimal
			}
		}
	}
	for class, bytes := range signs {
		for _, c := range []byte(bytes) {
			table[c] |= class
		}
	}
	return table
}()

// is reports whether c belongs to the class.
func is(c byte, k class) bool { return classes[c]&k != 0 }

// isWord reports whether c can be in the middle of a word. What begins right after such a
// byte is no key.
func isWord(c byte) bool { return is(c, alnum) || c == '_' }
