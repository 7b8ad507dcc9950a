/** What an earlier version had, and what replaces it: by name, the end of the message. Deleted after one version. */
type Retired = Readonly<Record<string, string>>

export const RETIRED_COMMANDS: Retired = {
  alarm: 'Use npm run notify with the same options: it tells webhooks too, and exits with 3 while there are problems.',
  alerts: 'Use npm run notify, which sends new alerts to ALERTS_WEBHOOK.',
  client: 'In the repository of the project, use npm run client.',
  collect: 'Use npm run snapshot -- --record-only --record <folder>, which takes the same sources.',
  completion: 'Use npx quotetree --help, which lists the commands.',
  compress:
    'Set compress: true in quotetree.config.ts, or give --compress to snapshot: each publication then has its .gz and .br files.',
  'data-branch': 'Use npm run publish -- --to git+<remote>#<branch>.',
  doctor: 'Use npm run verify, which checks every file of a tree and says what to do about it.',
  'first-run': 'Give --begin git+<remote> to npm run snapshot, which begins a feed if nothing was ever published.',
  hosting: 'Use npm run config -- --host <host> with the same options. docs/hosting.md lists the limits of hosts.',
  logos: 'In the repository of the project, use npm run logos.',
  'pack-client': 'In the repository of the project, use npm run pack.',
  plan: 'Name the sources of each machine in the setting collectors: npm run config -- --get matrix prints the matrix.',
  probe: 'Use npm run verify -- --http with the address of the site, or with --tree.',
  quorum: 'Use client.agreedPrices of the client, which compares the prices of several publishers.',
  review: 'Use npm run registry with the same arguments.',
  setup:
    'Use npx quotetree new <folder>, then choose "GitHub Actions" as the source under Settings, Pages. The rest is made by the runs.',
  tables: 'Use npm run publish -- --tables.',
  update: 'A new version is one line of package.json: npm install quotetree@latest.',
  validate: 'Use npm run verify, which prints how far one false source moves the prices.',
}

/** Options that changed only what `config` printed. */
const PRINTED =
  'only listings cadence least-listings country rights history-requests closes-days max-state-age half-hourly-days ' +
  'hourly-days budget'

export const RETIRED_OPTIONS: Readonly<Record<string, Retired>> = {
  config: {
    apply: 'npm run config says which lines of the workflow to change.',
    limits:
      'The limits of hosts are in .github/docs/hosting.md; the summary of a run says which of them the tree meets.',
    regions: 'Use the setting collectors.',
    ...Object.fromEntries(
      PRINTED.split(' ').map((name) => [name, 'Give it to npm run snapshot: config only printed it.']),
    ),
  },
  publish: {
    'json-only': 'Each document is stored under its path and its file name.',
    'no-gzip': 'Objects are stored compressed.',
  },
  registry: { 'pull-request': 'Approve without it, then commit the new file and open the pull request with git.' },
  replay: { 'keep-bundle': 'Use --record.' },
  serve: { root: 'Use --tree.' },
  snapshot: { bundles: 'Use --recordings.', 'keep-bundle': 'Use --record.' },
  verify: {
    all: 'Without the slugs of assets, verify checks everything.',
    manifest: 'Name the folder or the site with --tree: verify compares every file with its manifest.',
  },
}

/** Settings by path, kinds of queues, and hosts that `config --host` knew. */
const RETIRED_NAMES: Retired = {
  regions: 'Use collectors, which names the sources of each machine.',
  github: 'Use a folder or d1:<account>/<database>.',
  'cloudflare-collector':
    'Run npm run snapshot -- --record-only --record <folder> on a machine of your own, and npm run snapshot with its --recordings.',
}

/** Returns the message about a name that a table of retired names has; null if it has none. */
export const retired = (what: string, name: string, table: Retired | undefined = RETIRED_NAMES): string | null => {
  const instead = table && Object.hasOwn(table, name) ? table[name] : undefined
  return instead === undefined ? null : `${what} was removed. ${instead}`
}
