package main

import (
	"os"

	"ua/cmd/ua-try/internal/try"
	"ua/internal/common/prog"
)

// A parent is the stage outside. It makes the try's folder, starts init, which shows the
// command its view, and afterwards writes down what changed.
type parent struct {
	env     *prog.Env
	o       *options
	command []string
	covers  []string
	asis    []string
	own     []string // what is excepted, wherever it lies
	try     *try.Try
	lock    *os.File
	ended   *try.End // what the commands of the try were before, nil in a new one

	unrecorded bool // how the command ended, or what it changed, could not be written down
}
