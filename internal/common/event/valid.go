package event

import (
	"encoding/binary"
	"math/bits"
)

// maxDepth is how deep the arrays and objects of a line may be nested.
const maxDepth = 10000

// ValidJSON reports whether b is one JSON value (RFC 8259), perhaps with blanks around
// it. Every program checks every line that it reads, so this looks at eight bytes of a
// string at a time. Like gjson it does not check whether strings are UTF-8.
// gjson.ValidBytes takes four times as long (BenchmarkValid), and recurses as deep as a
// line is nested.
func ValidJSON(b []byte) bool {
	i, ok := value(b, blanks(b, 0), 0)
	return ok && blanks(b, i) == len(b)
}

// blanks returns the offset of the first byte from i on that is no blank.
func blanks(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}

// value returns the offset after the JSON value at i, and whether there is one.
func value(b []byte, i, depth int) (int, bool) {
	if i >= len(b) || depth > maxDepth {
		return i, false
	}
	switch b[i] {
	case '"':
		return text(b, i+1)
	case '{':
		return members(b, i+1, '}', depth)
	case '[':
		return members(b, i+1, ']', depth)
	case 't':
		return word(b, i, "true")
	case 'f':
		return word(b, i, "false")
	case 'n':
		return word(b, i, "null")
	}
	return number(b, i)
}

// word returns the offset after the word at i.
func word(b []byte, i int, w string) (int, bool) {
	end := i + len(w)
	return end, end <= len(b) && string(b[i:end]) == w
}

// members returns the offset after the object or array that is open at i.
func members(b []byte, i int, end byte, depth int) (int, bool) {
	if i = blanks(b, i); i < len(b) && b[i] == end {
		return i + 1, true
	}
	ok := false
	for {
		if end == '}' {
			if i >= len(b) || b[i] != '"' {
				return i, false
			}
			if i, ok = text(b, i+1); !ok {
				return i, false
			}
			if i = blanks(b, i); i >= len(b) || b[i] != ':' {
				return i, false
			}
			i = blanks(b, i+1)
		}
		if i, ok = value(b, i, depth+1); !ok {
			return i, false
		}
		if i = blanks(b, i); i >= len(b) || (b[i] != ',' && b[i] != end) {
			return i, false
		}
		if b[i] == end {
			return i + 1, true
		}
		i = blanks(b, i+1)
	}
}

// Eight bytes with the value 1, and eight with the highest bit, for plain.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// text returns the offset after the string whose first byte is at i.
func text(b []byte, i int) (int, bool) {
	for {
		if i = plain(b, i); i+1 >= len(b) || b[i] != '\\' {
			return i + 1, i < len(b) && b[i] == '"'
		}
		switch b[i+1] {
		case '"', 'n':
			i += 2
			continue
		}
		end, ok := escape(b, i+1)
		if !ok {
			return i, false
		}
		i = end
	}
}

// plain returns the offset of the first quote, backslash or control character from i on.
// The lowest bit of special marks the first such byte of eight (Bit Twiddling Hacks,
// "Determine if a word has a byte less than n"). Flipping the second bit of each byte
// moves the quote right behind the control characters, which remain control characters.
func plain(b []byte, i int) int {
	for len(b)-i >= 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		special := (((x ^ ones*2) - ones*0x21) | ((x ^ ones*'\\') - ones)) &^ x & highs
		if special != 0 {
			return i + bits.TrailingZeros64(special)/8
		}
		i += 8
	}
	for i < len(b) && b[i] != '"' && b[i] != '\\' && b[i] >= 0x20 {
		i++
	}
	return i
}

// escape returns the offset after the escape whose letter is at i.
func escape(b []byte, i int) (int, bool) {
	if i >= len(b) {
		return i, false
	}
	switch b[i] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 1, true
	case 'u':
		if i+5 > len(b) {
			return i, false
		}
		for _, c := range b[i+1 : i+5] {
			if (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'f') {
				return i, false
			}
		}
		return i + 5, true
	}
	return i, false
}

// number returns the offset after the number at i.
func number(b []byte, i int) (int, bool) {
	if i < len(b) && b[i] == '-' {
		i++
	}
	start := i
	if i = digits(b, i); i == start || (b[start] == '0' && i > start+1) {
		return i, false
	}
	if i < len(b) && b[i] == '.' {
		from := i + 1
		if i = digits(b, from); i == from {
			return i, false
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		if i++; i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		from := i
		if i = digits(b, from); i == from {
			return i, false
		}
	}
	return i, true
}

// digits returns the offset of the first byte from i on that is no digit.
func digits(b []byte, i int) int {
	for i < len(b) && b[i] >= '0' && b[i] <= '9' {
		i++
	}
	return i
}
