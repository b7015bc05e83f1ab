package scrub

import "strings"

// A marker is text that models, or this program, put around roles, tools or output. In
// the output of a command it does not mean that.
type marker struct {
	kind, text string
	line       bool // only at the start of a line
}

// markers are found in any case. They are rare in honest output, so that a file that the
// model reads in order to change it looks unchanged.
var markers = [...]marker{
	{"frame", "<terminal_output", false},
	{"frame", "</terminal_output", false},
	{"frame", "< /terminal_output", false},
	{"frame", "</ terminal_output", false},
	{"frame", "[ua-exec:", true},
	{"role_marker", "<|im_start|>", false},
	{"role_marker", "<|im_end|>", false},
	{"role_marker", "<|im_sep|>", false},
	{"role_marker", "<|system|>", false},
	{"role_marker", "<|user|>", false},
	{"role_marker", "<|assistant|>", false},
	{"role_marker", "<|tool|>", false},
	{"role_marker", "<|developer|>", false},
	{"role_marker", "<|start|>", false},
	{"role_marker", "<|end|>", false},
	{"role_marker", "<|channel|>", false},
	{"role_marker", "<|message|>", false},
	{"role_marker", "<|call|>", false},
	{"role_marker", "<|return|>", false},
	{"role_marker", "<|endoftext|>", false},
	{"role_marker", "<|endofprompt|>", false},
	{"role_marker", "<|begin_of_text|>", false},
	{"role_marker", "<|end_of_text|>", false},
	{"role_marker", "<|eot_id|>", false},
	{"role_marker", "<|eom_id|>", false},
	{"role_marker", "<|start_header_id|>", false},
	{"role_marker", "<|end_header_id|>", false},
	{"role_marker", "<|python_tag|>", false},
	{"role_marker", "[INST]", false},
	{"role_marker", "[/INST]", false},
	{"role_marker", "<<SYS>>", false},
	{"role_marker", "<</SYS>>", false},
	{"role_marker", "<start_of_turn>", false},
	{"role_marker", "<end_of_turn>", false},
	{"role_marker", "<system-reminder", false},
	{"role_marker", "</system-reminder", false},
	{"role_marker", "<system_prompt", false},
	{"role_marker", "\n\nHuman:", false},
	{"role_marker", "\n\nAssistant:", false},
	{"tool_marker", "<function_calls", false},
	{"tool_marker", "</function_calls", false},
	{"tool_marker", "<function_results", false},
	{"tool_marker", "</function_results", false},
	{"tool_marker", "<tool_use", false},
	{"tool_marker", "</tool_use", false},
	{"tool_marker", "<tool_result", false},
	{"tool_marker", "</tool_result", false},
	{"tool_marker", "<tool_call", false},
	{"tool_marker", "</tool_call", false},
	{"tool_marker", "<ant" + "ml:", false},
	{"tool_marker", "</ant" + "ml:", false},
	{"tool_marker", "[TOOL_CALLS]", false},
	{"tool_marker", "[TOOL_RESULTS]", false},
}

// blunt breaks each occurrence of the marker by a character that looks like its own. A
// reader still sees what was there, but it is no marker any more.
func blunt(text string, m marker, counts map[string]int) string {
	var b strings.Builder
	rest := text
	for from := 0; ; {
		i := indexFold(rest[from:], m.text)
		if i < 0 {
			break
		}
		i += from
		if m.line && !begins(rest[:i]) {
			from = i + 1
			continue
		}
		b.WriteString(rest[:i])
		b.WriteString(lookalike(rest[i : i+len(m.text)]))
		counts[m.kind]++
		rest, from = rest[i+len(m.text):], 0
	}
	if b.Len() == 0 {
		return text
	}
	return b.String() + rest
}

// begins reports whether a line begins after text, or whether the line has only blanks so
// far and the names of hidden characters: a reader takes that for the beginning, too.
func begins(text string) bool {
	for {
		text = strings.TrimRight(text, " \t")
		if text == "" || strings.HasSuffix(text, "\n") || strings.HasSuffix(text, "\r") {
			return true
		}
		at := len(text) - len(`\x00`)
		if name := strings.LastIndexByte(text, '['); strings.HasSuffix(text,
			" hidden characters]") ||
			strings.HasSuffix(text, "]") && strings.HasPrefix(text[max(name, 0):], "[U+") {
			at = name
		} else if at >= 0 && text[at:at+2] != `\x` {
			at = -1
		}
		if at < 0 {
			return false
		}
		text = text[:at]
	}
}

// lookalike returns a marker whose first bracket or colon is a similar character.
func lookalike(s string) string {
	switch s[0] {
	case '<':
		return "‹" + s[1:]
	case '[':
		return "［" + s[1:]
	}
	return strings.TrimSuffix(s, ":") + "："
}

// indexFold is strings.Index for an ASCII word in any case.
func indexFold(s, word string) int {
	for at := 0; ; at++ {
		i := strings.IndexByte(s[at:], word[0])
		if i < 0 || at+i+len(word) > len(s) {
			return -1
		}
		if at += i; strings.EqualFold(s[at:at+len(word)], word) {
			return at
		}
	}
}
