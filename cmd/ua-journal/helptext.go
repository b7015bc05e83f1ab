package main

// help is the text of --help. A test holds it and ua-journal(1) together.
const help = `usage: ua-journal append [--tee] [--final] [--wait] [--deltas] [--sync POLICY]
                         RUN|FILE
       ua-journal new [--path] [--task TEXT]
       ua-journal end [--exit-code N] [--stage NAME] [--message TEXT]
                      [--retryable] [RUN]
       ua-journal read [--budget TOKENS] [RUN]
       ua-journal answer [RUN]
       ua-journal path [RUN]
       ua-journal cat [RUN ...]
       ua-journal tail [-n N] [-f] [RUN]
       ua-journal ls [--json] [--all] [RUN]
       ua-journal show [-n N] [-f] [--output] [RUN]
       ua-journal grep [--type TYPE,...] [--field PATH=RE] [-e REGEXP]
                       [--all] [RUN ...]
       ua-journal export --atif|--csv|--html|--otlp [--post URL] [--all] [RUN ...]
       ua-journal import --from AGENT FILE
       ua-journal ship --to PLACE [-f] [--host NAME] [RUN ...]
       ua-journal verify [--checks] [--expect HASH] [--all] [RUN ...]
       ua-journal redact [--match TEXT|-] [--line N] RUN
       ua-journal prune --older AGE [--outputs] [--dry-run]
       ua-journal calls [--budget TOKENS] [N] [RUN]
       ua-journal trajectories [--budget TOKENS] [--all] [RUN ...]
       ua-journal replay [RUN]
       ua-journal index [QUESTION|SQL]

RUN is a run's ID, the start of one, "last" (the default), a path with a slash
or one that ends in .jsonl; for cat and grep, "audit" is the audit log.
QUESTION is spend, denied or slow.

  --all            include every run, and the runs of subagents
  --atif           print a trajectory of Harbor's ATIF for each run, as JSON
  --budget TOKENS  keep the conversation within this many tokens (60000; 0: all)
  --csv            print one row of CSV for each call
  --deltas         keep delta events too
  --dry-run        say what would be removed
  -e REGEXP        print lines that match
  --exit-code N    record N as the run's exit status
  --checks         print what the checks of a run with --until have proved
  --expect HASH    require the line with this hash to be in the journal
  --final          add a summary at the end of input if there was none
  -f, --follow     keep printing, or shipping, what is added
  --field PATH=RE  print events whose member at PATH matches
  --from AGENT     the file is a session of claude-code, codex or pi
  --host NAME      ship as the host NAME
  --html           print a page of runs and their subagents, as show prints them
  --json           print one JSON object for each run
  --line N         redact all of line N
  --match TEXT     redact TEXT wherever it occurs; - reads texts from stdin
  --message TEXT   record how the run failed
  -n N             print the last N lines (10)
  --otlp           print spans for OpenTelemetry, as OTLP JSON
  --older AGE      remove runs last written longer ago than AGE: 30d, 12h
  --output         print everything that the commands printed
  --outputs        remove only the files of long outputs; keep the journals
  --path           print the journal's path instead of the run's ID
  --post URL       send the spans to a collector, such as
                   http://localhost:4318/v1/traces
  --retryable      record that trying again makes sense
  --stage NAME     record which stage failed
  --sync POLICY    fsync never (none), each turn (turn), or each line (line)
  --task TEXT      begin the journal with the run, system and instruction events
  --tee            pass each line on to stdout once it is written
  --to PLACE       a folder, or a URL: http(s), s3://BUCKET/PREFIX, postgres
  --type TYPE,...  print events of these types
  --wait           wait for a journal that another process writes
  --help           print this help
  --version        print the version`
