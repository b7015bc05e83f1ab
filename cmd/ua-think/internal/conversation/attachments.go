package conversation

import "github.com/tidwall/gjson"

// attachments returns an instruction's attachments as parts: text as text, the rest
// as media.
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
