package plain

import (
	"regexp"
	"strings"
)

// regexText is a regular expression between slashes, in which no program finds another end.
const regexText = `/(?:[^/\\\n[]|\\[^\n]|\[\^?\]?(?:[^]/\\\n[]|\\[a-zA-Z.*+-]|\[:[a-z]+:\])*\])*/`

// sedForm is the form of scripts of sed(1) that print, delete and replace lines.
var sedForm = form(sedText())

// sedText returns the text of sedForm.
func sedText() string {
	var substitutions []string
	for _, mark := range []string{"/", "|", "#", ",", "@", ":", "!", "%"} {
		mark = regexp.QuoteMeta(mark)
		regex := strings.ReplaceAll(regexText, "/", mark)
		with := `(?:[^/\\\n]|\\[^\n])*/[gIip0-9]*`
		substitutions = append(substitutions, regex+strings.ReplaceAll(with, "/", mark))
	}
	address := `(?:[0-9]+(?:~[0-9]+)?|\$|\+?[0-9]+|` + regexText + `[IM]*)`
	command := `(?:[pdqnNhHgGxDP=]|s(?:` + strings.Join(substitutions, "|") + `))`
	one := `(?:` + address + ` *(?:, *` + address + `)? *!? *)?(?:` + command +
		`|\{ *` + command + `(?: *; *` + command + `)* *;? *\}|[0-9]*q)`
	return `^ *` + one + `(?: *[;\n] *` + one + `)*[; \n]*$`
}

// awkPiece is a piece of a program of awk(1): in its groups a regular expression, a name with
// the parenthesis behind it, and a mark.
var awkPiece = form(`^(?:"(?:[^"\\\n]|\\.)*"|(` + regexText + `)|([A-Za-z_][A-Za-z_0-9]*\(?)|` +
	`[0-9.]+|[ \t]+|#[^\n]*|(\|\||[^"|@\\]))`)

// awkCalls are the functions and statements that calculate and print.
const awkCalls = " length( substr( index( split( sub( gsub( match( sprintf( toupper( tolower( " +
	"int( sqrt( rand( srand( log( exp( sin( cos( atan2( strftime( systime( gensub( asort( asorti( " +
	"mktime( strtonum( print( printf( if( for( while( in( "

// awkNames are names that reach files, commands and variables of the environment.
var awkNames = form(`^(?:system|getline|ARGV|ARGC|ENVIRON|PROCINFO|SYMTAB|FUNCTAB)\(?$`)

// awkOrders are names behind which a slash begins a regular expression.
const awkOrders = " print printf return in do else delete exit case "

// awk reports whether a program of awk(1) calculates and prints, and reaches nothing but its
// input: it writes no file, reads no other, and runs nothing.
func awk(text string) bool {
	prints, depth, before := false, 0, "\n"
	for text != "" {
		m := awkPiece().FindStringSubmatch(text)
		if m == nil {
			return false
		}
		piece := m[0]
		switch starts := strings.Contains("(,{;!~&|\n", before[len(before)-1:]); {
		case piece[0] != '/':
		case strings.Contains(awkOrders, " "+before+" "), starts && m[1] == "",
			before == ")" && strings.Contains(text[1:], "/"):
			return false // what kind of slash it is hangs on more than stands before it
		case !starts:
			piece = "/"
		}
		text = text[len(piece):]
		if piece == "\n" && strings.Contains(",|&?:", before[len(before)-1:]) {
			continue // the statement goes on
		}
		switch {
		case awkNames().MatchString(m[2]),
			strings.HasSuffix(m[2], "(") && !strings.Contains(awkCalls, " "+m[2]+" "),
			piece == ">" && prints && depth == 0:
			return false
		case strings.HasPrefix(m[2], "print"):
			prints, depth = true, 0
		case piece == ";" || piece == "\n" || piece == "}":
			prints = false
		case piece == ")":
			depth--
		}
		if strings.HasSuffix(piece, "(") {
			depth++
		}
		if strings.Trim(piece, " \t") != "" && piece[0] != '#' {
			before = piece
		}
	}
	return true
}
