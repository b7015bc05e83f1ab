package jobs

import "time"

// SettleTime is how long a new job is watched before anything is said about it, so that
// one that fails at once is reported as failed.
const SettleTime = 200 * time.Millisecond
