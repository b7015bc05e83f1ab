package classify

import (
	"slices"
	"strings"

	"ua/internal/common/verdict"
)

// The readers of this file prove that a text of a language does nothing but
// compute and print. They know a few harmless names each; a name that they
// don't know makes the text destructive.

const unseenCode = "runs code that may do anything"

// purePython and the lists below are kept as text, so that they cost nothing
// until they are used.
const (
	purePython = ` print len range sum min max sorted reversed enumerate zip map filter any all abs round str int float list dict set tuple bool repr ord chr bin hex oct divmod pow type isinstance
 for in if else elif while and or not is None True False lambda import from as pass break continue return
 json loads dumps load indent sort_keys ensure_ascii sys stdin stdout version version_info maxsize argv platform executable math sqrt pi floor ceil log exp re findall match search sub split join strip rstrip lstrip
 datetime now utcnow today date time timedelta isoformat strftime random randint choice collections Counter defaultdict itertools functools reduce string statistics mean median decimal Decimal fractions
 format upper lower replace startswith endswith read readlines readline write items keys values get append extend sort count index group groups most_common end sep major minor micro encode title splitlines isdigit __version__
 exit os getcwd path exists isfile isdir basename dirname abspath realpath splitext getsize listdir cpu_count getpid linesep name hashlib sha256 sha1 md5 hexdigest base64 b64encode b64decode decode uuid uuid4 urllib parse quote unquote secrets token_hex token_urlsafe textwrap dedent itemgetter operator key reverse default next iter sleep shutil which `
	pureNode = ` console log error JSON parse stringify process version versions platform arch argv stdout write Math floor ceil round random max min sqrt PI pow abs Date now toISOString new
 const let var for of in if else while return null undefined true false length map filter reduce join split slice sort reverse forEach keys values entries Object Array from isArray Number String Boolean
 parseInt parseFloat toString toFixed replace test match includes indexOf push concat trim toUpperCase toLowerCase startsWith endsWith repeat padStart padEnd typeof node v8 name dependencies exit env code message stack warn table info data result devDependencies scripts engines `
)

func listed(list, name string) bool {
	return !strings.ContainsAny(name, " \n") && (strings.Contains(list, " "+name+" ") || strings.Contains(list, " "+name+"\n") || strings.Contains(list, "\n "+name+" "))
}

// A name is one word of a text outside its strings.
type name struct {
	text string
	dot  bool // it stands after a dot
	own  bool // the text gives it its value
}

// namesOf finds the names of a text. Strings that hold code, such as Python's
// f"…" and JavaScript's `…`, are not understood.
func namesOf(text string) (names []name, ok bool) {
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '"' || c == '\'':
			if i > 0 && (text[i-1] == 'f' || text[i-1] == 'F') {
				return nil, false
			}
			j := i + 1
			for j < len(text) && text[j] != c {
				if text[j] == '\\' {
					j++
				}
				j++
			}
			if j >= len(text) {
				return nil, false
			}
			i = j + 1
		case c == '`' || c == '\\' || c >= 0x80:
			return nil, false
		case wordByte(c):
			j := i
			for j < len(text) && wordByte(text[j]) {
				j++
			}
			names = append(names, name{text: text[i:j], dot: i > 0 && text[i-1] == '.', own: gives(names, text[j:])})
			i = j
		default:
			i++
		}
	}
	return names, true
}

// gives says whether a name that stands after others and before a text gets its
// value there.
func gives(before []name, after string) bool {
	after = strings.TrimLeft(after, " ")
	if strings.HasPrefix(after, "=") && !strings.HasPrefix(after, "==") {
		return true
	}
	if len(before) == 0 {
		return false
	}
	switch before[len(before)-1].text {
	case "for", "as", "lambda", "const", "let", "var":
		return true
	}
	return false
}

// pure says whether all names of a text are in the list, or are the text's own
// variables. Whatever such a variable holds comes from names of the list.
func pure(text, list string) bool {
	names, ok := namesOf(text)
	if !ok {
		return false
	}
	for i, n := range names {
		if i > 0 && (names[i-1].text == "import" || names[i-1].text == "from") && !listed(list, n.text) {
			return false
		}
		own := len(n.text) <= 2 || slices.ContainsFunc(names, func(m name) bool { return m.own && !m.dot && m.text == n.text })
		if n.text[0] >= '0' && n.text[0] <= '9' || listed(list, n.text) || own && !n.dot {
			continue
		}
		return false
	}
	return true
}

