# ua-shell's part of bash. It stands in place of ~/.bashrc and reads that first.
# What follows survives set -eu, tells ua-shell by marks on stderr, where the
# prompt goes too, what the shell is at, and leaves $?, $_ and PIPESTATUS alone.
if [[ @LOGIN@ ]]; then
  [[ ! -r /etc/profile ]] || . /etc/profile
  if [[ -r ~/.bash_profile ]]; then . ~/.bash_profile
  elif [[ -r ~/.bash_login ]]; then . ~/.bash_login
  elif [[ -r ~/.profile ]]; then . ~/.profile
  fi
elif [[ -r ~/.bashrc ]]; then
  . ~/.bashrc
fi

# __ua_meet waits for ua-shell before each prompt, and tells what it was called with when it
# is given a token (tell): the kernel shows ua-shell that the shell itself reads here, so
# nobody else says it. It goes on with a command that ua-shell will type at the prompt
# (run), or with none (done), and with the key to the next line that is typed. mapfile,
# other than read, minds no TMOUT. What others have put there, or write to it without end,
# does not hold the prompt up.
__ua_meet() {
  local __ua_answer __ua_token= __ua_others=
  [[ $BASHPID == "$$" ]] || return 0
  builtin printf '\e]7283;@NONCE@;Q\a' >/dev/tty || return 0
  while [[ -p /dev/stdin ]] && builtin mapfile -t -n 1 __ua_answer && [[ ${__ua_answer-} ]]; do
    case $__ua_answer in
    "tell "*) __ua_token=${__ua_answer#tell }
      [[ ! $2 ]] || builtin printf '\e]7283;@NONCE@;L;%s;q%s\a' "$__ua_token" "$2" >/dev/tty
      builtin printf '\e]7283;@NONCE@;D;%s;%s\a' "$__ua_token" "$1" >/dev/tty ;;
    "$__ua_token set "*) __ua_answer=${__ua_answer#* set }
      __ua_set+=("${__ua_answer%%=*}")
      builtin export "$__ua_answer" ;;
    "$__ua_token env "*) (IFS=' '; __ua_environ ${__ua_answer#* env }) </dev/null >|'@FOLDER@/env'
      builtin printf '\e]7283;@NONCE@;V;%s\a' "$__ua_token" >/dev/tty ;;
    "$__ua_token cd "* | "$__ua_token new "*) builtin printf '\e]7283;@NONCE@;V;%s;%s\a' "$__ua_token" "$(IFS=' '; __ua_plain ${__ua_answer#"$__ua_token "} && builtin echo yes)" >/dev/tty ;;
    "$__ua_token run "* | "$__ua_token done "*) builtin printf -v __ua_key %s "${__ua_answer##* }"
      [[ $__ua_answer == *" done "* ]] || { # the line is the one that was allowed, with no ! of the history
        __ua_bang=${histchars-none}
        builtin printf -v histchars %s ''
      }
      break ;;
    *) __ua_others+=x; [[ ${#__ua_others} -lt 99 ]] || break ;;
    esac
  done 2>/dev/null <'@FOLDER@/go' || :
}

# __ua_environ prints the exported variables, and those that it is called with, in a subshell.
__ua_environ() {
  (($# == 0)) || builtin export -- "$@"
  builtin exec /usr/bin/env -0
}

# __ua_plain reports whether what it is called with does here what it says and no more: cd
# to a folder, or the assignment to a name that is new. It runs in a subshell.
__ua_plain() {
  case $1 in
  cd) [[ ! ${CDPATH-} && $(builtin type -t cd) == builtin ]] && ! shopt -q cdable_vars ;;
  *) [[ $- != *a* ]] && ! builtin declare -p "$2" >/dev/null ;;
  esac
}

# __ua_prompt runs last before each prompt.
__ua_prompt() {
  local __ua_status=$? __ua_cwd __ua_name __ua_line=
  { local -; set +exu; } 2>/dev/null
  [[ $__ua_held$__ua_kept$__ua_away ]] || builtin : 2>/dev/null >|'@FOLDER@/trap'
  __ua_kept=
  case $__ua_bang in
  '') ;;
  none) builtin unset histchars ;;
  *) builtin printf -v histchars %s "$__ua_bang" ;;
  esac
  __ua_bang=
  for __ua_name in "${__ua_set[@]}"; do builtin unset "$__ua_name"; done
  __ua_set=()
  builtin printf -v __ua_cwd %q "$PWD"
  [[ $__ua_installed ]] || __ua_install
  if [[ ! $__ua_bound ]]; then
    __ua_look
  elif [[ $__ua_more ]]; then
    builtin printf -v __ua_line %q "$__ua_lines"
  fi
  __ua_more=
  __ua_meet "$__ua_status;q$__ua_cwd" "$__ua_line"
  if [[ $PS1 != "$__ua_ps1" ]]; then
    __ua_ps1=${PS1//"$__ua_b"/}$__ua_b
    PS1=$__ua_ps1
  fi
  if [[ ${PS0-} != "$__ua_ps0" ]]; then
    __ua_ps0=${PS0-}
    __ua_ps0=${__ua_ps0//"$__ua_c"/}$__ua_c
    PS0=$__ua_ps0
  fi
  __ua_ran=
  builtin printf '\e]7283;@NONCE@;P\a' >/dev/tty
}

# __ua_enter runs when Enter is pressed. The line editor calls it at every
# prompt; only at PS1, which arms it, is the line a command.
__ua_enter() {
  local __ua_status=$? __ua_line
  { local -; set +exu; } 2>/dev/null
  if [[ ! $__ua_armed ]]; then # the next line of a command, unless one runs that reads
    [[ $__ua_ran ]] || __ua_lines+=$'\n'$READLINE_LINE __ua_more=1
    return "$__ua_status"
  fi
  __ua_armed= __ua_ran= __ua_more= __ua_lines=$READLINE_LINE
  [[ ${PROMPT_COMMAND[*]-} == *__ua_prompt* ]] || __ua_join # it was set anew
  [[ ! -s '@FOLDER@/trap' ]] || __ua_hold
  builtin printf -v __ua_line %q "$READLINE_LINE"
  builtin printf '\e]7283;@NONCE@;E;%s;q%s\a' "$__ua_key" "$__ua_line" >/dev/tty
  builtin printf -v __ua_key %s ''
  if [[ $READLINE_LINE == '#'* ]] &&
    { [[ $READLINE_LINE == *$'\n'* ]] || ! shopt -q interactive_comments; }; then
    builtin history -s -- "$READLINE_LINE" # it would run, or its other lines would
    READLINE_LINE=
  fi
  [[ ! $__ua_away ]] || { __ua_away=; . '@FOLDER@/trap'; } # Ctrl-C has ended the hook before
  return "$__ua_status"
}

# __ua_hold has a DEBUG trap, which the last element of PROMPT_COMMAND has written
# down, put away while PROMPT_COMMAND runs: one that measures how long a command takes
# would begin at ours. It is called outside of PROMPT_COMMAND, whose elements bash must
# not lose while it goes through them. An element 0 that was set anew is the user's, and
# takes the place of the one before.
__ua_hold() {
  local __ua_own=${PROMPT_COMMAND[0]}
  [[ $__ua_own != "$__ua_first" ]] || return 0
  if [[ $__ua_held ]]; then
    PROMPT_COMMAND[1]=${__ua_own//"$__ua_first"/"${PROMPT_COMMAND[1]}"}
    PROMPT_COMMAND[0]=$__ua_first
  else
    __ua_held=1
    PROMPT_COMMAND=("$__ua_first" "${PROMPT_COMMAND[@]}")
  fi
}

# __ua_look finds what was typed in the history, where Enter could not be bound. It sets
# __ua_line of __ua_prompt.
__ua_look() {
  local __ua_number
  __ua_line=$(HISTTIMEFORMAT='' builtin history 1)
  __ua_line=${__ua_line#"${__ua_line%%[![:space:]]*}"}
  __ua_number=${__ua_line%%[!0-9]*}
  __ua_line=${__ua_line#"$__ua_number"}
  __ua_line=${__ua_line#[* ]} __ua_line=${__ua_line# }
  if [[ $__ua_seen && $__ua_seen != "$__ua_number" && ($__ua_ran || $__ua_line == '#'*) ]]; then
    builtin printf -v __ua_line %q "$__ua_line"
  else
    __ua_line=
  fi
  __ua_seen=${__ua_number:-0}
}

# __ua_install runs at the first prompt, after all start-up files. Enter becomes
# two keys: our look at the line, then accept-line. It stays as it is where the
# user, ble.sh or a very old bash-preexec has it. A bash-preexec before 0.6 would take
# our look for a command, and is made to believe that one is looked at already, from
# the prompt (PS1) on to the start of a command (PS0).
__ua_install() {
  local __ua_map __ua_key __ua_quiet=
  __ua_installed=1
  # bash-preexec, which installs itself at this prompt, took our hook for a command.
  ! builtin declare -F __bp_interactive_mode >/dev/null || builtin echo __bp_interactive_mode 2>/dev/null >>'@FOLDER@/trap'
  [[ ! ${BLE_VERSION-} ]] || return 0
  if [[ ${bash_preexec_imported-}${__bp_imported-} ]]; then
    case $(builtin declare -f __bp_preexec_invoke_exec) in
    *READLINE_POINT*) ;;
    *'__bp_inside_preexec > 0'*) __ua_quiet=1 ;;
    *) return 0 ;;
    esac
  fi
  if ! shopt -q promptvars || [[ $(builtin bind -m emacs -p 2>/dev/null; builtin bind -m vi-insert -p 2>/dev/null) != *'"\C-m": accept-line'*'"\C-m": accept-line'* ]]; then return 0; fi
  for __ua_map in emacs vi-insert vi-command; do
    builtin bind -m $__ua_map -x '"\C-x\C-]\C-a": __ua_enter "$_"'
    builtin bind -m $__ua_map '"\C-x\C-]\C-b": accept-line'
    for __ua_key in '\C-m' '\C-j'; do
      builtin bind -m $__ua_map "\"$__ua_key\": \"\C-x\C-]\C-a\C-x\C-]\C-b\""
    done
  done 2>/dev/null
  __ua_bound=1
  if [[ $__ua_quiet ]]; then
    __ua_b+='${__ua_none[__bp_inside_preexec=1]-}'
    __ua_c+='${__ua_none[__bp_inside_preexec=0]-}'
  fi
}

__ua_installed= __ua_bound= __ua_held= __ua_kept= __ua_away= __ua_bang= __ua_armed= __ua_key= __ua_seen= __ua_ran= __ua_more= __ua_lines= __ua_ps1=$'\n' __ua_ps0=$'\n' __ua_set=() __ua_none=()
__ua_b='${__ua_none[__ua_armed=1]-}\[\e]7283;@NONCE@;B\a\]'
__ua_c='${__ua_none[__ua_ran=1]-}\e]7283;@NONCE@;C\a'
if ((BASH_VERSINFO[0] > 5 || BASH_VERSINFO[0] == 5 && BASH_VERSINFO[1] > 0)); then
  # __ua_away says that the trap is only in the file, where a hook that Ctrl-C has ended left it.
  __ua_first=":; [[ \$__ua_away ]] || builtin : 2>/dev/null >|'@FOLDER@/trap'; __ua_away=1; builtin trap -p DEBUG 2>/dev/null >>'@FOLDER@/trap' && builtin trap - DEBUG || :"
  if [[ ! ${bash_preexec_imported-}${__bp_imported-} ]]; then # it looks for the trap at the prompt
    builtin trap -p DEBUG 2>/dev/null >|'@FOLDER@/trap' && builtin trap - DEBUG
    __ua_kept=1 __ua_away=1
  fi
  __ua_join() {
    __ua_held=
    PROMPT_COMMAND+=("__ua_prompt; builtin trap -p DEBUG 2>/dev/null >>'@FOLDER@/trap' && __ua_away= && . '@FOLDER@/trap' || :")
  }
else
  __ua_join() {
    PROMPT_COMMAND='__ua_first=$?'$'\n'"${PROMPT_COMMAND-}"$'\n''(exit $__ua_first); __ua_prompt'
  }
fi
__ua_join
