import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { type ServerResponse, createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { tracesOf } from '../../src/delivery/first-run.ts'
import { inNewRepository } from '../../src/delivery/git.ts'
import { RestoreError } from '../../src/tree/tree-error.ts'
import { lastState } from '../../src/tree/restore-newest.ts'
import { placeAt } from '../../src/tree/remote.ts'
import { Tree } from '../../src/tree/tree.ts'
import { NOON, copyTree, newFolder, leanRun } from '../sample-tree.ts'
import { scaled } from '../scale.ts'

// A CI cache, a site, a data branch, and what the run does.
const rows = [
  ['newest', 'newest', 'there', 'continues from the cache'],
  ['newest', 'answers 403', 'there', 'continues from the cache'],
  ['newest', 'answers 404', 'there', 'continues from the cache'],
  ['newest', 'answers a page', 'there', 'continues from the cache'],
  ['newest', 'silent', 'there', 'continues from the cache'],
  ['newest', 'redirects elsewhere', 'there', 'continues from the cache'],
  ['newest', 'older', 'there', 'continues from the cache'],
  ['newest', 'answers 404', 'missing', 'continues from the cache'],
  ['older', 'newest', 'there', 'continues from the site'],
  ['older', 'tree alone', 'there', 'continues from the site, file by file'],
  ['older', 'answers 403', 'there', 'continues from the older cache'],
  ['two days old', 'answers 403', 'there', 'refuses'],
  ['two days old', 'silent', 'there', 'refuses'],
  ['two days old', 'newest', 'there', 'continues from the site'],
  ['cut off', 'newest', 'there', 'continues from the site'],
  ['altered', 'newest', 'there', 'continues from the site'],
  ['part missing', 'newest', 'there', 'continues from the site'],
  ['lost', 'newest', 'there', 'continues from the site'],
  ['lost', 'newest', 'missing', 'continues from the site'],
  ['lost', 'tree alone', 'there', 'continues from the site, file by file'],
  ['lost', 'checkpoint cut off', 'there', 'continues from the site, file by file'],
  ['lost', 'checkpoint altered', 'there', 'continues from the site, file by file'],
  ['lost', 'answers 403', 'there', 'refuses'],
  ['lost', 'answers 403', 'missing', 'refuses'],
  ['lost', 'answers 404', 'there', 'refuses'],
  ['lost', 'answers a page', 'missing', 'refuses'],
  ['lost', 'silent', 'missing', 'refuses'],
  ['lost', 'redirects elsewhere', 'missing', 'refuses'],
  ['lost', 'answers 404', 'does not answer', 'refuses'],
  ['cut off', 'answers 404', 'missing', 'refuses'],
  ['altered', 'answers 403', 'there', 'refuses'],
  ['cut off', 'silent', 'there', 'refuses'],
  ['lost', 'answers 404', 'missing', 'starts fresh'],
].map(([cache = '', site = '', branch = '', outcome = '']) => ({ cache, site, branch, outcome }))

const HALF_HOUR = 1_800_000
const [older, newest] = [newFolder(), newFolder()]
/** Time enough for a loaded machine; a site that is silent is given up at once. */
const optionsFor = (site: string) => ({
  timeoutMs: site === 'silent' ? 100 : 30_000,
  attempts: 2,
  pause: async () => {},
})
const settings = { scratch: newFolder(), env: { PATH: process.env['PATH'] ?? '' } }
const settledBranch = newFolder()
const emptyRepository = newFolder()

let answer = (file: string, outgoing: ServerResponse): void => void outgoing.writeHead(404).end(file)
const server = createServer((incoming, outgoing) => answer(decodeURIComponent(incoming.url ?? '').slice(1), outgoing))
let site: string

beforeAll(async () => {
  await leanRun(older, { count: 3, checkpoint: true })
  copyTree(older, newest)
  await leanRun(newest, { count: 4, now: NOON + HALF_HOUR, checkpoint: true })
  await inNewRepository(settings, async (repository) => {
    await repository.git(['init', '--quiet', '--bare', emptyRepository])
    await repository.git(['init', '--quiet', '--bare', settledBranch])
    const tree = (await repository.git(['mktree'], '')).trim()
    const who = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' }
    const commit = (await repository.git(['commit-tree', tree], 'Begin', who)).trim()
    await repository.git(['push', '--quiet', settledBranch, `${commit}:refs/heads/snapshots`])
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const at = server.address()
  site = `http://127.0.0.1:${typeof at === 'object' ? at?.port : 0}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

/** The largest part: that of the documents. */
function partOf(root: string): string {
  const parts = readdirSync(join(root, 'state')).flatMap((name) =>
    name.endsWith('.zip') ? join(root, 'state', name) : [],
  )
  return parts.toSorted((a, b) => statSync(b).size - statSync(a).size)[0] ?? ''
}

const harms: Readonly<Record<string, (root: string) => void>> = {
  'cut off': (root) => truncateSync(partOf(root), 1000),
  altered(root) {
    const bytes = readFileSync(partOf(root))
    bytes[500] = (bytes[500] ?? 0) ^ 1
    writeFileSync(partOf(root), bytes)
  },
  'part missing': (root) => rmSync(partOf(root)),
}

/** The folder of a run after the cache was restored into it. */
function outWith(cache: string): string {
  const out = newFolder()
  if (cache === 'lost') return out
  mkdirSync(join(out, 'state'))
  cpSync(join(['older', 'two days old'].includes(cache) ? older : newest, 'state'), join(out, 'state'), {
    recursive: true,
  })
  if (cache in harms) harms[cache]?.(out)
  else expect(['newest', 'older', 'two days old']).toContain(cache)
  return out
}

function publish(root: string): void {
  answer = (file, outgoing) => {
    const path = join(root, file)
    if (existsSync(path)) outgoing.end(readFileSync(path))
    else outgoing.writeHead(404).end('<h1>Not here</h1>')
  }
}

const sites: Readonly<Record<string, () => void>> = {
  newest: () => publish(newest),
  older: () => publish(older),
  'tree alone': () => publish(siteWith((root) => rmSync(join(root, 'state'), { recursive: true }))),
  'checkpoint cut off': () => publish(siteWith(harms['cut off'])),
  'checkpoint altered': () => publish(siteWith(harms['altered'])),
  'answers 403': () => (answer = (_, outgoing) => outgoing.writeHead(403).end('<h1>Are you human?</h1>')),
  'answers 404': () => (answer = (_, outgoing) => outgoing.writeHead(404).end('<h1>Not here</h1>')),
  'answers a page': () => (answer = (_, outgoing) => outgoing.end('<h1>Welcome</h1>')),
  silent: () => (answer = () => {}),
  'redirects elsewhere': () =>
    (answer = (_, outgoing) => outgoing.writeHead(302, { location: 'https://parked.example/' }).end()),
}

function siteWith(harm: ((root: string) => void) | undefined): string {
  const root = newFolder()
  copyTree(newest, root)
  harm?.(root)
  return root
}

const remotes: Readonly<Record<string, string>> = {
  there: settledBranch,
  missing: emptyRepository,
  'does not answer': join(emptyRepository, 'no-such-repository'),
}

/** What a run does first: it starts anew, restores a publication, or refuses. */
async function outcomeOf({ cache, site: there, branch }: (typeof rows)[number]): Promise<string> {
  const out = outWith(cache)
  const from = placeAt(site, optionsFor(there))
  const traces = await tracesOf({
    cache: placeAt(out, optionsFor('newest')),
    sites: [from],
    branch: { remote: remotes[branch] ?? '', branch: 'snapshots' },
    settings,
  })
  if (traces.length === 0) return 'starts fresh'
  const tree = new Tree(out)
  try {
    const now = NOON + (cache === 'two days old' ? 2 * 86_400_000 : 2 * HALF_HOUR)
    const restored = await lastState(tree, [from], now)
    const isOlder = restored?.generatedAt === '2026-11-20T12:00:00Z'
    const manifest = (root: string) => readFileSync(join(root, 'api/mkt/manifest.json'), 'utf8')
    expect(manifest(out)).toBe(manifest(isOlder ? older : newest))
    expect(restored?.damaged).toEqual([])
    const place = restored?.place === out ? 'cache' : 'site'
    return `continues from the ${isOlder ? 'older ' : ''}${place}${restored?.kind === 'tree' ? ', file by file' : ''}`
  } catch (error) {
    if (!(error instanceof RestoreError)) throw error
    expect(error.message).toContain(site)
    expect(error.message).toContain('--fresh')
    expect(tree.isEmpty).toBe(true)
    return 'refuses'
  }
}

it('has a row for every kind of cache, site and branch', () => {
  for (const [column, known] of [
    ['site', sites],
    ['branch', remotes],
    ['cache', { ...harms, newest: 0, older: 0, 'two days old': 0, lost: 0 }],
  ] as const)
    expect([...new Set(rows.map((row) => row[column]))].toSorted()).toEqual(Object.keys(known).toSorted())
})

it.each(rows.filter((_, at) => at % scaled(3, 1) === 0))(
  'cache $cache, site $site, branch $branch: $outcome',
  async (row) => {
    sites[row.site]?.()
    expect(await outcomeOf(row)).toBe(row.outcome)
  },
)

it('starts fresh only where no place has a trace', () => {
  const anew = rows.filter(({ outcome }) => outcome === 'starts fresh')
  expect(anew).toEqual([{ cache: 'lost', site: 'answers 404', branch: 'missing', outcome: 'starts fresh' }])
})
