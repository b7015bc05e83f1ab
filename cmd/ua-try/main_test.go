package main

import (
	"testing"

	"ua/internal/common/scripttest"
)

func TestScripts(t *testing.T) { scripttest.Run(t, nil) }
