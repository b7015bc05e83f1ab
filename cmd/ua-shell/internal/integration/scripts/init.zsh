# ua-shell's part of zsh: it waits until the start-up files are read, then joins
# the hooks, and touches neither prompts nor widgets. Marks tell ua-shell what the
# shell is at.
builtin typeset -g __ua_key= __ua_nocomments= __ua_bang= __ua_line= __ua_lax= __ua_met=
builtin typeset -ga __ua_set
__ua_set=()

__ua_mark() { builtin print -rn -- $'\e]7283;@NONCE@;'"$1"$'\a' >/dev/tty }

# __ua_meet waits for ua-shell before each prompt, and tells what it was called with when it
# is given a token (tell): the kernel shows ua-shell that the shell itself reads here, so
# nobody else says it. It goes on with a command that ua-shell will type at the prompt
# (run), or with none (done), and with the key to the next line that is typed. What others
# have put there, or write to it without end, does not hold the prompt up.
__ua_meet() {
  builtin local answer token= others=
  (( ! ZSH_SUBSHELL )) || builtin return 0
  __ua_mark Q || builtin return 0
  while [[ -p /dev/fd/0 ]] && IFS= builtin read -r answer; do
    case $answer in
    "tell "*) token=${answer#tell }; __ua_mark "D;$token;$1" ;;
    "$token set "*) answer=${answer#* set }
      __ua_set+=(${answer%%=*})
      builtin typeset -gx "$answer" ;;
    "$token env "*) (__ua_environ ${(s: :)answer#* env }) </dev/null >|'@FOLDER@/env'
      __ua_mark "V;$token" ;;
    "$token cd "* | "$token new "*) __ua_mark "V;$token;$(__ua_plain "${${answer#* }%% *}" "${answer##* }" && builtin print yes)" ;;
    "$token run "*) answer=${answer#* run } __ua_key=${answer%% *}
      [[ $answer == *" $__ua_key" ]] || builtin continue # a part is lost
      __ua_line=${(Q)${${answer#* }% *}}; break ;;
    "$token done "*) __ua_line= __ua_key=${answer##* }; break ;;
    *) others+=x; [[ ${#others} -lt 99 ]] || break ;;
    esac
  done 2>/dev/null <'@FOLDER@/go'
}

# __ua_environ prints the exported variables, and those that it is called with, in a subshell.
__ua_environ() {
  (( ! $# )) || builtin typeset -gx -- "$@"
  builtin exec /usr/bin/env -0
}

# __ua_plain reports whether what it is called with does here what it says and no more: cd
# to a folder, or the assignment to a name that is new. It runs in a subshell.
__ua_plain() {
  [[ -z $__ua_lax ]] || builtin return 1
  case $1 in
  cd) [[ -z $CDPATH && $(builtin whence -w cd) == 'cd: builtin' && -z ${galiases[(e)$2]-} ]] ;;
  *) ! builtin typeset -p -- "$2" >/dev/null ;;
  esac
}

# __ua_typed tells the line that was typed. The key shows that no command says it.
__ua_typed() {
  __ua_mark "E;$__ua_key;q${(qqqq)1}"
  __ua_key=
}

# Options that a function with options of its own sets end with it.
__ua_precmd() {
  builtin local ua_status=$?
  ! builtin zle 2>/dev/null || builtin return 0 # called by a widget that changes the folder
  if [[ -n ${__ua_nocomments-} ]]; then builtin unsetopt interactive_comments; __ua_nocomments=; fi
  if [[ -n ${__ua_bang-} ]]; then histchars=$__ua_bang __ua_bang=; fi
  [[ -o all_export || -o cdable_vars ]] && __ua_lax=1 || __ua_lax=
  __ua_join
  __ua_told $ua_status
  builtin return 0
}

__ua_told() {
  builtin emulate -L zsh
  builtin local name
  __ua_met=1
  for name in $__ua_set; do builtin unset $name; done
  __ua_set=()
  __ua_meet "$1;q${(qqqq)PWD}"
  __ua_mark P
}

__ua_preexec() {
  builtin emulate -L zsh
  __ua_typed "${1:-$3}"
  __ua_mark C
}

# Where a command has set precmd_functions anew, the end of it is told here, and from the next
# one on there again.
__ua_line_init() {
  builtin local ua_status=$?
  builtin emulate -L zsh
  [[ $CONTEXT == start ]] || builtin return 0
  if [[ -z $__ua_met ]]; then
    __ua_lax=1
    __ua_join
    builtin zle -I
    __ua_told $ua_status
  fi
  __ua_met=
  __ua_mark B
}

# __ua_join puts what is called before a prompt and before a command where they are called.
__ua_join() {
  builtin emulate -L zsh
  (( ${precmd_functions[(I)__ua_precmd]} )) || precmd_functions+=(__ua_precmd)
  (( ${preexec_functions[(I)__ua_preexec]} )) || preexec_functions+=(__ua_preexec)
}

__ua_line_finish() {
  [[ $CONTEXT == start && $BUFFER == \#* ]] || builtin return 0
  if [[ ! -o interactive_comments ]]; then builtin setopt interactive_comments; __ua_nocomments=1; fi
  __ua_taken
}

__ua_taken() {
  builtin emulate -L zsh -o extended_glob
  __ua_typed "$BUFFER"
  builtin local -a lines
  lines=("${(@f)BUFFER}")
  if (( $#lines > 1 )); then # the others would run
    BUFFER=${(pj:\n:)${(@)lines/#(#b)([^#]|(#e))/# $match[1]}}
  fi
}

# __ua_take takes the command that ua-shell was allowed to run, at a key of its own: as it is,
# with no ! of the history.
__ua_take() {
  [[ -n $__ua_line ]] || builtin return 0
  if [[ -n $histchars ]]; then __ua_bang=$histchars histchars=$'\1\2'${histchars#??}; fi
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
  precmd_functions=(${precmd_functions:#__ua_install})
  __ua_join
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

# A start-up file may set precmd_functions anew; what is scheduled runs at the first prompt too.
builtin typeset -ga precmd_functions preexec_functions
if builtin zmodload zsh/sched 2>/dev/null; then
  builtin sched +0 __ua_install
else
  precmd_functions+=(__ua_install)
fi
