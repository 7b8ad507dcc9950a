/** Shells that the program can be completed in. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const

/** A command and its options, as a shell completes them. */
export interface Completed {
  readonly name: string
  readonly about: string
  /** Without dashes. */
  readonly options: readonly string[]
}

/** Returns a script that completes commands, their options, and files. */
export const completionFor = (shell: (typeof SHELLS)[number], commands: readonly Completed[]): string =>
  shell === 'fish'
    ? fish(commands)
    : shell === 'zsh'
      ? `autoload -U +X bashcompinit && bashcompinit\n${bash(commands)}`
      : bash(commands)

const bash = (commands: readonly Completed[]): string => `_quotetree() {
  local word=\${COMP_WORDS[COMP_CWORD]} words
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${commands.map(({ name }) => name).join(' ')}"
  else
    case \${COMP_WORDS[1]} in
${commands.map(({ name, options }) => `      ${name}) words="${options.map((option) => `--${option}`).join(' ')}" ;;`).join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _quotetree quotetree`

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`\'`)}'`

const fish = (commands: readonly Completed[]): string =>
  commands
    .flatMap(({ name, about, options }) => [
      `complete -c quotetree -n __fish_use_subcommand -a ${name} -d ${quoted(about)}`,
      ...options.map((option) => `complete -c quotetree -n '__fish_seen_subcommand_from ${name}' -l ${option}`),
    ])
    .join('\n')
