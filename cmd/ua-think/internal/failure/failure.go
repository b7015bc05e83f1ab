// Package failure describes why a model gave no complete answer: the exit status, whether
// trying again makes sense, and how long to wait first.
package failure

import (
	"errors"
	"time"

	"ua/cmd/ua-think/internal/usage"
	"ua/internal/common/event"
	"ua/internal/common/prog"
)

// Stage is the name of this program in error events.
const Stage = "ua-think"

// A Failure is the reason why a request got no complete answer. The zero values of its
// fields mean: no hint, not worth another try.
type Failure struct {
	Msg    string
	Hint   string
	Status int           // the exit status that it stands for (package prog)
	Retry  bool          // trying again makes sense
	Wait   time.Duration // how long the provider asks to wait, 0 when it does not say
	BadKey bool          // the provider does not take the key
	Cut    bool          // the answer ended too early
	Silent bool          // the answer is complete, and says nothing
	Usage  usage.Usage   // of the request, which no response tells
}

// Error returns the message without the hint.
func (f *Failure) Error() string { return f.Msg }

// Event returns the failure as an error event (ua-events(5)).
func (f *Failure) Event() []byte {
	msg := f.Msg
	if f.Hint != "" {
		msg += " (" + f.Hint + ")"
	}
	e := event.New("error").Str("stage", Stage).Str("message", msg).
		Bool("retryable", f.Retry).Int("status", int64(f.Status))
	if f.Wait > 0 {
		e.Int("retry_after_ms", f.Wait.Milliseconds())
		e.Str("retry_at", time.Now().Add(f.Wait).UTC().Format(time.RFC3339))
	}
	if f.Usage.Tokens() > 0 {
		e.Raw("usage", f.Usage.JSON())
	}
	return e.Line()
}

// Exit returns the failure as the error that ends the program with its status.
func (f *Failure) Exit() error {
	e := prog.Errorf(f.Status, "%s", f.Msg)
	e.Hint = f.Hint
	return e
}

// From returns err as a Failure. An error of an unknown kind is taken to pass with time.
func From(err error) *Failure {
	var f *Failure
	if errors.As(err, &f) {
		return f
	}
	var e *prog.Error
	if errors.As(err, &e) {
		return &Failure{Msg: e.Error(), Hint: e.Hint, Status: e.Status}
	}
	return &Failure{Msg: err.Error(), Status: prog.TryLater, Retry: true}
}

// CutOff returns the failure of a stream that ended before the answer was complete.
func CutOff(err error) *Failure {
	return &Failure{
		Msg:    "the model's answer was cut off: " + err.Error(),
		Status: prog.TryLater, Retry: true, Cut: true,
	}
}

// Interrupted returns the failure of a request that a signal ended. status is 128 plus
// the number of the signal.
func Interrupted(status int) *Failure {
	return &Failure{Msg: "interrupted", Status: status}
}

// Refused returns the failure of an answer that the model declined to give.
func Refused(why string) *Failure {
	return &Failure{
		Msg:    "the model refused to answer: " + why,
		Hint:   "reword the task, or use another model",
		Status: prog.No,
	}
}

// Bug returns the failure of a request that could not be encoded.
func Bug(err error) *Failure {
	return &Failure{Msg: "can't encode the request: " + err.Error(), Status: prog.Trouble}
}
