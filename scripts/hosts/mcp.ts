import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { siteReader } from '../../src/service/documents.ts'
import { mcpServer } from '../../src/service/mcp.ts'
import { publications } from '../../src/service/publication.ts'
import { folderReader } from '../../src/core/tree/reader.ts'

const [command, place, ...others] = process.argv.slice(2)
if (command !== 'mcp' || place === undefined || others.length > 0) {
  process.stderr.write(
    'Usage: quotetree-client mcp <site or folder>, such as https://you.github.io/quotetree or ./dist\n',
  )
  process.exitCode = 2
} else {
  const site = /^https?:/.test(place) ? new URL(place.endsWith('/') ? place : `${place}/`) : null
  const read = site === null ? folderReader(place) : siteReader((file) => fetch(new URL(file, site)))
  const open = publications()
  serveStdio(() => mcpServer(() => open(read), Date.now))
}
