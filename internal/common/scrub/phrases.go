package scrub

import "strings"

// Phrases is the kind under which Text counts phrases that read like instructions to a
// model.
const Phrases = "instruction_phrase"

// phrases are words by which text on the web and in files tries to command a model that
// reads it, in small letters and with single blanks. They are only counted, since a model
// that edits a file needs it as it is.
var phrases = [...]string{
	"ignore previous instructions",
	"ignore all previous",
	"ignore all prior",
	"ignore any previous",
	"ignore the previous",
	"ignore the above",
	"ignore your previous",
	"ignore your instructions",
	"disregard previous",
	"disregard all previous",
	"disregard all prior",
	"disregard any previous",
	"disregard the above",
	"disregard your instructions",
	"forget previous instructions",
	"forget all previous",
	"forget everything above",
	"forget your instructions",
	"override your instructions",
	"override previous instructions",
	"new instructions:",
	"your new instructions",
	"your new task is",
	"your real task is",
	"you are now a ",
	"you are now in ",
	"from now on you ",
	"from now on, you ",
	"pretend you are",
	"act as if you",
	"system prompt:",
	"reveal your system prompt",
	"print your system prompt",
	"repeat your instructions",
	"do not tell the user",
	"don't tell the user",
	"without telling the user",
	"do not mention this to the user",
	"developer mode enabled",
	"do anything now",
	"if you are an ai",
	"instructions for ai assistants",
	"ai assistants must",
}

// countPhrases counts the phrases in text, in any case and with any blanks.
func countPhrases(text string) (n int) {
	low := strings.Join(strings.Fields(strings.ToLower(text)), " ")
	for _, p := range phrases {
		n += strings.Count(low, p)
	}
	return n
}
