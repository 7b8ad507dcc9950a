import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { answersSource, methodsSource } from './client-source.ts'
import { declare } from './command.ts'
import { EXIT } from './usage.ts'

export const command = declare({
  options: {},
  async run(_, __, output) {
    const folder = fileURLToPath(new URL('../src/client/', import.meta.url))
    writeFileSync(`${folder}answers.ts`, await answersSource())
    writeFileSync(`${folder}methods.ts`, await methodsSource())
    const written = ['src/client/answers.ts', 'src/client/methods.ts']
    output.result({ written }, () => `Wrote ${written.join(' and ')}`)
    return EXIT.done
  },
})
