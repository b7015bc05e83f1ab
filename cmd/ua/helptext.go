package main

// shortHelp is the text of -h, one screen with a line for each verb that people type.
const shortHelp = `usage: ua [options] "task" [-]       (--help lists all options)
  --ask           ask before what the rules do not allow
  --try           keep what commands change apart: ua try diff | apply | drop
  -a FILE, -      attach a file, or standard input
  -m, -o, -q, -C  choose a model, an output file, no progress, a folder
Runs:
  ps              list the runs that go on, or with --all every one
  log, recall     print what a run has done; find words in all of them
  info, tree      print how a run ended, what it used, and its subagents
  resume, fork    continue a run, or continue a copy of it from an earlier turn
  asks, answer    list the questions of runs with --ask, and answer one
  send, wait      send a run a message; wait until runs have ended
  stop            end runs
  undo            take back what a run with --try or --atomic has changed
  gc              remove the work trees that runs have left
  job             start, list, read, feed and stop background commands
Setup:
  doctor          check what is here, what is missing, and say what to do
  config          print the settings; config init writes a file of them
  keys, models    store the key of a provider; list the models to choose from
  agents, skills  list the agents that --agent takes, or the skills for here
  help            explain a verb or a topic: ua help log, ua help policy
Programs beside it: ua try, gate, journal, sandbox, think, exec, shell`

// help is the text of --help. The options in it and in ua(1) are held together by a test.
const help = `usage: ua [options] "task" [-]
       ua [options] < task
       ua resume|fork [options] RUN ["task"]
       ua agents [--json]
       ua gc [--force]
       ua ps [--all] [--tree] [--from DIR] [--json]
       ua info|tree [--json] [RUN ...]
       ua log [-f] [-n N] [--diff] [RUN ...]
       ua wait [--time-limit D] [RUN ...]
       ua undo [--force] [RUN]
       ua stop [-y] [--grace D] RUN ...
       ua recall WORD ...
       ua send RUN "message"
       ua asks [--json]
       ua answer RUN [CALL] yes|no|"edit: CMD"|"words"
       ua job start [--keep] [--wake PATTERN] [--at TIME] [--profile NAME] [--] COMMAND ...
       ua job ls [--all] [--json] [-r RUN]
       ua job out [-f] [-n N] [-r RUN] JOB ...
       ua job in [--eof] [-r RUN] JOB [text ...]
       ua job stop [--grace D] [-r RUN] JOB ...
       ua far < request
       ua skills [--json]
       ua keys [--all] [--json]
       ua keys set PROVIDER
       ua keys rm PROVIDER
       ua models [--json] [PROVIDER ...]
       ua config [init]
       ua help [TOPIC]
       ua complete -- PROGRAM [WORD ...]
       ua NAME [argument ...]

      --agent NAME      work as the agent NAME; ua agents lists them
      --all             ps, job ls: include those that have ended; keys: include
                        providers without one
      --at N            fork: keep what came before turn N, and ask that turn again;
                        job start --at TIME: start it then (10m, 17:30, 2026-01-31T17:30)
      --atomic          apply what commands change at the end, only if all went well
  -a, --attach FILE     attach a file (text, image, PDF, WAV); may be repeated
      --ask             ask a person on the terminal, or by ua asks, before risky commands
      --ask-timeout D   wait this long for an answer (10m)
      --bg              print the run's ID and continue in the background
  -C, --directory DIR   work in DIR
      --budget-tokens N
                        end the run before it uses more than N tokens
      --budget-usd X    end the run before it costs more than X dollars
  -c, --continue        continue the newest run of this folder
      --context KEY=VALUE
                        tell the model this too; may be repeated
      --context-tokens N
                        send at most about N tokens of the conversation (60000)
      --diff            log: print what the run's try has changed
      --effort LEVEL    set how hard the model thinks: low, medium, high ...
      --env NAME        pass the variable to commands although it looks secret
      --eof             job in: close the job's input after the text
      --exec CMD        run commands with CMD in place of ua-sandbox and ua-exec
  -f, --follow          log, job out: keep printing until the run or job ends
      --force           gc: remove work trees with changes too; undo: overwrite
                        later changes
      --from DIR        ps: list the runs that ua-journal ship has brought to DIR
      --fsize SIZE      bound each file that commands write (8G)
      --gate CMD        judge commands with CMD in place of ua-gate
      --grace D         stop: kill after the duration D (10s); job stop: the same (2s)
      --help            print this help
      --isolate KIND    work in a git work tree of its own (worktree) or in the
                        folder itself (in_process)
      --json            print the run's events on stdout; ps, info, tree,
                        agents, skills, job ls, keys, models: print JSON
      --keep            job start: keep the job running when the run ends
      --max-commands N  end the run before it runs more than N commands (200)
      --max-turns N     end the run after N questions to the model (100)
      --mem SIZE        bound the memory of each process of commands (8G)
      --memory          read AGENTS.md files and list skills in a subagent too
  -m, --model MODEL     ask this model: PROVIDER/NAME
  -n N                  log: print the last N events; job out: the last N lines (1000)
      --net-allow HOST  let network commands reach HOST; may be repeated
  -o, --output FILE     write the answer to FILE, in one step and only on success
      --no-ask          do not ask, although the run that goes on was started so
      --no-memory       read no AGENTS.md files and list no skills
      --no-stay         end after the answer, although --bg waits for jobs
      --no-strict       take a lower tier, although the run was started with --strict
      --no-try          change the folder itself, although the run was started so
      --pids N          bound the number of processes of commands (4096)
      --profile NAME    run no command in a wider profile: read-only, workspace
                        or network (network)
  -q, --quiet           show no progress on stderr
  -r RUN                job: use the jobs of RUN
      --read PATH       let commands read PATH although it is secret; may be repeated
      --schema FILE     ask for an answer that fits this JSON Schema
      --sealed GLOBS    with --until: the checks see these paths as they were; may be repeated
      --socket PATH     let commands connect to the Unix socket PATH; may be repeated
      --stay            after an answer wait for jobs, which begin new turns; so does --bg
      --strict          refuse to run commands below sandbox tier 3
      --system FILE     use this system prompt in place of the usual one
      --think CMD       ask the model with CMD in place of ua-think
      --time-limit D    end the run after the duration D, such as 90s or 10m
      --tree            ps: list each run below the one that started it
      --tries N         with --until: fail after N rounds of the checks (5)
      --try             keep what commands change apart, for ua try diff | apply | drop
      --until CMD       be done only when CMD ends with 0 after the answer; may be repeated
      --version         print the version
      --via CMD         run the whole agent through an engine, which runs CMD ua far
      --wake PATTERN    job start: lines that match begin a turn of a run that waits
      --write DIR       let commands write in DIR too; may be repeated
  -y, --yes             stop: do not ask

RUN is a run's ID, the start or the last part of one, "last", or a path.
With a task in the arguments, stdin is not read; "-" attaches it.`
