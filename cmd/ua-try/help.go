package main

// help is the text of --help.
const help = `usage: ua-try [-o DIR] [--dir PATH]... [options] -- command [argument ...]
       ua-try ls [--json] [TRY ...]
       ua-try diff [--stat | --name-status | --json] [TRY] [PATH ...]
       ua-try apply [--force] [--skip-refused | --allow-refused] [TRY] [PATH ...]
       ua-try undo [--force] [TRY]
       ua-try drop [TRY ...]

Run the command on a copy-on-write view of the working folder. What it changes
is kept apart until you apply or drop it; the folder itself stays as it is.
TRY is an ID, the start of one, a try's folder, or last (default).

  -o DIR                keep the try in DIR
  --dir PATH            cover PATH too; may be repeated
  --except PATH         leave PATH, in a covered folder, out of the try; may be repeated
  --continue TRY        run it in TRY, or in a new one if that is applied or gone
  --link PATH           make PATH a symbolic link to the try
  --quiet               print no line about the changes at the end
  --stat                with diff: print how many lines of each file changed
  --name-status         with diff: print A, M, D, T or R and the path of each file
  --json                with diff and ls: print a JSON object for each
  --force               with apply and undo: overwrite what was changed since
  --skip-refused        with apply: apply all but what would mislead git
  --allow-refused       with apply: apply also what would mislead git
  --help                print this and exit
  --version             print the version and exit`
