package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"ua/internal/common/config"
	"ua/internal/common/prog"
	"ua/internal/common/style"
)

// edit lets the person edit the command in $VISUAL, $EDITOR or vi. An empty result is an
// error.
func edit(command string) (string, error) {
	f, err := os.CreateTemp("", "ua-gate-*.sh")
	if err != nil {
		return "", err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(command + "\n")
	if err = errors.Join(err, f.Close()); err != nil {
		return "", err
	}
	editor := cmp.Or(os.Getenv("VISUAL"), os.Getenv("EDITOR"), "vi")
	if err := onTerminal(editor, f.Name()); err != nil {
		return "", err
	}
	text, err := os.ReadFile(f.Name())
	if err == nil && strings.TrimSpace(string(text)) == "" {
		err = errors.New("the edited command is empty")
	}
	return strings.TrimRight(string(text), "\n"), err
}

// view shows a text in $PAGER or less. Characters that could drive the terminal are shown
// as codes.
func view(text string) error {
	f, err := os.CreateTemp("", "ua-gate-*.txt")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(style.Visible(text))
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return onTerminal(cmp.Or(os.Getenv("PAGER"), "less"), f.Name())
}

// onTerminal runs a command of the person's own on the file, with the terminal.
func onTerminal(command, file string) error {
	tty, err := openTerminal()
	if err != nil {
		return err
	}
	defer tty.Close()
	defer lineMode(tty)                // it may be killed
	signals := make(chan os.Signal, 1) // Ctrl-C is the command's while it runs
	prog.Notify(signals, syscall.SIGINT, syscall.SIGQUIT)
	defer prog.Stop(signals)
	cmd := exec.Command("/bin/sh", "-c", command+` "$1"`, "sh", file)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.Env = config.OutsideEnv(config.WithoutKeys(os.Environ()))
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %v", command, bare(err))
	}
	return nil
}
