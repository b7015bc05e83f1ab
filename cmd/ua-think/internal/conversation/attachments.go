package conversation

import "github.com/tidwall/gjson"

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
