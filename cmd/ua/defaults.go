package main

import "time"

// defaultGrace is how long ua stop waits for a run to end by itself.
const defaultGrace = 10 * time.Second

// defaultJobGrace is how long ua job stop waits for a job to end by itself.
const defaultJobGrace = 2 * time.Second