func readPython(a *argv, text string) (verdict.Level, string) {
	for _, quote := range []string{"'", "\""} {
		for {
			head, tail, found := strings.Cut(text, "open("+quote)
			file, rest, closed := strings.Cut(tail, quote+")")
			if !found || !closed || strings.Contains(file, quote) || head != "" && wordByte(head[len(head)-1]) {
				break
			}
			a.w.read(a.p, lit(file), a.sc)
			text = head + "sys" + rest
		}
	}
	if star := strings.ReplaceAll(text, " ", ""); !strings.Contains(star, "import*") && pure(text, purePython) {
		return readOnly, ""
	}
	return destructive, unseenCode
}

func readNode(a *argv, text string) (verdict.Level, string) {
	for {
		text = strings.ReplaceAll(text, `"`, "'")
		i := strings.Index(text, "require('./")
		if i < 0 {
			break
		}
		file, rest, ok := strings.Cut(text[i+len("require('./"):], "')")
		if !ok || !strings.HasSuffix(file, ".json") || strings.Contains(file, "'") {
			return destructive, unseenCode
		}
		text = text[:i] + "{}" + rest
	}
	if !indexes(text) && pure(text, pureNode) {
		return readOnly, ""
	}
	return destructive, unseenCode
}

// indexes says whether JavaScript looks something up by a name that is no
// number: that way every function can be reached.
func indexes(text string) bool {
	for i := 1; i < len(text); i++ {
		if text[i] != '[' {
			continue
		}
		before := strings.TrimRight(text[:i], " ")
		if before == "" || !wordByte(before[len(before)-1]) && strings.IndexByte("])}'", before[len(before)-1]) < 0 {
			continue
		}
		if i+1 == len(text) || text[i+1] < '0' || text[i+1] > '9' {
			return true
		}
	}
	return false
}

const perlModules = ` strict warnings utf8 feature integer List::Util Scalar::Util POSIX Data::Dumper JSON::PP Time::HiRes Time::Local Time::Piece MIME::Base64 Digest::MD5 Digest::SHA Text::Wrap Encode `

// perlDoes are the words of Perl by which a text leaves it.
var perlDoes = strings.Fields("system exec qx open unlink rename eval require fork kill mkdir rmdir chmod chown symlink link truncate socket connect syscall do glob opendir sysopen dbmopen pipe bless tie select utime chroot chdir readlink dump use no package sub goto")

func readPerl(a *argv, text string) (verdict.Level, string) {
	text = strings.NewReplacer("&&", " ", "||", " ").Replace(text)
	for _, bad := range []string{"`", "->", "&", "*{", "<", "@INC", "%ENV", "$^", "|", "::", "${", "@{"} {
		if strings.Contains(text, bad) && !(bad == "|" && strings.Contains(text, "/")) {
			return destructive, unseenCode
		}
	}
	words := strings.FieldsFunc(text, func(r rune) bool { return r >= 0x80 || !wordByte(byte(r)) })
	for _, wd := range words {
		if slices.Contains(perlDoes, wd) {
			return destructive, unseenCode
		}
	}
	if perlEvaluates(text) {
		return destructive, "the e flag runs code"
	}
	return readOnly, ""
}

// perlEvaluates says whether a substitution of the text has, or may have, the
// e flag.
func perlEvaluates(text string) bool {
	for i := 0; i < len(text); i++ {
		if text[i] != 's' || i > 0 && wordByte(text[i-1]) || i+1 == len(text) || wordByte(text[i+1]) || text[i+1] == ' ' {
			continue
		}
		s := sedScript{text: text, pos: i + 2}
		delim := text[i+1]
		if strings.IndexByte("{([<", delim) >= 0 {
			tail := text[i:]
			end := strings.LastIndexAny(tail, "})]>")
			if end < 0 || strings.HasPrefix(strings.TrimLeft(tail[end+1:], "gimsxr"), "e") {
				return true
			}
			continue
		}
		if delim == ';' || delim == ')' || delim == ',' {
			continue
		}
		for k := 0; k < 2; k++ {
			for s.pos < len(text) && text[s.pos] != delim {
				if text[s.pos] == '\\' {
					s.pos++
				}
				s.pos++
			}
			s.pos++
		}
		for s.pos < len(text) && wordByte(text[s.pos]) {
			if text[s.pos] == 'e' {
				return true
			}
			s.pos++
		}
		if s.pos > len(text) {
			return true
		}
		i = s.pos - 1
	}
	return false
}

// perlFiles are perl's operands: with -i they are written.
func (a *argv) perlFiles() {
	for _, u := range a.used {
		if module, _, _ := strings.Cut(u.val.text, "="); (u.name == "-M" || u.name == "-m") && !listed(perlModules, module) {
			a.p.raise(destructive, "perl -M", "perl loads "+show(module))
		}
	}
	for i, o := range a.operands {
		if a.flagged("-i") && i >= 0 {
			a.writes("perl -i", o)
		}
	}
}
