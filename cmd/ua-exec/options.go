package main

import (
	"flag"
	"time"

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

// options holds what the flags of ua-exec set.
type options struct {
	profileMax string
	passes     bool   // --profile-max was given: another ua-exec follows
	above      string // the value of --profile-over
	jobs       int
	timeout    time.Duration
	timeoutMax time.Duration
	idle       time.Duration
	grace      time.Duration
	outputMax  int
	fileMax    int64
	dirMax     int64
	callsMax   int
	commands   int // the value of --max-commands
	pidsMax    int
	linger     bool
	dir        string
	env        []string
	envJudged  bool
	unset      []string
	read       []string
	write      []string
	netAllow   []string
	progress   bool
	ungated    bool
	unconfined bool
}

// parse reads the command line.
func parse(env *prog.Env) (*options, error) {
	o := &options{}
	fs := prog.Flags()
	fs.StringVar(&o.profileMax, "profile-max", defaultProfileMax, "")
	fs.StringVar(&o.above, "profile-over", "", "")
	prog.Number(fs, &o.jobs, "jobs", defaultJobs, 1, 0)
	prog.Duration(fs, &o.timeout, "timeout", defaultTimeout, 0)
	prog.Duration(fs, &o.timeoutMax, "timeout-max", defaultTimeoutMax, 0)
	prog.Duration(fs, &o.idle, "idle", defaultIdle, prog.OrZero)
	prog.Duration(fs, &o.grace, "grace", defaultGrace, prog.OrZero)
	prog.Number(fs, &o.outputMax, "output-max", defaultOutputMax, leastOutput, 0)
	prog.Number(fs, &o.fileMax, "file-max", defaultFileMax, 0, 0)
	prog.Number(fs, &o.dirMax, "dir-max", defaultDirMax, 0, 0)
	prog.Number(fs, &o.callsMax, "calls-max", defaultCallsMax, 0, 0)
	prog.Number(fs, &o.commands, "max-commands", -1, 0, 0)
	prog.Number(fs, &o.pidsMax, "pids-max", defaultPidsMax, 0, prog.MaxPids)
	fs.BoolVar(&o.linger, "linger", false, "")
	fs.StringVar(&o.dir, "dir", "", "")
	prog.List(fs, &o.env, "env")
	fs.BoolVar(&o.envJudged, "env-judged", false, "")
	prog.List(fs, &o.unset, "unset")
	prog.List(fs, &o.read, "read")
	prog.List(fs, &o.write, "write")
	prog.List(fs, &o.netAllow, "net-allow")
	fs.BoolVar(&o.progress, "progress", false, "")
	fs.BoolVar(&o.ungated, "ungated", false, "")
	fs.BoolVar(&o.unconfined, "unconfined", false, "")
	if err := env.Parse(fs, env.Args, help); err != nil {
		return nil, err
	}
	fs.Visit(func(f *flag.Flag) { o.passes = o.passes || f.Name == "profile-max" })
	if err := o.check(fs.Args()); err != nil {
		return nil, err
	}
	return o, nil
}

// check returns what is wrong with the options and operands, or nil.
func (o *options) check(operands []string) error {
	if len(operands) > 0 {
		return prog.Errorf(prog.Trouble, "%q: ua-exec takes no operands", operands[0]).
			Hintf(`calls come on stdin; a task is given to ua: ua "task"`)
	}
	if _, err := verdict.ParseProfile(o.profileMax); err != nil {
		return prog.Errorf(prog.Trouble, "--profile-max: %v", err)
	}
	if _, err := verdict.ParseProfile(o.above); err != nil && o.above != "" {
		return prog.Errorf(prog.Trouble, "--profile-over: %v", err)
	}
	return nil
}
