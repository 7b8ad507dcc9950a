import { expect, it } from 'vitest'
import { run } from './commands.ts'

it.each([
  ['30', 0, 'The schedule holds'],
  ['10', 3, 'The shortest cadence that does is 24 minutes'],
])('npm run snapshot -- --plan at %s minutes ends with %i', async (minutes, code, sentence) => {
  const ended = await run('snapshot', ['--plan', '--cadence', minutes])
  expect(ended.stdout).toContain(sentence)
  expect(ended).toMatchObject({ code, stderr: '' })
})
