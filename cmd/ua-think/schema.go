package main

import (
	"strings"

	"github.com/tidwall/gjson"

	"ua/internal/common/prog"
)

func checkSchema(path string, text []byte) (string, error) {
	if !gjson.ValidBytes(text) {
		return "", prog.Errorf(prog.Trouble, "%s is not JSON", path)
	}
	return strings.TrimSpace(string(text)), nil
}
