import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
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

/** Packs what a function writes into a folder, as an archive in another folder. Returns npm's description of it. */
export async function npmPack(write: (folder: string) => Promise<void>, destination: string): Promise<Packed> {
  const folder = mkdtempSync(join(tmpdir(), 'quotetree-package-'))
  mkdirSync(destination, { recursive: true })
  try {
    await write(folder)
    const args = ['pack', folder, '--json', '--ignore-scripts', '--pack-destination', destination]
    const output = execFileSync('npm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    return Packed.parse(JSON.parse(output))[0]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
