package main

import (
	"os"
	"path/filepath"
	"strings"

	"ua/cmd/ua-shell/internal/shell"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/runfolder"
	"ua/internal/common/secret"
)

// confined returns a shell that runs inside ua-sandbox as the options say. The sandbox lets
// in the session's folder, where the shell's hooks meet us, and the folder of the
// session's subagents ("" for none). It reaches the hosts that the file hosts (nil for none) lists
// meanwhile, which only we can write. Variables that look like secrets stay outside (the
// secret package).
func confined(
	sh shell.Shell, o *options, folder, subagents string, hosts *os.File,
) (shell.Shell, error) {
	path, err := prog.FindSibling("ua-sandbox")
	if err != nil {
		return sh, err
	}
	args := []string{"--profile", o.sandbox}
	args = prog.Repeat(prog.Repeat(args, "--write", o.write), "--net-allow", o.netAllow)
	if folder != "" {
		args = append(args, "--write", folder, "--socket", filepath.Join(folder, "gateway.sock"))
	}
	if hosts != nil {
		args, sh.Extra = append(args, "--net-allow-fd", "3"), []*os.File{hosts}
	}
	if subagents != "" {
		answers := runfolder.AnswersFolder(run.Run{Dir: filepath.Dir(subagents)})
		args = append(args, "--write", subagents, "--read", answers, "--protect", answers)
	}
	kept, _ := secret.Environ(sh.Env, nil)
	for _, v := range kept {
		name, _, _ := strings.Cut(v, "=")
		args = append(args, "--env", name)
	}
	args = append(args, "--env", run.EnvShellTTY, "--", sh.Path)
	return shell.Shell{Path: path, Called: sh.Name(), Args: append(args, sh.Args...),
		Env: sh.Env, Extra: sh.Extra}, nil
}
