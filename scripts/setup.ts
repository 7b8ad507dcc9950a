import { appendFileSync } from 'node:fs'
import { visibleLines } from '../src/contract/visible.ts'
import { needsMarkdown, setUp } from '../src/delivery/set-up.ts'
import { declare } from './command.ts'
import { environment } from './environment.ts'
import { EXIT, UsageError } from './usage.ts'

export const command = declare({
  options: {
    summary: { type: 'string', about: 'file to append to what a person must switch on, as Markdown' },
  },
  notes: 'Exits with 3 if something waits for a person.',
  async run({ summary }, _, output) {
    const { GITHUB_API_URL, GITHUB_REPOSITORY, GITHUB_SERVER_URL, GITHUB_TOKEN } = environment()
    if (GITHUB_REPOSITORY === undefined || GITHUB_TOKEN === undefined)
      throw new UsageError('Set GITHUB_REPOSITORY and GITHUB_TOKEN in the environment, as GitHub Actions does.')
    const at = { api: GITHUB_API_URL, repository: GITHUB_REPOSITORY, token: GITHUB_TOKEN, ask: fetch }
    const needs = await setUp(at, `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}`)
    if (summary !== undefined) appendFileSync(summary, needsMarkdown(needs))
    const lines = needs.map(({ what, state, next }) =>
      next === null ? `${what}: ${state}` : `${what}: ${next.words} ${next.address}`,
    )
    output.result(needs, () => visibleLines(lines))
    return needs.some(({ state }) => state === 'switch') ? EXIT.refused : EXIT.done
  },
})
