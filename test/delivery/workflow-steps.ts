import { execFile } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import * as z from 'zod'

const folder = fileURLToPath(new URL('../../.github/workflows', import.meta.url))

export const workflows: readonly (readonly [name: string, text: string])[] = readdirSync(folder).map(
  (name) => [name, readFileSync(join(folder, name), 'utf8')] as const,
)

export const workflowText = (name: string): string => new Map(workflows).get(name) ?? ''
const Workflow = z.object({
  jobs: z.record(
    z.string(),
    z.object({ steps: z.array(z.object({ name: z.string().optional(), run: z.string().optional() })) }),
  ),
})

export function shellOf(workflow: string, step: string): string {
  const { jobs } = Workflow.parse(parse(workflowText(workflow)))
  const found = Object.values(jobs)
    .flatMap(({ steps }) => steps)
    .find(({ name }) => name === step)
  if (found?.run === undefined) throw new Error(`${workflow} has no step ${step} that runs commands`)
  return found.run
}

interface ShellEnd {
  readonly code: number
  readonly output: string
}

export const runShell = (run: string, cwd: string, env: Record<string, string>): Promise<ShellEnd> =>
  new Promise((resolve) => {
    const child = execFile('bash', ['-e', '-o', 'pipefail', '-c', run], { cwd, env }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, output: stdout + stderr }),
    )
  })
