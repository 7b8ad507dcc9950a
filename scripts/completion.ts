import { type Command, declare, optionsOf } from './command.ts'
import { COMMANDS } from './commands.ts'
import { completionFor, SHELLS } from './completion-script.ts'
import { firstSentence } from './help.ts'
import { print } from './terminal.ts'
import { EXIT, UsageError } from './usage.ts'

export const command: Command = declare({
  operands: `<${SHELLS.join('|')}>`,
  options: {},
  without: { json: 'it prints a script for a shell', quiet: 'its output is its result' },
  notes: 'For bash, add to ~/.bashrc: eval "$(npx quotetree completion bash)"',
  async run(_, [shell, ...more]) {
    const known = SHELLS.find((one) => one === shell)
    if (known === undefined || more.length > 0)
      throw new UsageError(`Name one shell: ${SHELLS.join(', ')}, such as npx quotetree completion bash`)
    const words = await Promise.all(
      Object.entries(COMMANDS).map(async ([name, entry]) => ({
        name,
        about: firstSentence(entry),
        options: Object.keys(optionsOf((await entry.load()).command)),
      })),
    )
    print(completionFor(known, words))
    return EXIT.done
  },
})
