package ingest

import "time"

// lastWords is how long input is still read after SIGTERM. Whoever writes it may have got
// the signal too, and may be about to say how the run ended. A second SIGTERM ends the
// wait.
const lastWords = 10 * time.Second
