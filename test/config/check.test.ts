import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { configOf, configText, linesOf } from '../../src/config/check.ts'
import { nearest } from '../../src/config/nearest.ts'
import { Config, SETTINGS } from '../../src/config/settings.ts'

const file = (values: unknown) => configOf([{ origin: 'file', name: 'quotetree.config.ts', values }])

it('has the defaults of today without a file', () => {
  const { config, originOf } = configOf([])
  expect(config).toMatchObject({ product: 'Quotetree', cadenceMinutes: 30, host: null, ecosystem: { name: 'tnk' } })
  expect(new Set(SETTINGS.map(({ path }) => originOf(path)))).toEqual(new Set(['default']))
})

it('describes every setting of the schema, and no other', () => {
  const leaves = (value: unknown, path = ''): string[] =>
    typeof value === 'object' && value !== null && !Array.isArray(value) && path !== 'pages.colours'
      ? Object.entries(value).flatMap(([name, member]) => leaves(member, path === '' ? name : `${path}.${name}`))
      : [path]
  expect(SETTINGS.map(({ path }) => path).toSorted()).toEqual(leaves(Config.parse({})).toSorted())
})

it.each([
  [{ cadense: 30 }, 'there is no setting cadense. Did you mean cadenceMinutes?'],
  [{ cadence: 30 }, 'there is no setting cadence. Did you mean cadenceMinutes?'],
  [{ name: 'Grove' }, 'there is no setting name. Did you mean ecosystem.name?'],
  [{ pages: { colors: {} } }, 'there is no setting pages.colors. Did you mean pages.colours?'],
  [{ colours: {} }, 'there is no setting colours. Did you mean pages.colours?'],
  [{ sources: { of: ['kraken'] } }, 'there is no setting sources.of. Did you mean sources.off?'],
  [{ cadenceMinutes: 0 }, 'cadenceMinutes takes a whole number from 1 to 1440.'],
  [{ listings: 0 }, 'listings takes a whole number of 1 or more.'],
  [{ label: 'sample of mine' }, 'label takes a text of at most 100 characters that does not begin with "sample".'],
  [{ product: 'A {stamp}' }, 'product takes a name of at most 60 characters'],
  [
    { site: 'grove.example' },
    'site takes a URL that begins with http:// or https://, without credentials, query and fragment.',
  ],
  [
    { site: 'https://me:secret@grove.example' },
    'site takes a URL that begins with http:// or https://, without credentials, query and fragment.',
  ],
  [{ pages: { colours: { accent: 'red' } } }, 'pages.colours.accent takes colours by name'],
  [{ sources: { off: ['krakn'] } }, 'sources.off: there is no source "krakn". Did you mean kraken?'],
  [{ ecosystem: { name: 'prices' } }, 'ecosystem.name: /prices is another endpoint.'],
  [{ prefix: '/api/mkt' }, 'prefix takes lower-case letters, digits, dashes and slashes, such as "v1/quotes".'],
  [{ prefix: 'docs/v1' }, 'prefix: the folder "docs" has other files.'],
  [{ sources: 'kraken' }, 'sources takes settings: only, off.'],
  ['Grove', 'the configuration is an object'],
])('refuses %j in a sentence', (values, sentence) => {
  expect(() => file(values)).toThrow(sentence)
})

it('lets options override the environment, and that the file, setting by setting', () => {
  const inForce = configOf([
    {
      origin: 'file',
      name: 'file',
      values: { site: 'https://a.example', cadenceMinutes: 60, sources: { off: ['okx'] } },
    },
    { origin: 'environment', name: 'environment', values: { site: 'https://b.example' } },
    { origin: 'option', name: 'options', values: { cadenceMinutes: 15 } },
  ])
  const found = linesOf(inForce).filter(({ from }) => from !== 'default')
  expect(found.map(({ path, value, from }) => [path, value, from])).toEqual([
    ['site', 'https://b.example', 'environment'],
    ['sources.off', ['okx'], 'file'],
    ['cadenceMinutes', 15, 'option'],
  ])
  expect(configText(inForce, 'quotetree.config.ts')).toMatch(/cadenceMinutes +15 {2}\(option --cadence\)/)
})

it('names all there are where none is near', () => {
  expect(nearest('zzzzzzzz', ['only', 'off'])).toBeNull()
  expect(() => file({ sources: { zzzzzzzz: 1 } })).toThrow('It takes product, label')
})

const project = fileURLToPath(new URL('../..', import.meta.url))

it('keeps the prefix in one file', () => {
  const code = (text: string) => text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
  const naming = ['src', 'scripts'].flatMap((folder) =>
    readdirSync(join(project, folder), { recursive: true, encoding: 'utf8' })
      .map((file) => `${folder}/${file}`)
      .filter((file) => file.endsWith('.ts') && code(readFileSync(join(project, file), 'utf8')).includes('api/mkt')),
  )
  expect(naming).toEqual(['src/core/contract/prefix.ts'])
})
