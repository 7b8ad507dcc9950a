import type { Command } from './command.ts'

/** A command as all descriptions of the program show it. */
export interface Entry {
  readonly group: 'Run' | 'Publish' | 'Check'
  readonly about: string
  readonly load: () => Promise<{ readonly command: Command }>
}

/** Every command. Help, the reference in operating.md and the scripts of package.json follow this table. */
export const COMMANDS: Readonly<Record<string, Entry>> = {
  start: {
    group: 'Run',
    about:
      'Serves the tree in dist. If there is none, or a sample past its freshness, builds one from the built-in sample sources.',
    load: () => import('./start.ts'),
  },
  new: {
    group: 'Run',
    about: 'Writes the folder of a new feed: settings, a workflow for GitHub, and a registry for assets of its own.',
    load: () => import('./new.ts'),
  },
  snapshot: {
    group: 'Run',
    about:
      'Collects from the sources, builds every answer of the API, and publishes what changed. Also records sources, and builds ' +
      'from recordings.',
    load: () => import('./snapshot.ts'),
  },
  serve: { group: 'Run', about: 'Serves a published tree.', load: () => import('./serve.ts') },
  config: {
    group: 'Run',
    about: 'Prints the settings in force and where each comes from, and writes the files of a host.',
    load: () => import('./config.ts'),
  },
  registry: {
    group: 'Run',
    about: 'Lists open listing requests, records decisions, and checks files that add assets to the registry.',
    load: () => import('./registry.ts'),
  },
  publish: {
    group: 'Publish',
    about: 'Uploads a tree to an S3-compatible bucket, or commits its facts to a branch.',
    load: () => import('./publish.ts'),
  },
  notify: {
    group: 'Publish',
    about:
      'Says what is wrong with a feed by exit code, and to a webhook when that changes. Pings an address after each good run.',
    load: () => import('./notify.ts'),
  },
  verify: {
    group: 'Check',
    about:
      'Checks everything that a tree or a site publishes: recomputes its figures, composes its documents and pages again, ' +
      'compares every file with the manifest, and says what to do about what it finds. With --http, tests the answers of a site; with ' +
      '--sources, those of the live sources.',
    load: () => import('./verify.ts'),
  },
  value: {
    group: 'Check',
    about: 'Values amounts of assets, each at its own time, in a currency: CSV in and out, with sources and gaps.',
    load: () => import('./value.ts'),
  },
  diff: {
    group: 'Check',
    about: 'Compares two trees: a list of changed facts, the distribution of price changes, and the severity.',
    load: () => import('./diff.ts'),
  },
  replay: {
    group: 'Check',
    about: 'Builds the tree of a run again from its recordings.',
    load: () => import('./replay.ts'),
  },
}
