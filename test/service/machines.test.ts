import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { validate } from 'dockerfile-utils'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod'
import { hostFiles } from '../../scripts/config.ts'
import { SITE } from './running.ts'
import { newFolder } from '../sample-tree.ts'

const written = (files: readonly { readonly path: string; readonly text: string }[]): string => {
  const folder = newFolder()
  mkdirSync(folder, { recursive: true })
  for (const { path, text } of files) writeFileSync(join(folder, path), text)
  return folder
}
const textOf = (files: readonly { readonly path: string; readonly text: string }[], name: string): string =>
  files.find(({ path }) => path === name)?.text ?? ''

describe('docker', () => {
  const files = hostFiles('docker', { ...SITE, cadenceMinutes: 60 })

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
    for (const path of [...started, 'run.sh']) execFileSync('sh', ['-n', join(folder, path.split('/').at(-1) ?? '')])
  })

  it('shares one volume, and nothing else may be written', () => {
    const compose = z
      .looseObject({ services: z.record(z.string(), z.unknown()) })
      .parse(parse(textOf(files, 'compose.yml'), { merge: true }))
    for (const service of Object.values(compose.services))
      expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], volumes: ['data:/data'] })
    expect(compose.services['scheduler']).toMatchObject({ environment: { CADENCE_MINUTES: '60' } })
    // As the next command prints its address.
    expect(compose.services['server']).toMatchObject({ ports: ['127.0.0.1:8787:8787'] })
  })
})

describe('one turn of a feed', () => {
  /** Runs run.sh with a program that notes its arguments and fails where it is told to. */
  function turn(folder: string, env: Record<string, string> = {}) {
    const notes = join(folder, 'notes')
    rmSync(notes, { force: true })
    const node = join(folder, 'node')
    writeFileSync(
      node,
      '#!/bin/sh\nshift\necho "$@" >> "$NOTES"\ncase " $FAIL " in *" $1 "*) exit "${CODE:-1}" ;; esac\n',
    )
    chmodSync(node, 0o755)
    const run = textOf(hostFiles('docker', SITE), 'run.sh')
    writeFileSync(join(folder, 'run.sh'), run)
    const { status, stdout, stderr } = spawnSync('sh', [join(folder, 'run.sh')], {
      env: { PATH: `${folder}:${process.env['PATH']}`, DATA: folder, NOTES: notes, FAIL: '', ...env },
      encoding: 'utf8',
    })
    const called = readFileSync(notes, 'utf8').replaceAll(folder, '.').trim().split('\n')
    return { status, output: stdout + stderr, called }
  }

  it('is a compressed snapshot, and what there is to tell', () => {
    const turned = turn(newFolder(), { SNAPSHOT_OPTIONS: '--country US --rights open' })
    expect(turned.called.map((line) => line.trim())).toEqual([
      'snapshot --out ./tree --queue ./queue --compress --report ./report.json --country US --rights open',
      'notify --tree ./tree --report ./report.json',
    ])
    expect(turned).toMatchObject({ status: 0, output: '' })
  })

  it('reports a refused snapshot, and exits as it did', () => {
    const refused = turn(newFolder(), { FAIL: 'snapshot', CODE: '3' })
    expect([refused.status, refused.called.map((line) => line.split(' ')[0])]).toEqual([3, ['snapshot', 'notify']])
  })
})
