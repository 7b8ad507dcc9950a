import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { validate } from 'dockerfile-utils'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod'
import { cron, cronTime, docker, systemd } from '../../src/hosting/machines.ts'
import { newFolder } from '../sample-tree.ts'

const project = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '')
const site = {
  specs: [],
  product: 'Grove 100% Prices',
  tree: '',
  server: '',
  port: 80,
  brotli: false,
  database: null,
  machine: { project, node: process.execPath, cadenceMinutes: 60 },
}
const written = (files: readonly { readonly path: string; readonly text: string }[]): string => {
  const folder = newFolder()
  mkdirSync(folder, { recursive: true })
  for (const { path, text } of files) writeFileSync(join(folder, path), text)
  return folder
}
const textOf = (files: readonly { readonly path: string; readonly text: string }[], name: string): string =>
  files.find(({ path }) => path === name)?.text ?? ''

describe('docker', () => {
  const files = docker(site)

  it('has a Dockerfile without faults, for a user without rights', () => {
    const text = textOf(files, 'Dockerfile')
    expect(validate(text)).toEqual([])
    expect(text).toMatch(/^USER node$/m)
    expect(text).toMatch(/^HEALTHCHECK /m)
  })

  it('starts scripts that are there and that a shell can read', () => {
    const folder = written(files)
    const compose = z
      .object({ services: z.record(z.string(), z.looseObject({ command: z.array(z.string()).optional() })) })
      .parse(parse(textOf(files, 'compose.yml'), { merge: true }))
    const started = [
      ...textOf(files, 'Dockerfile').matchAll(/^CMD \["sh", "([^"]+)"\]$/gm),
      ...Object.values(compose.services).flatMap(({ command }) => (command ? [command] : [])),
    ].map((command) => command.at(-1) ?? '')
    expect(started.toSorted()).toEqual(['.hosting/docker/schedule.sh', '.hosting/docker/serve.sh'])
    for (const path of started) execFileSync('sh', ['-n', join(folder, path.split('/').at(-1) ?? '')])
  })

  it('shares one volume, and nothing else may be written', () => {
    const compose = z
      .looseObject({ services: z.record(z.string(), z.unknown()) })
      .parse(parse(textOf(files, 'compose.yml'), { merge: true }))
    for (const service of Object.values(compose.services))
      expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], volumes: ['data:/data'] })
    expect(compose.services['scheduler']).toMatchObject({ environment: { CADENCE_MINUTES: '60' } })
  })
})

describe('systemd', () => {
  const files = systemd(site)

  it.skipIf(!existsSync('/usr/bin/systemd-analyze'))('passes systemd-analyze verify', () => {
    const folder = written(files)
    const { stderr, status } = spawnSync(
      'systemd-analyze',
      ['verify', '--man=no', ...files.map(({ path }) => join(folder, path))],
      { encoding: 'utf8' },
    )
    // The test machine's own units are not ours.
    const own = stderr.split('\n').filter((line) => line.includes('quotetree'))
    expect({ own, status }).toEqual({ own: [], status: 0 })
  })

  it('escapes a name that systemd would read as a specifier', () => {
    expect(textOf(files, 'quotetree-server.service')).toContain('Description=Grove 100%% Prices: answer requests')
  })
})

describe('cron', () => {
  it('runs with a lock, from the folder of the project', () => {
    expect(textOf(cron(site), 'quotetree.cron')).toContain(`7 */1 * * * cd '${project}' && flock --nonblock`)
  })

  it('never runs less often than asked, and evenly', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1440 }), (minutes) => {
        const [minute = '', hour = ''] = cronTime(minutes).split(' ')
        const [, every = ''] = /^\*\/(\d+)$/.exec(minute) ?? []
        const [, hours = '24'] = /^\*\/(\d+)$/.exec(hour) ?? []
        const step = every === '' ? Number(hours) * 60 : Number(every)
        expect(step).toBeLessThanOrEqual(minutes)
        expect(1440 % step).toBe(0)
      }),
    )
  })
})
