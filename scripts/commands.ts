import { hint } from '../src/config/nearest.ts'
import { type declare, EXIT, UsageError } from './command.ts'
import { colours, printColoured } from './terminal.ts'

/** The commands by group, each with what it does. */
const GROUPS = {
  Run: {
    start:
      'Serves the tree in dist. If there is none, or a sample past its freshness, builds one from the built-in sample sources.',
    new: 'Writes the folder of a new feed: settings, a workflow for GitHub, and a registry for assets of its own.',
    snapshot:
      'Collects from the sources, builds every answer of the API, and publishes what changed. Also records sources, and builds ' +
      'from recordings.',
    serve: 'Serves a published tree.',
    config: 'Prints the settings in force and where each comes from, and writes the files of a host.',
    registry: 'Lists open listing requests, records decisions, and checks files that add assets to the registry.',
  },
  Publish: {
    publish: 'Uploads a tree to an S3-compatible bucket, or commits its facts to a branch.',
    notify:
      'Says what is wrong with a feed by exit code, and to a webhook when that changes. Pings an address after each good run.',
  },
  Check: {
    verify:
      'Checks everything that a tree or a site publishes: recomputes its figures, composes its documents and pages again, ' +
      'compares every file with the manifest, and says what to do about what it finds. With --http, tests the answers of a site.',
    value: 'Values amounts of assets, each at its own time, in a currency: CSV in and out, with sources and gaps.',
    diff: 'Compares two trees: a list of changed facts, the distribution of price changes, and the severity.',
    replay: 'Builds the tree of a run again from its recordings.',
  },
}

export const ABOUT = { ...GROUPS.Run, ...GROUPS.Publish, ...GROUPS.Check }
type Name = keyof typeof ABOUT

export const COMMANDS: Readonly<Record<Name, () => Promise<{ readonly command: ReturnType<typeof declare> }>>> = {
  start: () => import('./start.ts'),
  new: () => import('./new.ts'),
  snapshot: () => import('./snapshot.ts'),
  serve: () => import('./serve.ts'),
  config: () => import('./config.ts'),
  registry: () => import('./registry.ts'),
  publish: () => import('./publish.ts'),
  notify: () => import('./notify.ts'),
  verify: () => import('./verify.ts'),
  value: () => import('./value.ts'),
  diff: () => import('./diff.ts'),
  replay: () => import('./replay.ts'),
}

const isCommand = (name: string): name is Name => Object.hasOwn(COMMANDS, name)

export async function dispatch(args: readonly string[]): Promise<number> {
  // `quotetree help snapshot` is `quotetree snapshot --help`.
  const [name = '--help', ...rest] = args[0] === 'help' ? [...args.slice(1), '--help'] : args
  if (name === '--help' || name === '-h') printColoured(programHelp())
  else if (!isCommand(name))
    throw new UsageError(`There is no command "${name}".${hint(name, Object.keys(COMMANDS))} See npx quotetree --help`)
  else {
    const { command } = await COMMANDS[name]()
    if (!rest.includes('--help') && !rest.includes('-h')) return command.execute(name, rest)
    printColoured(command.help(name, ABOUT[name]))
  }
  return EXIT.done
}

export function programHelp(): string {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length))
  return [
    `${colours.bold('npx quotetree')} <command> [options], or npm run <command> -- [options]`,
    '',
    ...Object.entries(GROUPS).flatMap(([title, commands]) => [
      colours.bold(title),
      ...Object.entries(commands).map(
        ([name, about]) => `  ${colours.cyan(name.padEnd(width))}  ${firstSentence(about)}`,
      ),
      '',
    ]),
    'npx quotetree <command> --help prints the options of a command.',
  ].join('\n')
}

export const firstSentence = (about: string): string => /^.*?\.(?= |$)/.exec(about)?.[0] ?? about
