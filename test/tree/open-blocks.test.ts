import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { documentIn, filesIn, printBlock } from '../../src/contract/blocks.ts'
import { print } from '../../src/contract/text.ts'
import { OpenBlocks } from '../../src/tree/block-reader.ts'

const block = (name: string, documents: number, text: string): string =>
  printBlock(
    Array.from({ length: documents }, (_, place) => [
      `api/mkt/assets/${name}-${place}.json`,
      print({ ok: true, text, place, rows: [{ name: text }] }),
    ]),
  )

it('finds each document of each block byte for byte, whatever the order, and reads each block once', () => {
  const blocks = fc.array(fc.tuple(fc.nat(4), fc.string({ unit: 'grapheme' })), { minLength: 1, maxLength: 4 })
  const order = fc.infiniteStream(fc.nat())
  fc.assert(
    fc.property(blocks, order, (made, places) => {
      const texts = new Map(made.map(([count, text], index) => [`${index}.json`, block(`b${index}`, count, text)]))
      const whole: string[] = []
      const open = new OpenBlocks({
        whole(file) {
          whole.push(file)
          return Buffer.from(texts.get(file) ?? '')
        },
        part: (file, { from, to }) => Buffer.from(texts.get(file) ?? '').toString('utf8', from, to),
      })
      const documents = [...texts].flatMap(([file, text]) => filesIn(text).map((document) => [file, document] as const))
      const asked = [...places.take(60)].flatMap((place) =>
        documents.slice(place % Math.max(1, documents.length)).slice(0, 1),
      )
      for (const [file, document] of asked)
        expect(open.read(file, document)).toBe(documentIn(texts.get(file) ?? '', document))
      for (const [file, text] of texts) expect(open.documents(file)).toEqual(filesIn(text))
      expect(open.read('0.json', 'api/mkt/assets/no-such.json')).toBe(null)
      expect(whole.toSorted()).toEqual([...texts.keys()])
    }),
  )
})

it('has nothing of a block that cannot be read', () => {
  const open = new OpenBlocks({ whole: () => null, part: () => null })
  expect([open.documents('0.json'), open.read('0.json', 'api/mkt/assets/a.json')]).toEqual([[], null])
})
