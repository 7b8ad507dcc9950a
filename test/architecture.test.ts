import { readFileSync, readdirSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, it } from 'vitest'

// From the ground up: a file may import its own room and any floor below it, and nothing else of ours.
const FLOORS = [
  ['contract'],
  ['sources', 'registry', 'queue'],
  ['observations'],
  ['feed'],
  ['history'],
  ['endpoints'],
  ['tree', 'descriptions', 'review', 'client', 'shapes'],
  ['service', 'changes', 'archive'],
  ['exports', 'delivery', 'hosting', 'pages'],
  ['check'],
  ['run'],
  ['config'],
]
const src = new URL('../src', import.meta.url).pathname
const roomOf = (file: string) => relative(src, dirname(file)).split('/')[0] || '.'
const floorOf = (file: string) => FLOORS.findIndex((rooms) => rooms.includes(roomOf(file)))

const imports = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .flatMap((name) => {
    const file = join(src, name)
    return [...readFileSync(file, 'utf8').matchAll(/(?:from|import) '(\.[^']+)'/g)].map(([, target = '']) => ({
      file,
      target: join(dirname(file), target),
    }))
  })

it.each(imports.map(({ file, target }) => [relative(src, file), relative(src, target), file, target] as const))(
  '%s may import %s',
  (_, __, file, target) => {
    const allowed = roomOf(file) === roomOf(target) || floorOf(target) < floorOf(file)
    expect(floorOf(file)).toBeGreaterThanOrEqual(0)
    expect(allowed).toBe(true)
  },
)

it('reads neither the environment nor the clock below scripts', () => {
  const guilty = imports
    .map(({ file }) => file)
    // A page is a program of its own, and this is what it knows of the browser around it.
    .filter((file) => !file.endsWith('/pages/frame.ts'))
    .filter((file) => /process\.env|Date\.now\(|new Date\(\)|Math\.random\(/.test(readFileSync(file, 'utf8')))
  expect([...new Set(guilty)]).toEqual([])
})

it('keeps only folders in src', () => {
  expect(
    readdirSync(src, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [] : [entry.name])),
  ).toEqual([])
})
