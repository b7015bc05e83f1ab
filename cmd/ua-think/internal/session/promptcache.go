package session

import (
	"time"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/usage"
)

// A cache is what a provider most likely has in its cache of the conversation: the prompt
// of the last answer.
type cache struct {
	spec   string // PROVIDER/NAME that was asked
	tokens int64
	until  time.Time
}

// take records a response of the conversation.
func (c *cache) take(ev gjson.Result, used usage.Usage) {
	at, err := time.Parse(time.RFC3339, ev.Get("ts").Str)
	if err != nil {
		at = time.Now()
	}
	*c = cache{ev.Get("model").Str, used.Prompt(), at.Add(cacheLife)}
}

// holds returns how many tokens of a request to a model its cache is likely to serve.
func (c *cache) holds(spec string, now time.Time) int64 {
	if c.spec != spec || now.After(c.until) {
		return 0
	}
	return c.tokens
}
