import { expect, it } from 'vitest'
import { checkAsset } from '../../src/requests/proposed-asset.ts'
import { openRegistry } from '../../src/core/registry/registry.ts'

const USDC = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'
const { assets } = openRegistry()
const grove = {
  slug: 'grove-coin',
  symbol: 'GROVE',
  name: 'Grove Coin',
  contracts: [{ chain: 'polygon-pos', address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', decimals: 18 }],
}
const check = (value: unknown, more: { path?: string; logo?: string } = {}) =>
  checkAsset({
    path: more.path ?? 'registry/grove-coin.json',
    text: typeof value === 'string' ? value : JSON.stringify(value),
    logo: more.logo ?? null,
    others: assets,
    known: assets,
  })

it('finds nothing wrong with a good file', () => {
  const found = check(grove, { logo: '<svg viewBox="0 0 1 1"><path d="M0 0h1v1z"/></svg>' })
  expect(found).toMatchObject({ asset: 'Grove Coin (GROVE), 1 contracts', faults: [], warnings: [] })
})

it.each([
  ['{', 'The file is not a JSON object.'],
  [{ ...grove, slug: 'Grove' }, 'slug: '],
  [{ ...grove, website: 'https://grove.example' }, 'There is no member website. An asset has slug, symbol'],
  [{ ...grove, slug: 'grove' }, 'The file of the asset grove is called grove.json.'],
  [
    { ...grove, contracts: [{ chain: 'ethereum', address: USDC.replace('A0b8', 'a0B8'), decimals: 6 }] },
    `If every digit is right, it is ${USDC}.`,
  ],
  [{ ...grove, contracts: [{ chain: 'moon', address: USDC, decimals: 6 }] }, 'chains.json has no moon'],
  [{ ...grove, external_ids: { coingecko: 'trac-network' } }, 'trac-network and grove-coin both claim'],
])('refuses %j', (value, sentence) => {
  expect(check(value).faults.join('\n')).toContain(sentence)
})

it('warns of a namesake, of a taken symbol, and of an asset that calls itself verified', () => {
  const known = assets.find(({ slug }) => slug === 'trac-network') ?? grove
  const { faults, warnings } = check({
    ...grove,
    name: known.name.toLowerCase(),
    symbol: known.symbol,
    verification_status: 'verified',
  })
  expect(faults).toEqual([])
  expect(warnings.join('\n')).toMatch(
    /trac-network has the same name and symbol.*\n.*trac-network has the same symbol.*\n.*that it is verified/,
  )
})

it.each([
  '<p>',
  '<svg onload="x()"/>',
  '<svg><script/></svg>',
  '<svg xmlns:x="http://www.w3.org/2000/svg"><x:script>x()</x:script></svg>',
  '<svg><image href="https://evil.example/"/></svg>',
  '<svg><use href="data:image/svg+xml;base64,AA"/></svg>',
  '<svg><a href="java&#115;cript:x()"><path/></a></svg>',
  '<svg><set attributeName="onload" to="x()"/></svg>',
  '<svg/onload=x()>',
  '<svg><style>@import url(//evil.example)</style></svg>',
  '<?xml-stylesheet href="//evil.example"?><svg></svg>',
  `<svg>${'<g></g>'.repeat(10_000)}</svg>`,
])('refuses the logo %s', (logo) =>
  expect(check(grove, { logo }).faults).toEqual([expect.stringMatching(/^The logo /)]),
)
