package main

import "ua/internal/common/verdict"

// defaultProfile is the profile of a command whose options name none (ua-sandbox(1)).
const defaultProfile = string(verdict.ProfileWorkspace)
