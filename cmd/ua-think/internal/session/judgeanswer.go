package session

import (
	"ua/cmd/ua-think/internal/answer"
	"ua/cmd/ua-think/internal/failure"
	"ua/internal/common/prog"
)

// judge returns what is wrong with a complete answer, or nil.
func judge(a *answer.Answer) *failure.Failure {
	switch a.Stop {
	case "refusal":
		return failure.Refused(a.Why)
	case "max_tokens":
		if a.Why == "model_context_window_exceeded" {
			return failure.API("the answer is not whole", 0,
				"context_length_exceeded", "the model's context is full")
		}
		return &failure.Failure{
			Msg:  "the answer is not whole: it reached the limit of its tokens",
			Hint: "--max-tokens lifts it", Status: prog.No,
		}
	case "error":
		return &failure.Failure{
			Msg:    "the provider ended the answer with an error: " + a.Why,
			Status: prog.TryLater, Retry: true,
		}
	}
	if a.Dropped && !a.Says() {
		return &failure.Failure{
			Msg:    "the model called a tool instead of answering, although none was declared",
			Status: prog.No,
		}
	}
	return nil
}
