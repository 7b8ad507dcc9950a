import { mkdtempSync } from 'node:fs'
import { rm, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, beforeEach, onTestFinished } from 'vitest'
import { scaled } from './scale.ts'

// A change is blamed for what it broke: the short suite tries the same cases each time, and the deep one looks for others.
fc.configureGlobal(scaled({ seed: 20261124 }, { numRuns: 2_000 }))

// Trees of a thousand listings fill a disk when every run leaves its own: what a file makes goes with the file, what a test
// makes with the test. It holds for what programs started by a test make too, browsers and git among them.
// The names are short: a browser's sockets lie below, and an address of a socket has at most 107 letters.
const outside = process.env['TMPDIR']
const ofFile = mkdtempSync(join(tmpdir(), 'f-'))
process.env['TMPDIR'] = ofFile

// A program that was told to stop may still write while its folder goes.
const remove = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true, maxRetries: 10 })

beforeEach(() => {
  const ofTest = mkdtempSync(join(ofFile, 't-'))
  process.env['TMPDIR'] = ofTest
  // Told to the test before anything else, so it is the last thing that happens when the test is done.
  onTestFinished(async () => {
    process.env['TMPDIR'] = ofFile
    // Most tests leave it empty.
    await rmdir(ofTest).catch(() => remove(ofTest))
  })
})

afterAll(async () => {
  if (outside === undefined) delete process.env['TMPDIR']
  else process.env['TMPDIR'] = outside
  await remove(ofFile)
})
