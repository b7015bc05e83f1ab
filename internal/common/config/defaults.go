package config

import (
	"time"

	"ua/internal/common/journal"
)

// AskTimeout is the default for how long a person may take to answer a question.
const AskTimeout = 5 * time.Minute

// Defaults of [ua] (ua-config(5)).
const (
	DefaultMaxTurns      = 100
	defaultMaxCommands   = 200
	defaultMaxCalls      = 64 // in one answer
	defaultContextTokens = journal.DefaultBudget
)
