package classify

import "strings"

// shortForms are blocks of zsh without do, then and their ends, and how the parser knows
// them (zshmisc(1), ALTERNATE FORMS). No word of the text is left out.
var shortForms = []struct {
	find regex
	with string
}{
	{regex{text: `(^|[;&|{\n]\s*)for (\w+) (\w+) in ([^;\n]*)([;\n]\s*)do\b`},
		"${1}for ${2} in ${4}${5}do ${3}=$$_pair_;"},
	{regex{text: `(^|[;&|{\n]\s*)for (\w+) (\w+) in ([^;\n]*); ` +
		`*([^\s;\n&|{}d][^;\n&|{}]*|d[^o;\n&|{}][^;\n&|{}]*)`},
		"${1}for ${2} in ${4}; do ${3}=$$_pair_; ${5}\ndone"},
	{regex{text: `(^|[;&|{\n]\s*)for(?:each)? (\w+) \(((?:[^()\n]|\([^()\n]*\))*)\) *\(([^()\n]*)\)`},
		"${1}for ${2} in ${3}; do (${4})\ndone"},
	{regex{text: `(^|[;&|{\n]\s*)for(?:each)? (\w+) \(((?:[^()\n]|\([^()\n]*\))*)\) ` +
		`*(?:\{([^{}]*)\}|([^;\n&|{}]+))`},
		"${1}for ${2} in ${3}; do ${4}${5}\ndone"},
	{regex{text: `(^|[;&|{\n]\s*)for (\w+) in ([^;\n]*); *\{([^{}]*[^{}\d,.][^{}]*)\}`},
		"${1}for ${2} in ${3}; do ${4}\ndone"},
	{regex{text: `(^|[;&|{\n]\s*)for (\w+) in ([^;\n]*); ` +
		`*([^\s;\n&|{}d][^;\n&|{}]*|d[^o;\n&|{}][^;\n&|{}]*)`},
		"${1}for ${2} in ${3}; do ${4}\ndone"},
	{regex{text: `(^|[;&|{\n]\s*)(while|until) (\(\(.*?\)\)|\[\[.*?\]\]) *\{([^{}]*)\}`},
		"${1}${2} ${3}; do ${4}\ndone"},
	{regex{text: `(^|[;&|{\n]\s*)if (\(\(.*?\)\)|\[\[.*?\]\]) *\{([^{}]*)\}(?: *else ` +
		`*\{([^{}]*)\})?`},
		"${1}if ${2}; then ${3}\nelse :\n${4}\nfi"},
	{regex{text: `(^|[;&|{\n]\s*)repeat ([^\s;]+) *\{([^{}]*)\}`},
		"${1}for _ in ${2}; do ${3}\ndone"},
	{regex{text: `(^|[;&|{\n]\s*)(while|until) (\(\(.*?\)\)|\[\[.*?\]\]) ` +
		`*([^\s;\n&|{}d][^;\n&|{}]*)`},
		"${1}${2} ${3}; do ${4}\ndone"},
	{regex{text: `(^|[;&|{\n]\s*)if (\(\(.*?\)\)|\[\[.*?\]\]) *([^\s;\n&|{}t][^;\n&|{}]*)`},
		"${1}if ${2}; then ${3}\nfi"},
	{regex{text: `(^|[;&|{\n]\s*)for (\(\([^\n]*?\)\)) *([^\s;\n&|{}d][^;\n&|{}]*)`},
		"${1}for ${2}; do ${3}\ndone"},
	{regex{text: `(^|[;&|{\n]\s*)(?:\(\)|function) *\{([^{}]*)\}([^;\n&|{}]*)`},
		"${1}__anonymous() {${2}\n}\n__anonymous${3}"},
	{regex{text: `(^|[;&|{\n]\s*)\(\) +([^\s({][^;\n&|{}]*)`}, "${1}${2}"},
	{regex{text: `\{([^{}]*)\} *always *\{([^{}]*)\}`}, "{ ${1}\n}; { ${2}\n}"},
}

// longLoops returns the text with such blocks written as the parser knows them.
func longLoops(text string) string {
	for i := range shortForms {
		text = shortForms[i].find.replace(text, shortForms[i].with)
	}
	return sums.get().ReplaceAllStringFunc(text, func(sum string) string {
		return mathFunction.replace(sum, "(")
	})
}

