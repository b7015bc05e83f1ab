package config

import (
	"time"

	"ua/internal/common/journal"
)

// AskTimeout is how long a person may take to answer a question, unless an option says
// otherwise.
const AskTimeout = 5 * time.Minute

// What a run is held to where [ua] says nothing (ua-config(5)).
const (
	defaultMaxTurns      = 100
	defaultMaxCommands   = 200
	defaultMaxCalls      = 64 // in one answer
	defaultContextTokens = journal.DefaultBudget
)
