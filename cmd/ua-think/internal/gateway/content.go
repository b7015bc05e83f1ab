package gateway

import (
	"strings"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/provider"
	"ua/cmd/ua-think/internal/usage"
	"ua/internal/common/media"
)

// content is what a request contains, as far as that costs tokens or makes the provider
// reach out to others.
type content struct {
	text    int   // bytes
	media   int64 // tokens of images, documents and sounds
	address bool  // one is named by an address, which the provider would fetch
	stored  bool  // one is named by the ID of a file that the provider has stored
}

// walk adds up a value and everything in it. The input of a call and a schema count as
// text, whatever their members are called.
func (c *content) walk(v gjson.Result) {
	call := v.IsObject() && v.Get("type").Str == "tool_use"
	v.ForEach(func(key, value gjson.Result) bool {
		c.text += len(key.Raw)
		switch name := key.Str; {
		case value.Type == gjson.String:
			c.string(name, value)
		case value.Type != gjson.JSON:
			c.text += len(value.Raw)
		case call && name == "input", name == "input_schema", name == "parameters":
			c.text += len(value.Raw)
		case name == "images" && value.IsArray(): // Ollama
			c.media += value.Get("#").Int() * media.Tokens
		default:
			c.walk(value)
		}
		return true
	})
}

// string counts a string that is the member name of an object.
func (c *content) string(name string, v gjson.Result) {
	switch name {
	case "file_id":
		c.stored = c.stored || v.Str != ""
	case "data", "url", "image_url", "file_data", "file_url":
		if len(v.Str) > longString || strings.HasPrefix(v.Str, "data:") {
			c.media += int64(usage.Medium(v.Str))
			return
		}
		low := strings.ToLower(strings.TrimSpace(v.Str))
		c.address = c.address || name != "data" && strings.Contains(low, ":")
	}
	c.text += len(v.Raw)
}

// tokens returns about how many tokens the content takes.
func (c *content) tokens() int64 { return usage.Estimate(c.text) + c.media }

// hosted returns what a request would have the provider do beyond answering, "" for
// nothing. Each of these reaches the network from the provider, where the client's
// sandbox has no effect.
func (c *content) hosted(m provider.Model, root gjson.Result) string {
	switch {
	case c.address:
		return "fetch addresses"
	case c.stored || refers(root):
		// IDs are those of the whole account, also of files and answers of other programs.
		return "use what is stored there"
	case m.Searches(root.Get("model").Str):
		return "search the web"
	}
	for _, member := range provider.Remote() {
		if v := root.Get(member); v.Exists() && v.Type != gjson.Null && v.Type != gjson.False {
			return "use " + member
		}
	}
	for _, tool := range root.Get("tools").Array() {
		if typ := tool.Get("type").Str; typ != "" && m.Hosted(typ) {
			return "run its tool " + word(typ)
		}
	}
	return ""
}

// refers reports whether an item of the input stands for one of an earlier answer, by its
// ID alone (OpenAI's Responses API, item_reference).
func refers(root gjson.Result) (is bool) {
	root.Get("input").ForEach(func(_, item gjson.Result) bool {
		typ := item.Get("type").String()
		is = typ == "item_reference" || typ == "" && item.IsObject() && !item.Get("role").Exists()
		return !is
	})
	return is
}
