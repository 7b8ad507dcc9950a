import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { configOf } from '../../src/config/check.ts'
import { differencesOf, minutesOf } from '../../src/config/repeated.ts'

const project = fileURLToPath(new URL('../..', import.meta.url))
const read = (file: string): string => readFileSync(join(project, file), 'utf8')
const inFile = (values: unknown) => configOf([{ origin: 'file', name: 'quotetree.config.ts', values }])

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

it('finds no difference between the workflow and the defaults', () => {
  expect(differencesOf(configOf([]), read)).toEqual([])
  expect(differencesOf(inFile({ cadenceMinutes: 60, prefix: 'v1/quotes' }), () => null)).toEqual([])
})

it('says what differs in the workflow', () => {
  const collectors = [{ name: 'us', runs_on: 'ubuntu-24.04' }]
  expect(differencesOf(inFile({ cadenceMinutes: 60, collectors }), read)).toEqual([
    'cadenceMinutes is 60, but .github/workflows/snapshot.yml starts runs every 30 minutes. Change its cron line or the setting.',
    "collectors is set. Change the condition of the job matrix in .github/workflows/snapshot.yml to: if: github.event.schedule != '22 */2 * * *'",
  ])
  const followed = (file: string) => read(file).replace("vars.COLLECTORS != '' && ", '')
  expect(differencesOf(inFile({ collectors }), followed)).toEqual([])
  expect(differencesOf(configOf([]), followed)).toEqual([expect.stringContaining("if: vars.COLLECTORS != ''")])
})

it('leaves out what an option or the environment sets for one run', () => {
  const layers = [
    { origin: 'environment', name: 'environment', values: { collectors: [{ name: 'us', runs_on: 'ubuntu-24.04' }] } },
    { origin: 'option', name: 'options', values: { cadenceMinutes: 5 } },
  ] as const
  expect(differencesOf(configOf(layers), read)).toEqual([])
})

it('keeps the prefix in one file', () => {
  const code = (text: string) => text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
  const naming = ['src', 'scripts'].flatMap((folder) =>
    readdirSync(join(project, folder), { recursive: true, encoding: 'utf8' })
      .map((file) => `${folder}/${file}`)
      .filter((file) => /(?<!bench-[a-z]+)\.ts$/.test(file) && code(read(file)).includes('api/mkt')),
  )
  expect(naming).toEqual(['src/contract/prefix.ts'])
})
