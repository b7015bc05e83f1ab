package gateway

import (
	"time"

	"ua/cmd/ua-think/internal/answer"
	"ua/cmd/ua-think/internal/usage"
)

// Assumptions about an answer that broke off, as providers report usage only at its end.
const (
	bytesPerStreamed = 64  // of a stream, for each token that it shows
	tokensPerSecond  = 100 // that a model makes, with the thoughts that it does not show
)

// charge returns what an answer is counted as: what the provider has reported or, when it
// could not report, as when the client has gone away, an estimate.
func charge(q *question, a *answer.Answer, taken int, took time.Duration) usage.Usage {
	u := a.Usage
	if u.Prompt() == 0 {
		u.Input = q.Prompt
	}
	if a.Stop == "" {
		guess := max(int64(taken/bytesPerStreamed), int64(took.Seconds()*tokensPerSecond))
		if q.Answer > 0 {
			guess = min(guess, q.Answer)
		}
		u.Output = max(u.Output, guess)
	}
	return u
}
