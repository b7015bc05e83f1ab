package main

import (
	"testing"

	"ua/internal/test/scripttest"
)

func TestScripts(t *testing.T) { scripttest.Run(t, nil) }
