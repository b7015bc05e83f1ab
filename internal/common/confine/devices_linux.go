package confine

// Devices returns the names in /dev of what every program may use.
func Devices() []string { return []string{"null", "zero", "full", "random", "urandom", "tty"} }
