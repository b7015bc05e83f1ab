package main

import (
	"encoding/json"
	"errors"
	"os"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/tidwall/gjson"

	"ua/internal/common/prog"
)

// loadSchema reads the JSON Schema of the answer. It is sent on one line, as it
// stands.
func loadSchema(path string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", prog.Errorf(prog.Trouble, "%q: %v", path, errors.Unwrap(err))
	}
	if _, err := resolveSchema(text); err != nil {
		return "", prog.Errorf(prog.Trouble, "%s is no JSON Schema: %v", path, err)
	}
	return oneLine(strings.TrimSpace(string(text))), nil
}

func resolveSchema(text []byte) (*jsonschema.Resolved, error) {
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, err
	}
	return s.Resolve(nil)
}

// checkAnswer says what is wrong with an answer that was to be JSON of a schema.
func checkAnswer(schema string, a *answer) *failure {
	var text strings.Builder
	for _, b := range a.blocks {
		if b.kind == "text" {
			text.WriteString(gjson.Parse(`"` + string(b.body.join()) + `"`).Str)
		}
	}
	return checkText(schema, text.String())
}

func checkText(schema, text string) *failure {
	bad := func(why string) *failure {
		return &failure{msg: "the answer does not fit the schema: " + why, hint: "say in the question what the answer is to hold, or take a model that keeps schemas", status: prog.No}
	}
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return bad("it is not JSON: " + err.Error())
	}
	s, err := resolveSchema([]byte(schema))
	if err == nil {
		err = s.Validate(v)
	}
	if err != nil {
		return bad(err.Error())
	}
	return nil
}
