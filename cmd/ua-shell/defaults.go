package main

import "ua/internal/common/config"

// The options' defaults (ua-shell(1)).
const (
	defaultLines      = 200 // of the session that the model is told
	defaultAskTimeout = config.AskTimeout
)
