import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as z from 'zod'

const Packed = z.tuple([
  z.object({
    filename: z.string(),
    size: z.number(),
    files: z.array(z.object({ path: z.string(), size: z.number() })),
  }),
])
export type Packed = z.infer<typeof Packed>[0]

const Manifest = z.looseObject({ name: z.string() })

/** Writes the repository whose workflow packs into a manifest: npm compares it with the provenance. */
function stateRepository(file: string): void {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = process.env
  if (!server || !repository) return
  const manifest = Manifest.parse(JSON.parse(readFileSync(file, 'utf8')))
  const stated = { ...manifest, repository: { type: 'git', url: `git+${server}/${repository}.git` } }
  writeFileSync(file, `${JSON.stringify(stated, null, 2)}\n`)
}

/** Packs what a function writes into a folder, as an archive in another folder. Returns npm's description of it. */
export async function npmPack(write: (folder: string) => Promise<void>, destination: string): Promise<Packed> {
  const folder = mkdtempSync(join(tmpdir(), 'quotetree-package-'))
  mkdirSync(destination, { recursive: true })
  try {
    await write(folder)
    stateRepository(join(folder, 'package.json'))
    const args = ['pack', folder, '--json', '--ignore-scripts', '--pack-destination', destination]
    const output = execFileSync('npm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    return Packed.parse(JSON.parse(output))[0]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
