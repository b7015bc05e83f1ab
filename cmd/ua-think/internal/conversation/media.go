package conversation

import (
	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/usage"
	"ua/internal/common/media"
)

// A Medium is an image, a document or a sound in a conversation.
type Medium struct {
	Type string // media type
	Name string
	Data string // base64
	Left bool   // it is left out of this request, which has no room for it

	count int // tokens, by about
}

// mediaOf returns the media of a tool_result.
func mediaOf(list gjson.Result) (all []Medium) {
	for _, m := range list.Array() {
		all = append(all, medium(m))
	}
	return all
}

// medium reads one medium of an event.
func medium(m gjson.Result) Medium {
	data := m.Get("data").Str
	return Medium{Type: m.Get("media_type").Str, Name: m.Get("name").Str, Data: data,
		count: usage.Medium(data)}
}

// Apology returns the text that stands in place of a medium which the model cannot be
// given.
func (m Medium) Apology() string {
	what := m.Type
	if m.Name != "" {
		what = m.Name + " (" + m.Type + ")"
	}
	switch {
	case m.Left:
		return "[" + what + " was left out to save room]"
	case m.Data == "":
		return "[" + what + " is not at hand]"
	}
	return "[" + what + " can't be shown to this model]"
}

// Image reports whether m is an image of a type that all providers accept.
func (m Medium) Image() bool { return media.Type(m.Type).Image() && m.here() }

// PDF reports whether m is a PDF document that can be sent.
func (m Medium) PDF() bool { return media.Type(m.Type) == media.PDF && m.here() }

// WAV reports whether m is a WAV sound that can be sent.
func (m Medium) WAV() bool { return media.Type(m.Type).Sound() && m.here() }

// here reports whether the data is at hand and has not been left out.
func (m Medium) here() bool { return m.Data != "" && !m.Left }

// DataURL returns m as a data URL (RFC 2397).
func (m Medium) DataURL() string { return "data:" + m.Type + ";base64," + m.Data }

// FileName returns a name for a PDF, which the APIs require.
func (m Medium) FileName() string {
	if m.Name == "" {
		return "file.pdf"
	}
	return m.Name
}

// attachments returns the attachments of an instruction as parts: text as text between
// marks that name it, everything else as media.
func attachments(list gjson.Result) (parts []Part) {
	for _, m := range list.Array() {
		name := m.Get("name").Str
		if text := m.Get("text"); text.Type == gjson.String {
			said := "[attached: " + name + "]\n" + text.Str + "\n[end of " + name + "]"
			parts = append(parts, Part{Kind: Text, Text: said})
			continue
		}
		parts = append(parts, Part{Kind: Media, Media: []Medium{medium(m)}})
	}
	return parts
}
