import { readFileSync, writeFileSync } from 'node:fs'
import { say } from './terminal.ts'
import { UsageError, main } from './usage.ts'

const FILES = ['package.json', 'package-lock.json', 'src/client/package.json', 'CHANGELOG.md'] as const
type ReleaseTexts = Readonly<Record<(typeof FILES)[number], string>>

const UNRELEASED = '## Unreleased\n'

function partsOf(version: string): number[] {
  const parts = /^(\d+)\.(\d+)\.(\d+)$/.exec(version)?.slice(1).map(Number)
  if (!parts) throw new UsageError(`"${version}" is no version, such as 1.2.0.`)
  return parts
}

export function releaseTexts(texts: ReleaseTexts, version: string, day: string): ReleaseTexts {
  const before = /"version": "([^"]*)"/.exec(texts['package.json'])?.[1] ?? ''
  const [now, last] = [partsOf(version), partsOf(before)]
  const place = now.findIndex((part, index) => part !== last[index])
  if (place < 0 || (now[place] ?? 0) < (last[place] ?? 0))
    throw new UsageError(`${version} is not later than ${before}.`)
  const [, entries = ''] = texts['CHANGELOG.md'].split(UNRELEASED)
  if (!entries.trimStart().startsWith('- ')) throw new UsageError('CHANGELOG.md has nothing unreleased.')
  const stated = (text: string) => text.replace(`"version": "${before}"`, `"version": "${version}"`)
  return {
    'package.json': stated(texts['package.json']),
    // The second is that of the package in its list.
    'package-lock.json': stated(stated(texts['package-lock.json'])),
    'src/client/package.json': stated(texts['src/client/package.json']),
    'CHANGELOG.md': texts['CHANGELOG.md'].replace(UNRELEASED, `${UNRELEASED}\n## ${version} (${day})\n`),
  }
}

export function notesOf(changelog: string, version: string): string {
  const section = changelog.split(/^## /m).find((text) => text.startsWith(`${version} `))
  if (section === undefined)
    throw new UsageError(`CHANGELOG.md says nothing of ${version}. Run npm run release -- ${version}.`)
  return section.replace(/^.*\n/, '').trim()
}

const textOf = (file: keyof ReleaseTexts): string => readFileSync(file, 'utf8')

/** Prepares a release: `npm run release -- 1.2.0`. With --notes, prints what the changelog says of a version. */
async function release(version = '', option = ''): Promise<number> {
  if (option === '--notes') say(notesOf(textOf('CHANGELOG.md'), version))
  else {
    const texts = {
      'package.json': textOf('package.json'),
      'package-lock.json': textOf('package-lock.json'),
      'src/client/package.json': textOf('src/client/package.json'),
      'CHANGELOG.md': textOf('CHANGELOG.md'),
    }
    const prepared = releaseTexts(texts, version, new Date().toISOString().slice(0, 10))
    for (const file of FILES) writeFileSync(file, prepared[file])
    say(`Version ${version} is in package.json, src/client/package.json and CHANGELOG.md. Next:
  npm run pack -- packages                        both packages, with their files
  git commit --all --message 'Release ${version}'
  git tag --annotate v${version} --message 'Release ${version}' && git push --follow-tags`)
  }
  return 0
}

if (process.argv[1] === import.meta.filename) await main(() => release(...process.argv.slice(2)))
