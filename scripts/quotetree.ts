import { prefixIn } from './config-file.ts'
import { main } from './command.ts'

await main(async () => {
  const prefix = await prefixIn(process.cwd())
  // Modules read it when they load, which is why the program is loaded after it.
  if (prefix !== null) Object.assign(globalThis, { API_PREFIX: prefix })
  const { dispatch } = await import('./commands.ts')
  return dispatch(process.argv.slice(2))
})
