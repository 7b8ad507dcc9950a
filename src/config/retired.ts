/** What an earlier version had, and what replaces it: by name, the end of the message. Deleted after one version. */
type Retired = Readonly<Record<string, string>>

export const RETIRED_COMMANDS: Retired = {
  alarm: 'Use npm run notify with the same options: it tells webhooks too, and exits with 3 while there are problems.',
  collect: 'Use npm run snapshot -- --record-only --record <folder>, which takes the same sources.',
  plan: 'Name the sources of each machine in the setting collectors: npm run config -- --get matrix prints the matrix.',
  alerts: 'Use npm run notify, which sends new alerts to ALERTS_WEBHOOK.',
  compress:
    'Set compress: true in quotetree.config.ts, or give --compress to snapshot: each publication then has its .gz and .br files.',
  doctor: 'Use npm run verify, which checks every file of a tree and says what to do about it.',
  quorum: 'Use client.agreedPrices of the client, which compares the prices of several publishers.',
  validate: 'Use npm run verify, which prints how far one false source moves the prices.',
}

/** Options by command. */
export const RETIRED_OPTIONS: Readonly<Record<string, Retired>> = {
  review: {
    'pull-request': 'Approve without it, then commit the new file and open the pull request with git.',
  },
  snapshot: {
    bundles: 'Use --recordings.',
    'keep-bundle': 'Use --record.',
  },
  replay: {
    'keep-bundle': 'Use --record.',
  },
  verify: {
    all: 'Without the slugs of assets, verify checks everything.',
    manifest: 'Name the folder or the site with --tree: verify compares every file with its manifest.',
  },
}

/** Settings by path. */
export const RETIRED_SETTINGS: Retired = {
  regions: 'Use collectors, which names the sources of each machine.',
}

/** Kinds of queues. */
export const RETIRED_QUEUES: Retired = {
  github: 'Use a folder or d1:<account>/<database>.',
}

/** Hosts that `hosting` knew. */
export const RETIRED_HOSTS: Retired = {
  'cloudflare-collector':
    'Run npm run snapshot -- --record-only --record <folder> on a machine of your own, and npm run snapshot with its --recordings.',
}

/** Returns the message about a name that a table of retired names has; null if it has none. */
export const retired = (what: string, name: string, table: Retired | undefined): string | null => {
  const instead = table && Object.hasOwn(table, name) ? table[name] : undefined
  return instead === undefined ? null : `${what} was removed. ${instead}`
}
