import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { answersSource, methodsSource } from './client-source.ts'
import { print } from './terminal.ts'
import { EXIT, main, options } from './usage.ts'

await main(async () => {
  options('client', 'Generates the types and methods of the client from the table of endpoints.', {})
  const folder = fileURLToPath(new URL('../src/client/', import.meta.url))
  writeFileSync(`${folder}answers.ts`, await answersSource())
  writeFileSync(`${folder}methods.ts`, await methodsSource())
  print('Wrote src/client/answers.ts and src/client/methods.ts')
  return EXIT.done
})
