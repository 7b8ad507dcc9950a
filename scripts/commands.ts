import type { Command } from './command.ts'

/** A command as all descriptions of the program show it. */
export interface Entry {
  readonly group: 'Run' | 'Publish' | 'Check' | 'Several machines' | 'People' | 'Develop'
  readonly about: string
  readonly load: () => Promise<{ readonly command: Command }>
}

/** Every command. Help, completion, the reference in operating.md and the scripts of package.json follow this table. */
export const COMMANDS: Readonly<Record<string, Entry>> = {
  start: {
    group: 'Run',
    about:
      'Serves the tree in dist. If there is none, or a sample past its freshness, builds one from the built-in sample sources.',
    load: () => import('./start.ts'),
  },
  config: {
    group: 'Run',
    about: 'Prints the settings in force, and where each comes from.',
    load: () => import('./config.ts'),
  },
  snapshot: {
    group: 'Run',
    about: 'Collects from the sources, builds every answer of the API, and publishes what changed.',
    load: () => import('./snapshot.ts'),
  },
  serve: { group: 'Run', about: 'Serves a published tree.', load: () => import('./serve.ts') },
  hosting: {
    group: 'Publish',
    about:
      'Generates the configuration of a host from the table of endpoints. With --plan, shows what a number of listings takes ' +
      'on each host, and its documented limits.',
    load: () => import('./hosting.ts'),
  },
  publish: {
    group: 'Publish',
    about: 'Uploads the changed files of a tree to an S3-compatible bucket, the index last.',
    load: () => import('./publish.ts'),
  },
  archive: {
    group: 'Publish',
    about:
      'Keeps snapshots of the API, and gives back any document of the past, byte for byte, checked against its SHA-256.',
    load: () => import('./archive.ts'),
  },
  tables: {
    group: 'Publish',
    about: 'Writes the listings, the markets of the day and all daily closes of a tree as Parquet.',
    load: () => import('./tables.ts'),
  },
  'data-branch': {
    group: 'Publish',
    about: 'Commits the facts of a published tree to a branch, one per line, if any of them changed.',
    load: () => import('./data-branch.ts'),
  },
  setup: {
    group: 'Publish',
    about: 'Makes what a GitHub repository needs to publish a feed, and says what a person must switch on.',
    load: () => import('./setup.ts'),
  },
  update: {
    group: 'Publish',
    about: "Takes a release of the project into a publisher's copy, without touching its settings, registry and logos.",
    load: () => import('./update.ts'),
  },
  'first-run': {
    group: 'Publish',
    about: 'Prints the option --fresh of snapshot if nothing was ever published, and nothing otherwise.',
    load: () => import('./first-run.ts'),
  },
  notify: {
    group: 'Publish',
    about:
      'Says what is wrong with a feed and which alerts are new: by exit code, to webhooks, and as a GitHub issue. Pings an ' +
      'address after each good run.',
    load: () => import('./notify.ts'),
  },
  verify: {
    group: 'Check',
    about:
      'Checks everything that a tree or a site publishes: recomputes its figures, composes its documents and pages again, ' +
      'compares every file with the manifest, and says what to do about what it finds.',
    load: () => import('./verify.ts'),
  },
  probe: {
    group: 'Check',
    about:
      'Tests a live site against the contract: endpoints, files, headers, conditional requests, encodings, limits and errors.',
    load: () => import('./probe.ts'),
  },
  diff: {
    group: 'Check',
    about: 'Compares two trees: a list of changed facts, the distribution of price changes, and the severity.',
    load: () => import('./diff.ts'),
  },
  replay: {
    group: 'Several machines',
    about: 'Builds the tree of a run again from what it observed.',
    load: () => import('./replay.ts'),
  },
  review: {
    group: 'People',
    about: 'Lists open listing requests, oldest first, and records decisions.',
    load: () => import('./review.ts'),
  },
  registry: {
    group: 'People',
    about: 'Checks files that add assets to the registry: schema, checksums, duplicates, look-alikes and logo.',
    load: () => import('./registry.ts'),
  },
  completion: {
    group: 'Develop',
    about: 'Prints the completion of this program for bash, zsh or fish.',
    load: () => import('./completion.ts'),
  },
  client: {
    group: 'Develop',
    about: 'Generates the types and methods of the client from the table of endpoints.',
    load: () => import('./client.ts'),
  },
  logos: {
    group: 'Develop',
    about: 'Takes the logos of the largest assets from an unpacked copy of @web3icons/core.',
    load: () => import('./logos.ts'),
  },
  'pack-client': {
    group: 'Develop',
    about: 'Packs the client as an npm package that can be installed from the archive.',
    load: () => import('./pack-client.ts'),
  },
}
