package code

import "strings"

// binders stand before names that the text itself gives a meaning.
const binders = " def class function lambda const let var my our local sub as for catch fn | "

// strange returns the first word that is in no list and not of the text's own, or "". Own holds
// the words of acts, and gets those that the text itself gives a meaning.
func (n *names) strange(tokens []token, own map[string]bool) string {
	binding := false
	for i, t := range tokens {
		next := token{}
		if i+1 < len(tokens) {
			next = tokens[i+1]
		}
		switch {
		case t.kind == word && (has(binders, t.text) || t.text == "import" && i > 1 &&
			tokens[i-2].text == "from" && n.calm[tokens[i-1].text+".*"]), t.is("|") && n.bare:
			binding = true
		case t.kind == word && (binding && t.text != "in" || next.is("=")):
			own[t.text] = true
		case !t.is(",") && !t.is("(") && !t.is("*") && !t.is(".") && !(t.is("{") && i > 0 &&
			tokens[i-1].kind == word && has(binders, tokens[i-1].text)):
			binding = false
		}
	}
	return n.unlisted(tokens, own)
}

// unlisted returns the first word that neither a list has nor the text's own names.
func (n *names) unlisted(tokens []token, own map[string]bool) string {
	all := false // the name before is a module's all of whose members are calm
	for i, t := range tokens {
		if w := n.unlisted(t.inner, own); w != "" {
			return w
		}
		if module := n.loaded(tokens, i); module != "" {
			return module
		}
		if w := n.detour(tokens, i); w != "" {
			return w
		}
		if t.kind != word {
			continue
		}
		member := i > 1 && (tokens[i-1].is(".") || tokens[i-1].is(":") || tokens[i-1].is(">"))
		all = n.calm[t.text+".*"] || member && (all || tokens[i-2].text == "env")
		loads := i > 0 && has(" import require from use ", tokens[i-1].text)
		all = all && !strings.HasPrefix(t.text, "_") && !has(detours, t.text)
		if !all && (len(t.text) > 1 || loads) && !own[t.text] && !n.calm[t.text] &&
			!(n.bare && strings.Contains("$@%", t.text[:1])) {
			return t.text
		}
	}
	return ""
}

// detours are members of modules by which others are reached, and code is made.
const detours = " constructor os sys io builtins codecs importlib subprocess inspect "

// loaded returns the module that is loaded by a text at token i, if no list has it, or "": what is
// no text may be any module.
func (n *names) loaded(tokens []token, i int) string {
	t := tokens[i]
	if n.language == "python" || t.kind != word ||
		!has(" require require_relative import from ", t.text) {
		return ""
	}
	for i++; i < len(tokens) && tokens[i].is("("); i++ {
		t.kind = number // a call
	}
	switch {
	case i >= len(tokens) || t.text != "require" && t.kind == word && tokens[i].kind != literal:
		return ""
	case tokens[i].kind != literal, i+1 < len(tokens) && tokens[i+1].is("+"):
		return t.text
	}
	name := strings.TrimPrefix(tokens[i].text, "node:")
	top, _, _ := strings.Cut(name, "/")
	if t.text != "require_relative" && (n.calm[top] || strings.HasSuffix(name, ".json")) {
		return ""
	}
	return name
}

// detour returns what reaches a function at token i without its name, or gives code new names.
func (n *names) detour(tokens []token, i int) string {
	t, next := tokens[i], token{}
	if i+1 < len(tokens) {
		next = tokens[i+1]
	}
	perl := n.language == "perl"
	// The mode of this one is a number.
	if n.language == "python" && t.text == "os" && next.is(".") &&
		tokens[min(i+2, len(tokens)-1)].text == "open" {
		return "os.open"
	}
	if t.is("]") && next.is("(") && n.language == "node" || t.text == "import" && next.is("*") ||
		perl && t.is("&") && (next.is("{") || strings.HasPrefix(next.text, "$")) ||
		perl && strings.HasSuffix(t.text, "ARGV") && next.is("=") {
		return t.text + next.text
	}
	return ""
}
