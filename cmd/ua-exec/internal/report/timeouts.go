package report

import "time"

// leaseTime is how long the proxy may take to lease a password. A busy machine is slow.
const leaseTime = 10 * time.Second

// proxyTime is how long the proxy, which is on this machine, may take to answer a
// question.
const proxyTime = 500 * time.Millisecond
