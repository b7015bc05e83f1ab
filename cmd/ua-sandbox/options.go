package main

import (
	"flag"
	"fmt"
	"slices"
	"strconv"
	"syscall"

	"ua/cmd/ua-sandbox/internal/access"
	"ua/cmd/ua-sandbox/internal/ulimit"
	"ua/internal/common/prog"
	"ua/internal/common/verdict"
)

// help is the text of --help.
const help = `usage: ua-sandbox [options] -- command [argument ...]
       ua-sandbox --explain | --probe [--json]
       ua-sandbox --connect HOST PORT
       ua-sandbox --last-look

Confine the command to a profile, then run it.

  --profile NAME        use this profile: read-only, workspace (default), network,
                        none, or a TOML file
  --write PATH          let the command write PATH
  --grant PATH          as --write; no part of PATH may be a symbolic link
  --read PATH           let the command read PATH although it is a secret
  --deny PATH           let nothing read or write PATH
  --protect PATH        let nothing write PATH
  --tmp[=DIR]           keep TMPDIR in memory, or in DIR, which is not removed
  --socket PATH         let the command connect to the Unix socket PATH outside
  --env NAME[=VALUE]    pass the variable although it looks secret, or set it
  --withhold NAME       keep the variable from the command
  --env-judged          the caller has judged what else looks secret
  --fd N                keep file descriptor N open
  --net-allow HOST[:PORT]
                        let the proxy reach a host, "*.DOMAIN", "packages" or "git"
  --net-allow-fd N      let it reach what the file of descriptor N lists meanwhile
  --status-fd N         write an event to descriptor N if the command was not run
  --land                take changes in repositories also when the command asks
  --net-capture         answer DNS and take connections to ports 80 and 443 for
                        programs that support no proxy
  --net-log FILE        append an event for each request and each protected file to FILE
  --net-log-fd N        write these events to descriptor N
  --inject HOST=NAME[:HEADER]
                        add the value of variable NAME as a header to requests for HOST
  --mem SIZE            bound each process's memory
  --cpu TIME            bound each process's processor time
  --pids N              bound the number of processes
  --fsize SIZE          bound the size of a written file
  --ulimit NAME=N       lower this process's own limit data, fsize or nproc first
  --strict              refuse to run below tier 3, and protect the workspace's hooks
                        and settings
  --root-ok             let --strict run as root
  --tier N              use this tier, from 4 to 0, and no other
  --nested              only add Landlock and seccomp to this process and become the
                        command
  --quiet               do not warn about missing layers and withheld variables
  --explain             print what the command may do here, and do not run it
  --probe               print which layers work on this system
  --json                with --explain or --probe: print JSON
  --last-look           check the protected files of sandboxes that were killed
  --connect             connect standard input and output to HOST PORT through the proxy
  --help                print this help and exit
  --version             print the version and exit`

// options holds the command line.
type options struct {
	access.Options
	fds                           []int
	withhold                      []string
	envJudged                     bool
	ulimits                       []ulimit.Limit
	statusFD                      int // -1 for none
	netLogFD                      int // -1 for none
	netAllowFD                    int // -1 for none
	netLog                        string
	explain, probe, json, connect bool
	lastLook, land                bool
}

