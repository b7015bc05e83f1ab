package classify

import _ "embed" // for rowsText

// rowsText is what commands_gen.go was made from. Only Embedded reads it: a gate
// that starts looks rows up in the generated table.
//
//go:embed commands.toml
var rowsText string

// Embedded is the rows that come with the program, read anew, with the examples
// that the generated table leaves out.
func Embedded() (*Table, error) { return ParseTable("commands.toml", rowsText) }
