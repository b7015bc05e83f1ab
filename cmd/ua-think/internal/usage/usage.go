// Package usage counts the tokens of requests and what they cost.
package usage

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"ua/internal/common/media"
)

// A Usage counts the tokens of one request or the sum of several.
type Usage struct {
	Input      int64 // of the prompt, without those that a cache served or took
	CacheRead  int64
	CacheWrite int64
	Output     int64 // with those of Reasoning
	Reasoning  int64
	Cost       float64 // US dollars
	Priced     bool    // Cost is known
	Estimated  bool    // some of it is not what the provider has said
}

// A server can report any number. These are more than any answer has, and their sums are
// numbers still.
const (
	mostTokens = 1e12
	mostUSD    = 1e9
)

// Take sets n to a count of an event, if v is one. Negative counts become 0.
func Take(n *int64, v gjson.Result) {
	if v.Type == gjson.Number {
		*n = int64(min(max(v.Num, 0), mostTokens))
	}
}

// Assume estimates what the provider has not reported of a request of about prompt tokens:
// all of it, or an answer of size bytes that broke off or was not counted.
func (u *Usage) Assume(prompt int64, size int, broken bool) {
	if u.Prompt() == 0 {
		u.Input, u.Estimated = prompt, true
	}
	if n := Estimate(size); n > u.Output && (broken || u.Output == 0) {
		u.Output, u.Estimated = n, true
	}
}

// JSON returns the usage as a response event carries it, with the cost only if it is
// known.
func (u Usage) JSON() []byte {
	b := fmt.Appendf(nil, `{"input":%d,"cache_read":%d,"cache_write":%d,"output":%d,"reasoning":%d`,
		u.Input, u.CacheRead, u.CacheWrite, u.Output, u.Reasoning)
	if u.Priced && u.Cost <= math.MaxFloat64 { // JSON has no other numbers
		b = append(b, `,"cost_usd":`...)
		b = strconv.AppendFloat(b, math.Round(u.Cost*1e9)/1e9, 'f', -1, 64)
	}
	if u.Estimated {
		b = append(b, `,"estimated":true`...)
	}
	return append(b, '}')
}

// Read parses what JSON has written.
func Read(v gjson.Result) (u Usage) {
	Take(&u.Input, v.Get("input"))
	Take(&u.CacheRead, v.Get("cache_read"))
	Take(&u.CacheWrite, v.Get("cache_write"))
	Take(&u.Output, v.Get("output"))
	Take(&u.Reasoning, v.Get("reasoning"))
	cost := v.Get("cost_usd")
	u.Cost, u.Priced = min(max(cost.Float(), 0), mostUSD), cost.Exists()
	u.Estimated = v.Get("estimated").Bool()
	return u
}

// Tokens returns the tokens of the request and its answer.
func (u Usage) Tokens() int64 { return u.Prompt() + u.Output }

// Prompt returns the tokens of the request alone.
func (u Usage) Prompt() int64 { return u.Input + u.CacheRead + u.CacheWrite }

// Add adds v to u.
func (u *Usage) Add(v Usage) {
	u.Input += v.Input
	u.CacheRead += v.CacheRead
	u.CacheWrite += v.CacheWrite
	u.Output += v.Output
	u.Reasoning += v.Reasoning
	u.Cost += v.Cost
}

// BytesPerToken is the assumed size of a token when only bytes are known.
const BytesPerToken = 4

// Estimate returns about how many tokens n bytes of a request take. A medium in base64
// takes far fewer.
func Estimate(n int) int64 { return int64((n + BytesPerToken - 1) / BytesPerToken) }

// pdfStep is how many bytes of a PDF, in base64, count as one picture: a page of text has some
// ten thousand, a scanned one ten times that.
const pdfStep = 32 << 10

// Medium returns about how many tokens a file takes, whose data is given in base64, perhaps
// as a data URL: media.Tokens, and more for a long PDF, by its size.
func Medium(data string) int {
	if strings.HasPrefix(data, "data:") {
		_, data, _ = strings.Cut(data, ",")
	}
	if !strings.HasPrefix(data, pdfStart) {
		return media.Tokens
	}
	return media.Tokens * (1 + len(data)/pdfStep)
}

// pdfStart is how "%PDF-" begins in base64.
const pdfStart = "JVBER"
