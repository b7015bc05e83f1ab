package session

import (
	"context"
	"time"

	"ua/cmd/ua-think/internal/answer"
	"ua/cmd/ua-think/internal/provider"
)

// A question is a request to one model. It can be asked any number of times.
type question struct {
	model  provider.Model
	body   provider.Body
	tokens int // that the conversation takes, by about
	// ask asks once.
	ask func(context.Context, *reply) error
	// bound limits the answer to that many tokens; nil where nobody is paid.
	bound    func(tokens int) error
	answer   int // the limit that the options set, 0 for none
	thinking int
}

// A reply is an answer with what the response event says about its request.
type reply struct {
	*answer.Answer
	sha      string // of the request's body
	spec     string // PROVIDER/NAME that was asked
	start    time.Time
	paid     bool          // a provider was asked, who takes money
	recorded func() []byte // the response event, when a recording gives it whole
}
