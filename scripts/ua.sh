#!/bin/sh
# ua.sh TASK: the whole agent loop over the binaries, which ua(1) runs with less
# waiting, a sandbox for the whole run, and progress.
set -u
[ -n "$*" ] || { echo 'usage: ua.sh TASK' >&2; exit 1; }
run=$(ua-journal new --task "$*") || exit
dir=$(dirname "$(ua-journal path "$run")")
n=0 status=0
while [ "$status" = 0 ]; do
  n=$((n + 1))
  ua-journal read "$run" >"$dir/conversation"
  printf '{"type":"turn","n":%d}\n' "$n" | ua-journal append "$run"
  { ua-think <"$dir/conversation"; echo $? >"$dir/status"; } |
    ua-gate | ua-exec | ua-journal append --tee "$run" >"$dir/turn"
  read -r status <"$dir/status"
  grep -q '^{"type":"tool_call"' "$dir/turn" || break
done
[ "$status" != 0 ] || ua-journal answer "$run" || status=1
ua-journal end --exit-code "$status" "$run"
exit "$status"
