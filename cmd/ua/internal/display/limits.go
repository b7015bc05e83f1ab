package display

import "time"

// quietTime is how long the model may be silent before the person is told.
const quietTime = 2 * time.Second

// thoughtMax is how many bytes of a thought are kept to be shown.
const thoughtMax = 1000
