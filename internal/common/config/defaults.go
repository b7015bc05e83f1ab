package config

import "ua/internal/common/journal"

// What a run is held to where [ua] says nothing (ua-config(5)).
const (
	defaultMaxTurns      = 100
	defaultMaxCommands   = 200
	defaultMaxCalls      = 64 // in one answer
	defaultContextTokens = journal.DefaultBudget
)
