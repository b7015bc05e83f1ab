package main

import "time"

// The options' defaults (ua-shell(1)).
const (
	defaultLines      = 200 // of the session that the model is told
	defaultAskTimeout = 5 * time.Minute
)
