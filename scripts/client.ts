import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { methodsSource } from './client-source.ts'
import { print } from './terminal.ts'

writeFileSync(fileURLToPath(new URL('../src/client/methods.ts', import.meta.url)), await methodsSource())
print('Wrote src/client/methods.ts')
