package classify

import (
	"strings"

	"ua/internal/common/verdict"
)

// readNu reads Nushell: each command of a pipeline has to be one that only reads or computes.
func readNu(a *argv, text string) (level verdict.Level, why string) {
	bare := nuClosures.replace(nuTexts.replace(text, `""`), "{ ")
	// ^NAME and `NAME` run a program, and a text behind $ holds expressions.
	switch {
	case strings.ContainsAny(bare, "^`") || strings.Contains(bare, "$\"") ||
		strings.Contains(bare, "$'"):
		return destructive, "nu runs a program"
	case strings.Contains(bare, "out>") || strings.Contains(bare, "err>") ||
		strings.Contains(bare, "o>") || strings.Contains(bare, "e>"):
		return destructive, "nu writes a file"
	}
	// Any word may be a file that is read. $env holds the variables.
	for _, wd := range strings.Fields(strings.NewReplacer("'", " ", `"`, " ", "|", " ", "(", " ", ")",
		" ").Replace(text)) {
		a.reads(lit(wd))
		if strings.HasPrefix(wd, "$env.") || wd == "$env" {
			a.variable("nu", strings.TrimPrefix(strings.TrimPrefix(wd, "$env"), "."))
		}
	}
	if strings.Contains(text, "$env ") || strings.Contains(text, "$env|") {
		a.environment(nuWord.replace(text, `"$1",`))
	}
	// The commands of the pipelines, with let NAME = taken off.
	for command := range strings.FieldsFuncSeq(bare,
		func(c rune) bool { return strings.ContainsRune("|;\n(){}", c) }) {
		words := strings.Fields(command)
		for len(words) > 3 && inList(" let mut ", words[0]) && words[2] == "=" {
			words = words[3:]
		}
		if len(words) == 0 || strings.ContainsAny(words[0][:1], "$\"'0123456789[.-") ||
			strings.HasSuffix(words[0], ":") {
			continue
		}
		switch {
		case words[0] == "save" && len(words) > 1 && savesHere(words[1:]):
			a.effect(isWrite, lit(words[len(words)-1]), "save")
		case words[0] == "use" && len(words) > 1 && (words[1] == "std" ||
			strings.HasPrefix(words[1], "std/")):
		case words[0] == "std" && len(words) > 1 && inList(" run-tests assert log ", words[1]):
			level = max(level, buildTest)
		case !inList(nuReads, words[0]):
			return destructive, "nu: " + show(words[0]) + " may do anything"
		}
	}
	return level, ""
}

// savesHere reports whether the words behind save are flags and one plain name.
func savesHere(words []string) bool {
	for _, wd := range words[:len(words)-1] {
		if !inList(" -f --force -a --append -r --raw -p --progress ", wd) {
			return false
		}
	}
	last := words[len(words)-1]
	return last[0] != '-' && !strings.ContainsAny(last, "$\"'*?[")
}

// nuTexts finds the texts of Nushell that hold no code.
var nuTexts = regex{text: `"[^"$]*"|'[^']*'`}

// nuWord is a word of Nushell, which may be a text without quotes.
var nuWord = regex{text: `\b([A-Za-z_]\w*)\b`}

// nuClosures finds where a block of Nushell names what it is given.
var nuClosures = regex{text: `\{\s*\|[\w, :?]*\|`}

// nuReads are the commands of Nushell that read or compute.
const nuReads = ` ls where get open select sort sort-by first last length lines split parse from
 to str math echo print table describe
 columns values each reduce group-by uniq uniq-by reverse skip take date now format find is-empty
 is-not-empty not default flatten
 transpose wrap merge insert update upsert reject rename headers range seq path type ps sys
 version which pwd if else and or true false
 null count histogram into any all append prepend zip enumerate drop compact items help glob fill
 url ansi term nothing grid window
 chunks move cd in def return match for sum avg max min round du stor0 char hash sys0 debug
 inspect metadata char detect decode encode
 lengths sleep `
