package provider

import (
	"encoding/json"
	"slices"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/conversation"
)

// VisionQuery returns the request by which m's server is asked whether m takes images: its
// URL and body, "" where the API has none.
func (m Model) VisionQuery() (url string, body []byte) {
	if m.row().show == "" || m.Blind {
		return "", nil
	}
	body, _ = json.Marshal(map[string]string{"model": m.Name}) // a string always encodes
	return m.at(m.row().show), body
}

// HasVision reports whether m takes images, by the answer to VisionQuery. An older
// server does not tell: then it may.
func (m Model) HasVision(answer []byte) bool {
	abilities := gjson.GetBytes(answer, "capabilities")
	vision := func(v gjson.Result) bool { return v.Str == "vision" }
	return !abilities.IsArray() || slices.ContainsFunc(abilities.Array(), vision)
}

// HasImages reports whether a request holds an image.
func (r *Request) HasImages() bool {
	return slices.ContainsFunc(r.Talk.Messages, func(msg conversation.Message) bool {
		return slices.ContainsFunc(msg.Parts, func(p conversation.Part) bool {
			return slices.ContainsFunc(p.Media, conversation.Medium.Image)
		})
	})
}
