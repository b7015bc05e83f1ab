package doctor

import "time"

// patience is how long a program may take to answer.
const patience = 20 * time.Second

// lowSpace is the free space in bytes below which a run may not fit on the disk.
const lowSpace = 100 << 20
