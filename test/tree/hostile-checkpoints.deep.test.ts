import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { deflateRawSync } from 'node:zlib'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { sha256Of } from '../../src/contract/digest.ts'
import { newFolder } from '../sample-tree.ts'

const MOST_MIB = 400
const MIB = 2 ** 20

/** A ZIP file of entries, as its directory says, true or not. */
function zipOf(entries: readonly (readonly [name: string, content: Buffer, size: number])[]): Buffer {
  const parts: Buffer[] = []
  const lines: Buffer[] = []
  let at = 0
  for (const [name, deflated, size] of entries) {
    const head = Buffer.alloc(30)
    head.writeUInt32LE(0x04034b50)
    head.writeUInt16LE(name.length, 26)
    const line = Buffer.alloc(46)
    line.writeUInt32LE(0x02014b50)
    line.writeUInt16LE(8, 10)
    line.writeUInt32LE(deflated.length, 20)
    line.writeUInt32LE(size, 24)
    line.writeUInt16LE(name.length, 28)
    line.writeUInt32LE(at, 42)
    parts.push(head, Buffer.from(name), deflated)
    lines.push(line, Buffer.from(name))
    at += 30 + name.length + deflated.length
  }
  const directory = Buffer.concat(lines)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...parts, directory, end])
}

const deflated = (text: string, bytes: number): Buffer => deflateRawSync(Buffer.alloc(bytes, text))
const HEAD = ['api/mkt.json', 'api/mkt/manifest.json', 'api/mkt/collector.json']

/** Checkpoints that are small as files. */
const BOMBS: Readonly<Record<string, () => readonly [ending: string, bytes: Buffer]>> = {
  'entries of the largest size': () => {
    const content = deflated('{"a":"b"},', 64 * MIB)
    return ['zip', zipOf(HEAD.map((name) => [name, content, 64 * MIB] as const))]
  },
  'an entry that is larger than it says': () => ['zip', zipOf([[HEAD[0] ?? '', deflated('x', 256 * MIB), 10]])],
  'a group of a million documents': () => {
    const content = deflated(',\n"a":\n1\n', 63 * MIB)
    return ['zip', zipOf([['groups/a', content, 63 * MIB]])]
  },
  'one entry again and again': () => {
    const content = deflated('x', 64 * MIB)
    return ['zip', zipOf(Array.from({ length: 200 }, () => ['a', content, 64 * MIB] as const))]
  },
  'a million entries': () => {
    const content = deflated('', 0)
    return ['zip', zipOf(Array.from({ length: 100_000 }, (_, at) => [at.toString(36), content, 0] as const))]
  },
}

const Printed = z.object({ peakMiB: z.number(), ends: z.array(z.string()) })

it(`refuses checkpoints made to fill a memory, in less than ${MOST_MIB} MiB`, () => {
  const folders = Object.values(BOMBS).map((bomb) => {
    const [ending, bytes] = bomb()
    const root = newFolder()
    mkdirSync(join(root, 'state'))
    const file = `${sha256Of(bytes)}.${ending}`
    writeFileSync(join(root, 'state', file), bytes)
    const parts = [{ file, bytes: bytes.length }]
    const pointer = { generatedAt: '2026-11-20T12:00:00Z', snapshotId: 'a', bytes: bytes.length, parts }
    writeFileSync(join(root, 'state/latest.json'), JSON.stringify(pointer))
    return root
  })
  const child = fileURLToPath(new URL('restore-in-child.ts', import.meta.url))
  const printed = execFileSync(process.execPath, ['--import', 'tsx', child, ...folders], { encoding: 'utf8' })
  const { peakMiB, ends } = Printed.parse(JSON.parse(printed))
  for (const end of ends) expect(end).toMatch(/^RestoreError: /)
  expect(peakMiB).toBeLessThan(MOST_MIB)
})
