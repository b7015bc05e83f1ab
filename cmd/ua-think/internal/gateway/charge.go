package gateway

import (
	"time"

	"ua/cmd/ua-think/internal/answer"
	"ua/cmd/ua-think/internal/usage"
)

// What an answer that broke off is taken for, where the provider's own count
// stands at its end.
const (
	bytesPerStreamed = 64  // of a stream, for each token that it shows
	tokensPerSecond  = 100 // that a model makes, with the thoughts that it does not show
)

// charge returns what an answer is taken to have cost: what the provider says, or an
// estimate of what it did not come to say, as when the client went away.
func charge(q *question, a *answer.Answer, taken int, took time.Duration) usage.Usage {
	u := a.Usage
	if u.Prompt() == 0 {
		u.Input = q.prompt
	}
	if a.Stop == "" {
		guess := max(int64(taken/bytesPerStreamed), int64(took.Seconds()*tokensPerSecond))
		if q.answer > 0 {
			guess = min(guess, q.answer)
		}
		u.Output = max(u.Output, guess)
	}
	return u
}
