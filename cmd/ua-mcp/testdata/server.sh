#!/bin/bash
# The server of the tests: it ends when it is told to crash.
exec sed -u '/going down/Q' < <(exec jq --unbuffered -cf "${0%.sh}.jq")
