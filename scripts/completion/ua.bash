# bash completion for ua and its programs: the options and verbs that --help
# lists, so that it never drifts.
_ua() {
  local command=$1 word=$2 help words
  help=$("$command" --help 2>/dev/null)
  if [[ $word == -* ]]; then
    words=$(sed -n 's/^ *\(-.*\)/\1/p' <<<"$help" | sed 's/  .*//' | grep -oE -- '--?[A-Za-z][A-Za-z0-9-]*')
  elif [[ $COMP_CWORD == 1 ]]; then
    words=$(sed -nE 's/^(usage:)? *ua[a-z-]* ([a-z][a-z-]+)( .*)?$/\2/p' <<<"$help")
    [[ $command != ua ]] || words+=" $(compgen -c ua- | sed 's/^ua-//')"
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -o default -F _ua ua ua-think ua-gate ua-exec ua-sandbox ua-journal ua-shell ua-try
