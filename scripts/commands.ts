import { hint } from '../src/config/nearest.ts'
import { type declare, EXIT, UsageError } from './command.ts'
import { colours, printColoured } from './terminal.ts'

interface Entry {
  readonly about: string
  readonly load: () => Promise<{ readonly command: ReturnType<typeof declare> }>
}

const GROUPS: Readonly<Record<'Run' | 'Publish' | 'Check', Readonly<Record<string, Entry>>>> = {
  Run: {
    start: {
      about:
        'Serves the tree in dist. If there is none, or a sample past its freshness, builds one from the built-in sample sources.',
      load: () => import('./start.ts'),
    },
    new: {
      about: 'Writes the folder of a new feed: settings, a workflow for GitHub, and a registry for assets of its own.',
      load: () => import('./new.ts'),
    },
    snapshot: {
      about:
        'Collects from the sources, builds every answer of the API, and publishes what changed. Also records sources, and builds ' +
        'from recordings.',
      load: () => import('./snapshot.ts'),
    },
    serve: { about: 'Serves a published tree.', load: () => import('./serve.ts') },
    config: {
      about: 'Prints the settings in force and where each comes from, and writes the files of a host.',
      load: () => import('./config.ts'),
    },
    registry: {
      about: 'Lists open listing requests, records decisions, and checks files that add assets to the registry.',
      load: () => import('./registry.ts'),
    },
  },
  Publish: {
    publish: {
      about: 'Uploads a tree to an S3-compatible bucket, or commits its facts to a branch.',
      load: () => import('./publish.ts'),
    },
    notify: {
      about:
        'Says what is wrong with a feed by exit code, and to a webhook when that changes. Pings an address after each good run.',
      load: () => import('./notify.ts'),
    },
  },
  Check: {
    verify: {
      about:
        'Checks everything that a tree or a site publishes: recomputes its figures, composes its documents and pages again, ' +
        'compares every file with the manifest, and says what to do about what it finds. With --http, tests the answers of a site.',
      load: () => import('./verify.ts'),
    },
    value: {
      about: 'Values amounts of assets, each at its own time, in a currency: CSV in and out, with sources and gaps.',
      load: () => import('./value.ts'),
    },
    diff: {
      about: 'Compares two trees: a list of changed facts, the distribution of price changes, and the severity.',
      load: () => import('./diff.ts'),
    },
    replay: {
      about: 'Builds the tree of a run again from its recordings.',
      load: () => import('./replay.ts'),
    },
  },
}

export const COMMANDS: Readonly<Record<string, Entry>> = { ...GROUPS.Run, ...GROUPS.Publish, ...GROUPS.Check }

export async function dispatch(args: readonly string[]): Promise<number> {
  // `quotetree help snapshot` is `quotetree snapshot --help`.
  const [name = '--help', ...rest] = args[0] === 'help' ? [...args.slice(1), '--help'] : args
  const entry = Object.entries(COMMANDS).find(([one]) => one === name)?.[1]
  if (name === '--help' || name === '-h') printColoured(programHelp())
  else if (!entry)
    throw new UsageError(`There is no command "${name}".${hint(name, Object.keys(COMMANDS))} See npx quotetree --help`)
  else {
    const { command } = await entry.load()
    const end = rest.indexOf('--')
    const options = end < 0 ? rest : rest.slice(0, end)
    if (!options.includes('--help') && !options.includes('-h')) return command.execute(name, rest)
    printColoured(command.help(name, entry.about))
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
        ([name, entry]) => `  ${colours.cyan(name.padEnd(width))}  ${firstSentence(entry)}`,
      ),
      '',
    ]),
    'npx quotetree <command> --help prints the options of a command.',
  ].join('\n')
}

export const firstSentence = ({ about }: Pick<Entry, 'about'>): string => /^.*?\.(?= |$)/.exec(about)?.[0] ?? about
