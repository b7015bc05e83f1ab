// Package schema reads the JSON Schema for an answer, and checks answers against it.
package schema

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"ua/cmd/ua-think/internal/answer"
	"ua/cmd/ua-think/internal/failure"
	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/safefile"
)

// Load reads the JSON Schema in a file and returns it on one line, as it is sent.
func Load(path string) (string, error) {
	text, err := safefile.ReadNamed(path, event.MaxLine)
	if err != nil {
		return "", prog.Errorf(prog.Trouble, "%q: %v", path, errors.Unwrap(err))
	}
	if _, err := resolve(text); err != nil {
		return "", prog.Errorf(prog.Trouble, "%s is not a JSON Schema: %v", path, err)
	}
	return answer.OneLine(strings.TrimSpace(string(text))), nil
}

// resolve parses a schema.
func resolve(text []byte) (*jsonschema.Resolved, error) {
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, err
	}
	return s.Resolve(nil)
}

// Check returns what is wrong with an answer that should be JSON of a schema, or nil. Not
// all providers enforce the schema that they are sent. JSON in a fence of Markdown is taken
// out of it.
func Check(schema string, a *answer.Answer) *failure.Failure {
	var text strings.Builder
	var first *answer.Block
	for _, b := range a.Blocks {
		words := b.Words()
		if text.WriteString(words); words != "" && first == nil {
			first = b
		}
	}
	whole := text.String()
	said := unfenced(whole)
	var v any
	if err := json.Unmarshal([]byte(said), &v); err != nil {
		return misfit("it is not JSON: " + err.Error())
	}
	s, err := resolve([]byte(schema))
	if err == nil {
		err = s.Validate(v)
	}
	if err != nil {
		return misfit(err.Error())
	}
	if said != whole && first.Words() == whole {
		first.SetWords(said)
	}
	return nil
}

// unfenced returns what stands in a fence, if that is all of the text.
func unfenced(text string) string {
	fenced := strings.TrimSpace(text)
	inner, open := strings.CutPrefix(fenced, "```")
	inner, closed := strings.CutSuffix(inner, "```")
	if word, rest, ok := strings.Cut(inner, "\n"); open && closed && ok &&
		!strings.ContainsAny(word, "{[\"") {
		return strings.TrimSpace(rest)
	}
	return text
}

// misfit returns the failure of an answer that does not fit.
func misfit(why string) *failure.Failure {
	return &failure.Failure{
		Msg:    "the answer does not fit the schema: " + why,
		Hint:   "say in the question what the answer must contain, or use a model that follows schemas",
		Status: prog.No,
	}
}
