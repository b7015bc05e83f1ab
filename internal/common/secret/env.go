package secret

import (
	"slices"
	"strings"
)

// EnvWithheld is the variable that names to programs in ua-sandbox the variables that it
// has withheld, separated by spaces.
const EnvWithheld = "UA_WITHHELD"

// Environ splits an environment of NAME=VALUE into what a command gets, and the sorted
// names of variables that are withheld because they look like secrets. A NAME in allow is
// kept, and a NAME=VALUE in allow is set. Entries without "=" are dropped.
func Environ(env, allow []string) (kept, withheld []string) {
	return Split(env, allow, Variable)
}

// Split is Environ with another judge of what looks like a secret.
func Split(env, allow []string, looks func(name, value string) bool) (kept, withheld []string) {
	set := map[string]string{}
	for _, a := range allow {
		name, _, isSet := strings.Cut(a, "=")
		if set[name] = ""; isSet {
			set[name] = a
		}
	}
	for _, kv := range env {
		name, value, ok := strings.Cut(kv, "=")
		given, allowed := set[name]
		switch {
		case !ok || given != "":
		case allowed || !looks(name, value):
			kept = append(kept, kv)
		default:
			withheld = append(withheld, name)
		}
	}
	for _, a := range allow {
		if name, _, _ := strings.Cut(a, "="); set[name] == a && a != name {
			kept = append(kept, a)
		}
	}
	slices.Sort(withheld)
	return kept, slices.Compact(withheld)
}

// ModelKeys are the variables that ua-think reads by itself.
var ModelKeys = strings.Fields(`ANTHROPIC_API_KEY ANTHROPIC_AUTH_TOKEN OPENAI_API_KEY
	OLLAMA_API_KEY GEMINI_API_KEY OPENROUTER_API_KEY GROQ_API_KEY DEEPSEEK_API_KEY MISTRAL_API_KEY
	XAI_API_KEY TOGETHER_API_KEY FIREWORKS_API_KEY CEREBRAS_API_KEY MOONSHOT_API_KEY ZAI_API_KEY
	AZURE_OPENAI_API_KEY AWS_BEARER_TOKEN_BEDROCK VERTEX_API_KEY LM_API_TOKEN LLAMA_API_KEY
	VLLM_API_KEY`)

// OthersKeys returns names without those of ModelKeys: what has to be said of a variable that
// looks like a secret is plain for ua's own keys.
func OthersKeys(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return slices.Contains(ModelKeys, name)
	})
}

// Withheld returns one line, without its end, about names that Environ has withheld, or
// "" for none.
func Withheld(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "kept from commands, because they look like secrets: " + strings.Join(names, " ") +
		" (--env NAME passes one)"
}

// Variable reports whether an environment variable looks like a secret: its value has the
// form of one, its name says so and the value may be one, or the value is random and the
// name does not explain it. There is no list of variables that commands need. A password
// that is a plain word, under a name that says nothing, can't be told from a setting.
func Variable(name, value string) bool {
	switch name {
	case "PWD", "OLDPWD", "PS1", "PROMPT", "RPROMPT": // ua-shell's marks are random
		return false
	}
	n := readName(name)
	switch {
	case value == "":
		return false
	case strings.HasSuffix(name, "_SOCK"), secretForm(value): // an agent's gives what it guards
		return true
	case strings.HasPrefix(name, "GIT_CONFIG_KEY_"): // the name of a setting (git-config(1))
		return false
	case n.has(sure | likely):
		return !n.clears(value)
	}
	return !n.has(identifier) && !n.public && random(value)
}

// Name reports whether a variable of that name holds a secret, whatever its value is.
func Name(name string) bool {
	n := readName(name)
	return n.has(sure) && !n.has(setting)
}