// flags returns the flag set and where it puts the values.
func flags() (*flag.FlagSet, *options) {
	fs, o := prog.Flags(), &options{statusFD: -1, netLogFD: -1, netAllowFD: -1}
	o.Tier = access.Auto
	fs.StringVar(&o.Profile, "profile", string(verdict.ProfileWorkspace), "")
	for name, list := range map[string]*[]string{
		"write": &o.Write, "grant": &o.Grants, "read": &o.Read, "deny": &o.Deny, "protect": &o.Protect,
		"socket": &o.Sockets, "env": &o.Env, "withhold": &o.withhold,
		"net-allow": &o.NetAllow, "inject": &o.Inject,
	} {
		prog.List(fs, list, name)
	}
	fs.BoolFunc("tmp", "", func(s string) error {
		if s == "true" {
			s = access.TmpMemory
		}
		o.Tmp = access.ParseTmp(s)
		return nil
	})
	fs.Func("fd", "", func(s string) error {
		n, err := descriptor(s, 0)
		o.fds = append(o.fds, n)
		return err
	})
	fs.Func("status-fd", "", func(s string) (err error) {
		o.statusFD, err = descriptor(s, 3)
		return err
	})
	fs.Func("net-log-fd", "", func(s string) (err error) {
		o.netLogFD, err = descriptor(s, 1)
		return err
	})
	fs.Func("net-allow-fd", "", func(s string) (err error) {
		o.netAllowFD, err = descriptor(s, 3)
		o.NetLive = err == nil
		return err
	})
	fs.BoolVar(&o.land, "land", false, "")
	fs.StringVar(&o.netLog, "net-log", "", "")
	fs.Func("ulimit", "", func(s string) error {
		u, err := ulimit.Parse(s)
		o.ulimits = append(o.ulimits, u)
		return err
	})
	fs.TextVar(&o.Limits.Mem, "mem", prog.Bytes(0), "")
	fs.TextVar(&o.Limits.CPU, "cpu", access.Span(0), "")
	fs.TextVar(&o.Limits.Fsize, "fsize", prog.Bytes(0), "")
	prog.Number(fs, &o.Limits.Pids, "pids", 0, 1, prog.MaxPids)
	for _, name := range []string{"tier", "level"} { // --level is what scripts may still say
		prog.Number(fs, &o.Tier, name, access.Auto, 0, 4)
	}
	for name, value := range map[string]*bool{
		"net-capture": &o.NetCapture, "strict": &o.Strict, "root-ok": &o.RootOK,
		"nested": &o.Nested, "env-judged": &o.envJudged,
		"quiet": &o.Quiet, "explain": &o.explain, "probe": &o.probe, "json": &o.json,
		"connect": &o.connect, "last-look": &o.lastLook,
	} {
		fs.BoolVar(value, name, false, "")
	}
	return fs, o
}

// descriptor parses the number of a file descriptor that is at least least. With an error
// it returns -1.
func descriptor(s string, least uint64) (int, error) {
	n, err := strconv.ParseUint(s, 10, 16)
	if err != nil || n < least {
		return -1, fmt.Errorf("want the number of a descriptor from %d", least)
	}
	return int(n), nil
}

// check returns an error for options that contradict each other.
func (o *options) check() error {
	switch {
	case o.Strict && o.Tier >= 0 && o.Tier < 3:
		return usage("--strict and --tier %d: strict wants 4 or 3", o.Tier)
	case slices.Contains(o.fds, o.statusFD):
		return usage("--status-fd and --fd name one descriptor")
	case o.netLog != "" && o.netLogFD >= 0:
		return usage("--net-log and --net-log-fd contradict each other")
	case o.Nested && o.Tier >= 0:
		return usage("--nested has no tiers")
	case o.Tier == 4 && o.Profile == "none":
		return usage("--tier 4 and --profile none contradict each other: none has no pid namespace")
	case o.Strict && o.Profile == "none":
		return usage("--strict and --profile none contradict each other")
	}
	return nil
}

// usage returns an error with the status of a chain loader's own usage.
func usage(format string, a ...any) *prog.Error {
	return prog.Errorf(prog.LoaderUsage, format, a...)
}

// resolve returns the policy of the options in the working folder.
func resolve(o *options) (*access.Policy, error) {
	dir, err := syscall.Getwd() // the kernel's word: what PWD names may be another folder by now
	if err != nil {
		return nil, usage("working directory: %w", err)
	}
	p, err := access.Resolve(o.Options, dir)
	if err != nil {
		return nil, usage("%w", err)
	}
	return p, nil
}
