package man

import "embed"

// Pages is the sources of all manuals, for machines where they are not installed.
//
//go:embed *.1 *.5 *.7
var Pages embed.FS
