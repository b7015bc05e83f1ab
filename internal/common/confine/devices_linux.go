package confine

// Devices returns the names of the devices in /dev that every program may use.
func Devices() []string { return []string{"null", "zero", "full", "random", "urandom", "tty"} }
