import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { answersSource, methodsSource } from './client-source.ts'
import { print } from './terminal.ts'

const folder = fileURLToPath(new URL('../src/client/', import.meta.url))
writeFileSync(`${folder}answers.ts`, await answersSource())
writeFileSync(`${folder}methods.ts`, await methodsSource())
print('Wrote src/client/answers.ts and src/client/methods.ts')
