/**
 * The scripts that shells load for completion. They pass the line to `rowsmith __complete` and
 * evaluate nothing of it.
 */

/** By the name of the shell. */
export const completionScripts: Readonly<Record<'bash' | 'zsh' | 'fish', string>> = {
  bash: `# Completion of rowsmith for bash: source <(rowsmith completion bash)
_rowsmith() {
  local line cur=\${COMP_WORDS[COMP_CWORD]}
  # bash has divided the word at these characters.
  [[ $cur == [=:] ]] && cur=
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :files) compopt -o filenames +o nospace 2>/dev/null
        while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$cur") ;;
      :directories) compopt -o filenames +o nospace 2>/dev/null
        while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -d -- "$cur") ;;
      *) COMPREPLY+=("$line") ;;
    esac
  done < <("\${COMP_WORDS[0]}" __complete bash "\${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
}
complete -o nospace -F _rowsmith rowsmith
`,
  zsh: `#compdef rowsmith
# Completion of rowsmith for zsh: source <(rowsmith completion zsh), after compinit
_rowsmith() {
  local line word
  local -a given plain open
  given=("\${(@Q)words[1,CURRENT]}")
  while IFS= read -r line; do
    word=\${line%%$'\\t'*}
    case $word in
      :files) compset -P '--*='; _files; return ;;
      :directories) compset -P '--*='; _files -/; return ;;
      *=) open+=("$word") ;;
      *) plain+=("\${word//:/\\\\:}:\${\${line#*$'\\t'}//$word/}") ;;
    esac
  done < <($given[1] __complete zsh "\${(@)given[2,-1]}" 2>/dev/null)
  (( $#open )) && compadd -S '' -- $open
  (( $#plain )) && _describe -t commands rowsmith plain
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _rowsmith "$@"
else
  compdef _rowsmith rowsmith
fi
`,
  fish: `# Completion of rowsmith for fish: rowsmith completion fish | source
function __rowsmith_complete
    set -l given (commandline -opc)
    set -l current (commandline -ct)
    for line in ($given[1] __complete fish $given[2..-1] "$current" 2>/dev/null)
        switch $line
            case :files
                set -l start (string match -r -- '^--[^=]*=' "$current")
                for path in (__fish_complete_path (string replace -r -- '^--[^=]*=' '' "$current"))
                    echo "$start$path"
                end
            case :directories
                set -l start (string match -r -- '^--[^=]*=' "$current")
                for path in (__fish_complete_directories (string replace -r -- '^--[^=]*=' '' "$current"))
                    echo "$start$path"
                end
            case '*'
                echo $line
        end
    end
end
complete -c rowsmith -f -a '(__rowsmith_complete)'
`,
};
