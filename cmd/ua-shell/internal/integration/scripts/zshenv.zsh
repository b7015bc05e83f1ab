# ua-shell's part of zsh stands in a ZDOTDIR of its own. It gives the user's back
# and reads the file that it stood for, at top level, where typeset stays global.
if (( ${+UA_SHELL_ZDOTDIR} )); then
  builtin export ZDOTDIR=$UA_SHELL_ZDOTDIR
  builtin unset UA_SHELL_ZDOTDIR
else
  builtin unset ZDOTDIR
fi
{
  [[ ! -r ${ZDOTDIR:-$HOME}/.zshenv ]] || builtin source ${ZDOTDIR:-$HOME}/.zshenv
} always {
  [[ ! -o interactive ]] || builtin source '@FOLDER@/init.zsh'
}
