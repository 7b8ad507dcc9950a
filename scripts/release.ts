import { readFileSync, writeFileSync } from 'node:fs'
import { type ReleaseTexts, notesOf, releaseTexts } from './release-texts.ts'
import { print } from './terminal.ts'
import { UsageError, main } from './usage.ts'

const read = (file: keyof ReleaseTexts): string => readFileSync(file, 'utf8')

/** Prepares a release: `npm run release -- 1.2.0`. With --notes, prints what the changelog says of a version. */
await main(async () => {
  const [version = '', option] = process.argv.slice(2)
  if (option === '--notes') {
    const notes = notesOf(read('CHANGELOG.md'), version)
    if (notes === null)
      throw new UsageError(`CHANGELOG.md says nothing of ${version}. Run npm run release -- ${version}.`)
    print(notes)
    return 0
  }
  const texts = {
    'package.json': read('package.json'),
    'package-lock.json': read('package-lock.json'),
    'src/client/package.json': read('src/client/package.json'),
    'CHANGELOG.md': read('CHANGELOG.md'),
  }
  try {
    const prepared = releaseTexts(texts, version, new Date().toISOString().slice(0, 10))
    for (const [file, text] of Object.entries(prepared)) writeFileSync(file, text)
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause
    throw new UsageError(cause.message, { cause })
  }
  print(`Version ${version} is in package.json, src/client/package.json and CHANGELOG.md. Next:
  npm run pack -- packages                        both packages, with their files
  git commit --all --message 'Release ${version}'
  git tag --annotate v${version} --message 'Release ${version}' && git push --follow-tags`)
  return 0
})
