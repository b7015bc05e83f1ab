package main

import (
	"time"

	"ua/cmd/ua-think/internal/answer"
	"ua/cmd/ua-think/internal/session"
	"ua/cmd/ua-think/internal/settings"
	"ua/cmd/ua-think/internal/transport"
	"ua/internal/common/config"
)

// The defaults of the options, which the settings can change (ua-think(1)).
const (
	defaultRetries  = 4
	defaultMaxWait  = time.Minute
	defaultConnect  = 10 * time.Second
	defaultIdle     = time.Minute
	defaultTotal    = 10 * time.Minute
	defaultQuiet    = 10 * time.Second // no option
	defaultMaxText  = 10 << 20
	defaultMaxEvent = 16 << 20 // a call's input of 10 MiB may come as one event
)

// The defaults of the verb serve.
const (
	defaultMaxRequests = 64
	defaultMaxDepth    = 3
)

// defaults returns the options of a command line without flags: the built-in defaults,
// changed by the settings.
func defaults(cfg *settings.Settings) *options {
	t := &cfg.Think
	o := &options{
		fallback: t.Fallback,
		session: session.Options{
			Effort: string(t.Effort), Thinking: -1, MaxTokens: t.MaxTokens, ContextTokens: t.ContextTokens,
			BudgetTokens: t.BudgetTokens, BudgetUSD: t.BudgetUSD, Retries: defaultRetries,
			MaxWait: or(t.MaxWait, defaultMaxWait),
			Answer:  answer.Limits{Event: defaultMaxEvent, Text: defaultMaxText},
		},
		time: transport.Limits{
			Connect: or(t.Connect, defaultConnect), First: or(t.First, 0), Idle: or(t.Idle,
				defaultIdle),
			Total: or(t.Total, defaultTotal), Quiet: defaultQuiet,
		},
	}
	if t.Thinking != nil {
		o.session.Thinking = *t.Thinking
	}
	if t.Retries != nil {
		o.session.Retries = *t.Retries
	}
	if t.MaxEvent > 0 {
		o.session.Answer.Event = t.MaxEvent
	}
	if t.MaxText > 0 {
		o.session.Answer.Text = t.MaxText
	}
	return o
}

// or returns a duration of the settings, or fallback if it is not set.
func or(d config.Duration, fallback time.Duration) time.Duration {
	if d > 0 {
		return time.Duration(d)
	}
	return fallback
}
