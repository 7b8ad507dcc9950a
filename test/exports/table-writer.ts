import { publishTables } from '../../src/exports/publish-tables.ts'
import { writeTables } from '../../src/exports/tables.ts'
import { Tree } from '../../src/tree/tree.ts'

// Writes the tables of a tree in a process of its own, and tells what that took.
const [root = ''] = process.argv.slice(2)
const tree = new Tree(root)
const before = process.cpuUsage()
const tables = await writeTables({ root, files: tree.files, read: (file) => tree.read(file) }, '2026-11-20T12:00:00Z')
await publishTables(tree, tables)
const { user, system } = process.cpuUsage(before)
process.send?.({ cpuSeconds: (user + system) / 1e6, peakMiB: process.resourceUsage().maxRSS / 1024 })
