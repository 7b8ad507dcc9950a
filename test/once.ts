import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** The folder of this run of the tests, which every test file shares. */
function runFolder(): string {
  const folder = process.env['QUOTETREE_TEST_RUN']
  if (folder === undefined)
    throw new Error('QUOTETREE_TEST_RUN is not set: tests run under vitest, see test/global-setup.ts')
  return folder
}

/** A folder that `make` fills once for all test files of a run. It is read-only afterwards. */
export async function once(name: string, make: (folder: string) => Promise<unknown>): Promise<string> {
  const shared = join(runFolder(), 'shared')
  const folder = join(shared, name)
  if (existsSync(folder)) return folder
  mkdirSync(shared, { recursive: true })
  const draft = mkdtempSync(join(shared, `.${name}-`))
  await make(draft)
  try {
    renameSync(draft, folder)
  } catch (error) {
    // Two test files began at the same time, and the other was first: its folder is as good.
    if (!existsSync(folder)) throw error
    rmSync(draft, { recursive: true })
  }
  return folder
}
