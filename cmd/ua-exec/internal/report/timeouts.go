package report

import "time"

// leaseTime is how long the proxy may take for a password: a machine that is busy is slow.
const leaseTime = 10 * time.Second

// proxyTime bounds the question to the proxy, which is on this machine.
const proxyTime = 500 * time.Millisecond
