import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { writeWhole } from '../../src/core/sources/bundle.ts'

/** Writes a bundle over and over as a collector does, until it is killed: node writing-collector.cjs <folder> <bundle>. */
const [folder = '', path = ''] = process.argv.slice(2)
const name = path.split('/').at(-1) ?? ''
const bytes = readFileSync(path)
console.log('ready')
async function write(): Promise<never> {
  for (;;) {
    if (existsSync(folder)) writeWhole(folder, { name, bytes })
    await pause(4)
  }
}
await write()
