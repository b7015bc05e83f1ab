package jobs

import "time"

// SettleTime is how long a new job is watched before anything is said of it, so that one
// which fails at once is reported as what it is.
const SettleTime = 200 * time.Millisecond
