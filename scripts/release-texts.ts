export type ReleaseTexts = Readonly<
  Record<'package.json' | 'package-lock.json' | 'src/client/package.json' | 'CHANGELOG.md', string>
>

const VERSION = /^(\d+)\.(\d+)\.(\d+)$/
const UNRELEASED = '## Unreleased\n'

/** Returns the parts of a version. @throws RangeError if it is none */
function partsOf(version: string): number[] {
  const parts = VERSION.exec(version)?.slice(1).map(Number)
  if (!parts) throw new RangeError(`"${version}" is no version, such as 1.2.0.`)
  return parts
}

/**
 * Returns the texts of a release: its version in both packages, and what was unreleased under it in the changelog.
 *
 * @param day such as 2026-11-23
 * @throws RangeError if it is no later version, or nothing is unreleased
 */
export function releaseTexts(texts: ReleaseTexts, version: string, day: string): ReleaseTexts {
  const before = /"version": "([^"]*)"/.exec(texts['package.json'])?.[1] ?? ''
  const [now, last] = [partsOf(version), partsOf(before)]
  const [place] = now.flatMap((part, index) => (part === last[index] ? [] : [index]))
  if (place === undefined || (now[place] ?? 0) < (last[place] ?? 0))
    throw new RangeError(`${version} is not later than ${before}.`)
  const [, entries = ''] = texts['CHANGELOG.md'].split(UNRELEASED)
  if (!entries.trimStart().startsWith('- ')) throw new RangeError('CHANGELOG.md has nothing unreleased.')
  const stated = (text: string) => text.replace(`"version": "${before}"`, `"version": "${version}"`)
  return {
    'package.json': stated(texts['package.json']),
    // The second is that of the package in its list.
    'package-lock.json': stated(stated(texts['package-lock.json'])),
    'src/client/package.json': stated(texts['src/client/package.json']),
    'CHANGELOG.md': texts['CHANGELOG.md'].replace(UNRELEASED, `${UNRELEASED}\n## ${version} (${day})\n`),
  }
}

/** Returns what the changelog says of a version; null if it has none of it. */
export const notesOf = (changelog: string, version: string): string | null =>
  changelog
    .split(/^## /m)
    .find((section) => section.startsWith(`${version} `))
    ?.replace(/^.*\n/, '')
    .trim() ?? null
