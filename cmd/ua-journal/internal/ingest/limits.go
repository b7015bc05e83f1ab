package ingest

import "time"

// lastWords is how long input is still taken after SIGTERM: who writes it may have
// got the signal too, and be about to say how the run ended. A second one ends the
// wait.
const lastWords = 10 * time.Second