// The functions of zsh/mathfunc in arithmetic, which the parser does not know: what stands
// in their brackets is arithmetic, too.
var (
	sums         = regex{text: `\(\([^;\n]*\)\)`}
	mathFunction = regex{text: `\b(?:abs|acos|asin|atan|cbrt|ceil|copysign|cos|cosh|erf|exp|expm1|` +
		`fabs|float|floor|fmod|gamma|hypot|` +
		`ilogb|int|ldexp|lgamma|log|log10|log1p|log2|logb|max|min|pow|rand48|rint|round|sin|sinh|` +
		`sqrt|sum|tan|tanh|trunc)\(`}
)

// zmv renames by patterns. With -n it only says how; its second word is expanded again for
// each file, so that a substitution in it runs.
func (a *argv) zmv() {
	for _, wd := range a.words {
		if substitutes(wd.text) || strings.Contains(wd.text, "(e") {
			a.p.add(runsHidden, "zmv", "a pattern of zmv that runs a command")
		}
	}
}

var (
	// mildQualifiers are those of sizes and times, whose + and - belong to a number, and the
	// modifiers of names behind a colon.
	mildQualifiers = regex{text: `[Lamcl][kKmMpPgGtThHwsSd]?[-+]?\d+|:[a-zA-Z]\b`}
	runsQualifier  = regex{text: `e[^\w\s,]|\+\w|^e|[^\w]e$`}
)

// runsCode reports whether the end of a pattern of zsh may be qualifiers that run code: (e:…:)
// and (+NAME). One with a | picks among names, and holds no qualifiers.
func runsCode(pattern string) bool {
	_, q, ok := strings.Cut(pattern, "(")
	if !ok {
		return false
	}
	inner, rest, closed := strings.Cut(q, ")")
	if closed && rest == "" && strings.Contains(inner, "|") && !strings.ContainsAny(inner, "+:{[") {
		return false
	}
	if !closed || rest != "" {
		return strings.ContainsAny(q, "e+")
	}
	return runsQualifier.match(mildQualifiers.replace(inner, ""))
}

// hash gives names other programs in zsh: hash NAME=PROGRAM.
func (a *argv) hash() {
	if a.flagged("-p") {
		a.p.add(runsHidden, "hash -p", "a program gets another name")
		a.p.Unread = true
	}
	for _, o := range a.operands {
		if strings.Contains(o.text, "=") && !a.flagged("-d") {
			a.p.add(runsHidden, "hash NAME=",
				"another program stands behind "+show(o.text)+" from then on")
		}
	}
}

// zshModule is zmodload and setopt of zsh: some modules remove files or reach other
// machines, others are libraries from anywhere, and prompt_subst runs what prompts hold.
func (a *argv) zshModule() {
	for _, o := range a.operands {
		if a.name == "setopt" {
			if strings.ReplaceAll(strings.ToLower(o.text), "_", "") == "promptsubst" {
				a.p.add(runsHidden, "setopt prompt_subst",
					"prompts run the commands in them from then on")
			}
			continue
		}
		module, ok := strings.CutPrefix(o.text, "zsh/")
		if !ok || !inList(" datetime stat mathfunc complist complete compctl computil parameter zutil "+
			"terminfo termcap zle zleparameter regex pcre langinfo zprof sched rlimits nearcolor random ",
			module) {
			a.p.add(runsHidden, "zmodload "+o.text, "zsh loads code from "+show(o.text))
		}
	}
}

// zshCommand returns the words of a command of zsh as they are looked for: =NAME is the program of
// that name, and - in front of it changes nothing about it. {COMMAND} is a list in braces, whose
// blanks zsh needs not.
func (w *walker) zshCommand(p *Part, words []word, in stream, sc *scope) []word {
	if words[0].text == "-" && words[0].known() && len(words) > 1 {
		words = words[1:]
	}
	switch name := words[0].text; {
	case len(name) > 1 && name[0] == '=':
		words = append([]word{words[0].cut(1)}, words[1:]...)
	case len(name) > 1 && name[0] == '{' && w.depth < MaxDepth:
		p.Unread = p.Unread || strings.ContainsAny(strings.TrimRight(join(words)[1:], "}'"), "{}")
		text := strings.TrimSuffix(strings.TrimPrefix(join(words), "'")[1:], "'")
		w.depth++
		w.text(strings.TrimSuffix(strings.TrimSpace(text), "}"), in, sc, &p.Parts)
		w.depth--
	}
	return words
}
