import { expect, it } from 'vitest'
import { bodyOf } from '../../src/pages/list-view.tsx'

const filled = (members: Readonly<Record<string, string>>): FormData => {
  const form = new FormData()
  for (const [name, value] of Object.entries(members)) form.set(name, value)
  return form
}

it('a form returns the filled fields, and lists line by line', () =>
  expect(
    bodyOf(
      filled({
        request_type: 'new',
        name: ' Acme ',
        symbol: 'ACM',
        website: '',
        contracts: 'ethereum 0xaa\n\n  solana   Fb  ',
        markets: 'https://a.example\nhttps://b.example\n',
      }),
    ),
  ).toEqual({
    request_type: 'new',
    name: 'Acme',
    symbol: 'ACM',
    contracts: [
      { chain: 'ethereum', address: '0xaa' },
      { chain: 'solana', address: 'Fb' },
    ],
    markets: ['https://a.example', 'https://b.example'],
  }))

it('an empty form leaves required fields out, so that the answer can name them', () =>
  expect(bodyOf(new FormData())).toEqual({ name: '', symbol: '' }))
