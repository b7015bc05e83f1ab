//go:build !lint

package main

import _ "modernc.org/sqlite" // the driver "sqlite"
