package provider

import (
	"encoding/json"
	"slices"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/conversation"
)

// VisionQuery returns the request that asks m's server whether m accepts images: URL and
// body. The URL is "" if the API has no such request.
func (m Model) VisionQuery() (url string, body []byte) {
	if m.row().show == "" || m.Blind {
		return "", nil
	}
	body, _ = json.Marshal(map[string]string{"model": m.Name}) // a string always encodes
	return m.at(m.row().show), body
}

// HasVision reports, from the answer to VisionQuery, whether m accepts images. An older
// server does not say; then it may.
func (m Model) HasVision(answer []byte) bool {
	abilities := gjson.GetBytes(answer, "capabilities")
	vision := func(v gjson.Result) bool { return v.Str == "vision" }
	return !abilities.IsArray() || slices.ContainsFunc(abilities.Array(), vision)
}

// HasImages reports whether a request contains an image.
func (r *Request) HasImages() bool {
	return slices.ContainsFunc(r.Talk.Messages, func(msg conversation.Message) bool {
		return slices.ContainsFunc(msg.Parts, func(p conversation.Part) bool {
			return slices.ContainsFunc(p.Media, conversation.Medium.Image)
		})
	})
}
