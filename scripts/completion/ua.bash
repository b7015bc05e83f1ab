# bash completion for ua and its programs. ua complete knows what may stand next.
_ua() {
  mapfile -t COMPREPLY < <(ua complete -- "${COMP_WORDS[@]:0:COMP_CWORD+1}" 2>/dev/null | cut -f1)
}
complete -o default -F _ua ua ua-think ua-gate ua-exec ua-sandbox ua-journal ua-journal-index ua-acp ua-doctor ua-mcp ua-race ua-record ua-seal ua-shell ua-try
