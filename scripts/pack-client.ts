import { resolve } from 'node:path'
import { packClient } from './client-package.ts'
import { print } from './terminal.ts'

const folder = resolve(process.argv[2] ?? '.')
const { filename, size } = await packClient(folder)
print(`${filename}: ${size} bytes. Install it with: npm install ${resolve(folder, filename)}`)
