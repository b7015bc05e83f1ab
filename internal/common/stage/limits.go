package stage

import "time"

// Grace is how long stages may take to end by themselves.
const Grace = 5 * time.Second

// lookTime is how long ua-sandbox may take to look at protected files and to remove the
// commands' TMPDIR before it is killed.
const lookTime = 5 * time.Second
