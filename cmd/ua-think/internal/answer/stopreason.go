package answer

import "strings"

// The neutral stop reasons (ua-events(5)).
const (
	EndTurn     = "end_turn"
	ToolUse     = "tool_use"
	MaxTokens   = "max_tokens"
	Refusal     = "refusal"
	Pause       = "pause_turn" // the same turn goes on in another request
	Interrupted = "interrupted"
	Failed      = "error" // the provider gave up, or said a word that nobody knows
)

// Ended records the word with which a server ends an answer. A server may say several; one
// that means trouble stays.
func (a *Answer) Ended(word string) {
	if word == "" {
		return
	}
	if stop := meaning(word); a.Stop == "" || a.Stop == EndTurn {
		a.Stop, a.Why = stop, word
	}
	if a.Refuses {
		a.Stop = Refusal
	}
}

// meaning returns the neutral stop reason for the word of any API. An answer is complete
// only if its server says so in a word that is known: all others mean that it is not.
func meaning(word string) string {
	switch strings.ToLower(word) {
	case "stop", "end_turn", "stop_sequence", "completed", "complete", "eos", "eos_token", "end",
		"tool_use", "tool_calls", "tool_call", "function_call":
		return EndTurn // many servers say one for the other
	case "length", "max_tokens", "max_output_tokens", "max_completion_tokens", "max_length",
		"model_length", "model_context_window_exceeded":
		return MaxTokens
	case "refusal", "content_filter", "content_filtered", "sensitive", "safety", "recitation",
		"blocklist", "prohibited_content", "spii", "guardrail_intervened":
		return Refusal
	case Pause:
		return Pause
	case Interrupted:
		return Interrupted
	}
	return Failed
}

// Full reports whether the answer ended because the model's context is full, which a higher
// limit of tokens does not change.
func (a *Answer) Full() bool {
	why := strings.ToLower(a.Why)
	return why == "model_length" || why == "model_context_window_exceeded"
}

// EndsInCall reports whether the server says that the answer ended in a call. If there is
// none, then it was lost on the way.
func (a *Answer) EndsInCall() bool {
	switch strings.ToLower(a.Why) {
	case "tool_use", "tool_calls", "tool_call", "function_call":
		return true
	}
	return false
}
