# ua-shell's part of zsh: it waits until the start-up files are read, then joins
# the hooks, and touches neither prompts nor widgets. Marks tell ua-shell what the
# shell is at.
builtin typeset -g __ua_asks= __ua_nocomments= __ua_line=
builtin typeset -gi __ua_turns=0
builtin typeset -ga __ua_set
__ua_set=()

__ua_mark() { builtin print -rn -- $'\e]7283;@NONCE@;'"$1"$'\a' >$TTY }

# __ua_wait hands over to ua-shell and goes on when it says so: with a command
# that it will type at the prompt (run), or because the turn is over (done).
__ua_wait() {
  builtin local answer
  __ua_turns+=1 __ua_asks=
  __ua_mark "Q;$__ua_turns"
  while IFS= builtin read -r answer; do
    case $answer in
    "$__ua_turns set "*) answer=${answer#* set }
      __ua_set+=(${answer%%=*})
      builtin typeset -gx "$answer" ;;
    "$__ua_turns run "*) __ua_asks=1 __ua_line=${(Q)${answer#* run }}; break ;;
    "$__ua_turns done") break ;;
    esac
  done 2>/dev/null <'@FOLDER@/go'
}

# Options that a function with options of its own sets end with it.
__ua_precmd() {
  builtin local ua_status=$?
  ! builtin zle 2>/dev/null || builtin return 0 # called by a widget that changes the folder
  if [[ -n ${__ua_nocomments-} ]]; then builtin unsetopt interactive_comments; __ua_nocomments=; fi
  __ua_told $ua_status
  builtin return 0
}

__ua_told() {
  builtin emulate -L zsh
  builtin local name
  for name in $__ua_set; do builtin unset $name; done
  __ua_set=()
  __ua_mark "D;$1;q${(qqqq)PWD}"
  [[ -z $__ua_asks ]] || __ua_wait
  __ua_mark P
}

__ua_preexec() {
  builtin emulate -L zsh
  __ua_mark "C;q${(qqqq)${1:-$3}}"
}

__ua_line_init() { builtin emulate -L zsh; [[ $CONTEXT != start ]] || __ua_mark B; builtin return 0 }

__ua_line_finish() {
  [[ $CONTEXT == start && $BUFFER == \#* ]] || builtin return 0
  if [[ ! -o interactive_comments ]]; then builtin setopt interactive_comments; __ua_nocomments=1; fi
  __ua_taken
}

__ua_taken() {
  builtin emulate -L zsh -o extended_glob
  __ua_mark "E;q${(qqqq)BUFFER}"
  __ua_asks=1
  builtin local -a lines
  lines=("${(@f)BUFFER}")
  if (( $#lines > 1 )); then # the others would run
    BUFFER=${(pj:\n:)${(@)lines/#(#b)([^#]|(#e))/# $match[1]}}
  fi
}

# __ua_take takes the command that ua-shell was allowed to run, at a key of its own.
__ua_take() {
  [[ -n $__ua_line ]] || builtin return 0
  BUFFER=$__ua_line __ua_line=
  CURSOR=$#BUFFER
  builtin zle accept-line
}

# __ua_hook joins one of zle's hooks. A plugin may have wrapped what add-zle-hook-widget
# put there; called once more that would put itself around the wrapping, and the two
# would call each other without end. Then ours goes around both.
__ua_hook() {
  builtin local -a hooked
  builtin zstyle -g hooked zle-$1 widgets
  if (( ! $#hooked || ! ${+widgets[zle-$1]} )) || [[ $widgets[zle-$1] == user:azhw:zle-$1 ]]; then
    add-zle-hook-widget $1 $2
  else
    builtin zle -A zle-$1 __ua_inner_$1
    functions[__ua_around_$1]="builtin zle __ua_inner_$1 -f nolast -N -- \"\$@\"; $2"
    builtin zle -N zle-$1 __ua_around_$1
  fi
}

__ua_install() {
  builtin local ua_status=$?
  builtin emulate -L zsh
  precmd_functions=(${precmd_functions:#__ua_install} __ua_precmd)
  preexec_functions+=(__ua_preexec)
  builtin autoload -Uz +X add-zle-hook-widget 2>/dev/null # fails where the user has it loaded
  (( ! ${+functions[add-zle-hook-widget]} )) || {
    builtin zle -N __ua_take
    builtin local map
    for map in main emacs viins vicmd; do builtin bindkey -M $map '\e[7283~' __ua_take; done
    __ua_hook line-init __ua_line_init
    __ua_hook line-finish __ua_line_finish
  }
  __ua_told $ua_status
}

builtin typeset -ga precmd_functions preexec_functions
precmd_functions+=(__ua_install)
