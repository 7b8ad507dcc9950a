import { LOGOS } from '../contract/site-files.ts'
import type { Asset } from '../contract/asset.ts'
import type { Attachment, World } from '../endpoints/endpoint.ts'
import logos from './logos.json' with { type: 'json' }

/** Logos by CoinGecko's id, from @web3icons/core (MIT licence). `npm run logos` takes them. */
const BY_ID: Readonly<Record<string, string>> = logos

/** Sources that use CoinGecko's ids. */
const SOURCES = ['coingecko', 'sample']

/** Returns the logo of an asset; null: none is known. A symbol alone decides nothing: several assets may share it. */
function logoOf({ external_ids, verification_status }: Asset): string | null {
  if (verification_status === 'flagged') return null
  const ids = SOURCES.flatMap((source) => external_ids[source] ?? [])
  return ids.map((id) => (Object.hasOwn(BY_ID, id) ? BY_ID[id] : undefined)).find((svg) => svg !== undefined) ?? null
}

/** Slugs of the listings that have a logo, in their order. */
export const slugsWithLogo = (world: World): string[] =>
  world.listed.flatMap(({ asset }) => (logoOf(asset) === null ? [] : [asset.slug])).slice(0, LOGOS.files)

/** The notice that the licence of the logos asks for. */
const LICENCE = `The logos in this folder are from web3icons, https://github.com/0xa3k5/web3icons. They are trade marks of their owners.

MIT License

Copyright (c) 0xa3k5

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files
(the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify,
merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES
OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE
LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN
CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
`

/** Returns the logo of each listing that has one, and the list of them. */
export function logoFiles(world: World): Attachment[] {
  const slugs = slugsWithLogo(world)
  return [
    { path: LOGOS.list, text: `${JSON.stringify(slugs)}\n` },
    { path: `${LOGOS.folder}/LICENSE.txt`, text: LICENCE },
    ...slugs.map((slug) => {
      const listing = world.bySlug.get(slug)
      return { path: `${LOGOS.folder}/${slug}.svg`, text: `${(listing && logoOf(listing.asset)) ?? ''}\n` }
    }),
  ]
}
