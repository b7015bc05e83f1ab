// Package options holds the options of ua-exec.
package options

import (
	"flag"
	"time"

	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/verdict"
)

// help is the text of --help.
const help = `
usage: ua-exec [options]

  --profile-max PROFILE  pass on calls that need a wider profile (none)
  --profile-over PROFILE run only calls that need a wider profile, and leave all
                         others to a ua-exec before this one
  --calls-max N          run at most N calls in one turn (100; 0: no limit)
  --max-commands N       run none of the calls after the first N
  --linger               at the end of the input, wait for background commands
  --jobs N               run up to N read_only calls side by side (1)
  --pids-max N           end a command with more than N processes and threads, which
                         the kernel does not bound for root (4096; 0: no limit)
  --timeout TIME         end a command after this time unless its call names one (2m)
  --timeout-max TIME     cap the limit that a call may name (30m)
  --idle TIME            end a command after this long without output (0: never)
  --grace TIME           wait this long between TERM and KILL (2s)
  --output-max BYTES     keep at most this much output in a result (32768)
  --file-max BYTES       keep at most this much of a longer output in a file (2 GiB)
  --dir-max BYTES        keep at most this much in all these files together (8 GiB)
  --dir DIR              put these files into DIR (a private folder in TMPDIR)
  --env NAME             pass the variable to commands although it looks secret
  --env-judged           the ua-sandbox around it has judged the environment
  --unset NAME           withhold the variable from commands
  --read DIR             let commands read DIR although a sandbox would hide it
  --write DIR            let commands write DIR too, from profile workspace up
  --net-allow HOST[:PORT]
                         let network commands reach HOST, if ua-exec itself is in
                         no sandbox
  --progress             write the newest line that a running command has printed
                         as a delta event
  --ungated              run calls that no gate has judged, in profile workspace
  --unconfined           run commands without ua-sandbox
  --help                 print this help
  --version              print the version
`

// Options hold what the flags of ua-exec set.
type Options struct {
	ProfileMax string
	Passes     bool   // --profile-max was given: another ua-exec follows
	Above      string // the value of --profile-over
	Jobs       int
	Timeout    time.Duration
	TimeoutMax time.Duration
	Idle       time.Duration
	Grace      time.Duration
	OutputMax  int
	FileMax    int64
	DirMax     int64
	CallsMax   int
	Commands   int // the value of --max-commands
	PidsMax    int
	Linger     bool
	Dir        string
	Env        []string
	EnvJudged  bool
	Unset      []string
	Read       []string
	Write      []string
	NetAllow   []string
	Progress   bool
	Ungated    bool
	Unconfined bool
}

// The defaults of the options (ua-exec(1)).
const (
	defaultJobs       = 1
	defaultTimeout    = event.CommandTimeout // the model is told of it
	defaultTimeoutMax = 30 * time.Minute
	defaultIdle       = 0 // never
	defaultGrace      = 2 * time.Second
	defaultOutputMax  = 32 << 10 // bytes in a result
	leastOutput       = 1024     // the smallest such limit
	defaultFileMax    = 2 << 30  // bytes of a longer output in a file
	defaultDirMax     = 8 << 30  // bytes in all these files
	defaultCallsMax   = 100      // in one turn
	defaultPidsMax    = 4096     // processes and threads of one command
	defaultProfileMax = string(verdict.ProfileNone)
)

// Parse reads the command line.
func Parse(env *prog.Env) (*Options, error) {
	o := &Options{}
	fs := prog.Flags()
	fs.StringVar(&o.ProfileMax, "profile-max", defaultProfileMax, "")
	fs.StringVar(&o.Above, "profile-over", "", "")
	prog.Number(fs, &o.Jobs, "jobs", defaultJobs, 1, 0)
	prog.Duration(fs, &o.Timeout, "timeout", defaultTimeout, 0)
	prog.Duration(fs, &o.TimeoutMax, "timeout-max", defaultTimeoutMax, 0)
	prog.Duration(fs, &o.Idle, "idle", defaultIdle, prog.OrZero)
	prog.Duration(fs, &o.Grace, "grace", defaultGrace, prog.OrZero)
	prog.Number(fs, &o.OutputMax, "output-max", defaultOutputMax, leastOutput, 0)
	prog.Number(fs, &o.FileMax, "file-max", defaultFileMax, 0, 0)
	prog.Number(fs, &o.DirMax, "dir-max", defaultDirMax, 0, 0)
	prog.Number(fs, &o.CallsMax, "calls-max", defaultCallsMax, 0, 0)
	prog.Number(fs, &o.Commands, "max-commands", -1, 0, 0)
	prog.Number(fs, &o.PidsMax, "pids-max", defaultPidsMax, 0, prog.MaxPids)
	fs.BoolVar(&o.Linger, "linger", false, "")
	fs.StringVar(&o.Dir, "dir", "", "")
	prog.List(fs, &o.Env, "env")
	fs.BoolVar(&o.EnvJudged, "env-judged", false, "")
	prog.List(fs, &o.Unset, "unset")
	prog.List(fs, &o.Read, "read")
	prog.List(fs, &o.Write, "write")
	prog.List(fs, &o.NetAllow, "net-allow")
	fs.BoolVar(&o.Progress, "progress", false, "")
	fs.BoolVar(&o.Ungated, "ungated", false, "")
	fs.BoolVar(&o.Unconfined, "unconfined", false, "")
	if err := env.Parse(fs, env.Args, help); err != nil {
		return nil, err
	}
	fs.Visit(func(f *flag.Flag) { o.Passes = o.Passes || f.Name == "profile-max" })
	if err := o.check(fs.Args()); err != nil {
		return nil, err
	}
	return o, nil
}

// check returns what is wrong with the options and operands, or nil.
func (o *Options) check(operands []string) error {
	if len(operands) > 0 {
		return prog.Errorf(prog.Trouble, "%q: ua-exec takes no operands", operands[0]).
			Hintf(`calls come on stdin; a task is given to ua: ua "task"`)
	}
	if _, err := verdict.ParseProfile(o.ProfileMax); err != nil {
		return prog.Errorf(prog.Trouble, "--profile-max: %v", err)
	}
	if _, err := verdict.ParseProfile(o.Above); err != nil && o.Above != "" {
		return prog.Errorf(prog.Trouble, "--profile-over: %v", err)
	}
	return nil
}

// networkShare says which part of the output is kept of a command with network access:
// one third. What it has fetched is anyone's text.
const networkShare = 3

// OutputMaxOf returns how much of the output of a command with the profile its result keeps.
func (o *Options) OutputMaxOf(p verdict.Profile) int {
	if p == verdict.ProfileNetwork {
		return o.OutputMax / networkShare
	}
	return o.OutputMax
}
