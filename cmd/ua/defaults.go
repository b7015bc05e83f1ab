package main

import "time"

// defaultGrace is how long a run may take to end by itself.
const defaultGrace = 10 * time.Second

// defaultJobGrace is how long a job may take to end by itself.
const defaultJobGrace = 2 * time.Second
