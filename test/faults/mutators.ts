/** Numbers at the edges of what formats, sizes and clocks allow. */
const NUMBERS = [
  '-1',
  '0',
  '-0',
  '0.5',
  '1e308',
  '1e999',
  '5e-324',
  '9e15',
  '2147483648',
  '4294967296',
  '9007199254740993',
  '99999999999999999999',
  'NaN',
  '0x10',
]

const TEXTS = [
  '',
  '\u0000',
  '\ufeff',
  '\u202e',
  '\ud83d\ude00',
  '__proto__',
  'constructor',
  '../../etc/passwd',
  '//host:1/x',
  'http://127.0.0.1:1/',
  'javascript:alert(1)',
  '9999-12-31T23:59:59Z',
  '+275760-09-13T00:00:00Z',
  '2026-02-30T00:00:00Z',
  '<!DOCTYPE a [<!ENTITY a "&a;">]>',
  '<script>',
  '%ff%00',
]

/** What a long text is made of. A pattern that goes back over it takes minutes. */
const UNITS = ['\\"', '"', '\\', '&', '<', ' ', '/', '-', '0', 'a', '&#', '<a ', '](', '{"":', '\u0301']

const VALUES = ['null', 'true', '[]', '{}', '""', '[null]', '{"__proto__":null}', ...NUMBERS]

/** A source of numbers in 0..1 that repeats with its seed: mulberry32. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

interface Draw {
  readonly below: (count: number) => number
  readonly of: (values: readonly string[]) => string
  readonly most: number
}

type Mutator = (bytes: Buffer, draw: Draw, other: Buffer) => Buffer

const spliced = (bytes: Buffer, from: number, to: number, put: Buffer | string): Buffer =>
  Buffer.concat([bytes.subarray(0, from), Buffer.from(put), bytes.subarray(to)])

/** Replaces one match of a pattern in bytes that are read as Latin-1. */
function replaced(bytes: Buffer, draw: Draw, pattern: RegExp, put: (found: string) => string): Buffer {
  const found = [...bytes.toString('latin1').matchAll(pattern)]
  const one = found[draw.below(found.length)]
  return one === undefined ? bytes : spliced(bytes, one.index, one.index + one[0].length, put(one[0]))
}

const long = (draw: Draw): string => {
  const unit = draw.of(UNITS)
  return unit.repeat(Math.ceil(draw.below(draw.most) / unit.length))
}

const nested = (draw: Draw): string => {
  const levels = draw.below(draw.most / 8)
  return draw.below(2) === 0
    ? '['.repeat(levels) + ']'.repeat(levels)
    : `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
}

const VALUE = /"(?:[^"\\]{0,200})"(?=\s*[,\]}])|-?\d[\d.eE+-]{0,30}|true|false|null/g

/** Ways to change bytes of any format; those for texts leave others nearly as they are. */
const MUTATORS: Readonly<Record<string, Mutator>> = {
  flip(bytes, draw) {
    const changed = Buffer.from(bytes)
    for (let count = 0; count <= draw.below(8) && changed.length > 0; count++) {
      const at = draw.below(changed.length)
      changed[at] = (changed[at] ?? 0) ^ (1 << draw.below(8))
    }
    return changed
  },
  truncate: (bytes, draw) => bytes.subarray(0, draw.below(bytes.length)),
  remove(bytes, draw) {
    const from = draw.below(bytes.length)
    return spliced(bytes, from, from + draw.below(64), '')
  },
  repeat(bytes, draw) {
    const from = draw.below(bytes.length)
    const part = bytes.subarray(from, from + draw.below(2000))
    return spliced(bytes, from, from, Buffer.concat(Array.from({ length: 1 + draw.below(20) }, () => part)))
  },
  splice(bytes, draw, other) {
    const [at, from] = [draw.below(bytes.length), draw.below(other.length)]
    return spliced(bytes, at, at + draw.below(200), other.subarray(from, from + draw.below(400)))
  },
  word(bytes, draw) {
    const at = draw.below(bytes.length)
    const fill = [0, 0x7f, 0x80, 0xff][draw.below(4)] ?? 0
    const length = 1 << draw.below(4)
    return spliced(bytes, at, at + length, Buffer.alloc(length, fill))
  },
  number: (bytes, draw) => replaced(bytes, draw, /-?\d[\d.]*/g, () => draw.of(NUMBERS)),
  value: (bytes, draw) => replaced(bytes, draw, VALUE, () => draw.of(VALUES)),
  text: (bytes, draw) => replaced(bytes, draw, /"[^"\\]{0,200}"/g, () => JSON.stringify(draw.of(TEXTS))),
  longText: (bytes, draw) => replaced(bytes, draw, /"[^"\\]{0,200}"/g, () => JSON.stringify(long(draw))),
  longRun(bytes, draw) {
    const at = draw.below(bytes.length)
    return spliced(bytes, at, at, long(draw))
  },
  nest: (bytes, draw) => replaced(bytes, draw, VALUE, () => nested(draw)),
  duplicate: (bytes, draw) =>
    replaced(
      bytes,
      draw,
      /"[\w.-]{1,60}":/g,
      (name) => `${name}${draw.of(VALUES)},${draw.below(2) === 0 ? name : '"__proto__":'}`,
    ),
  line: (bytes, draw) =>
    replaced(bytes, draw, /\n/g, () => draw.of(['', '\n\n', '\r\n', '\r', '\u2028', `\n${draw.of(TEXTS)}\n`])),
}

/** Returns a sample after one to four changes, the same ones for the same seed, with texts of at most `most`. */
export function mutated(
  samples: readonly Buffer[],
  seed: number,
  most: number,
): { bytes: Buffer; sample: number; by: string } {
  const random = randomOf(seed)
  const below = (count: number) => Math.floor(random() * Math.max(1, Math.floor(count)))
  const draw: Draw = { below, most, of: (values) => values[below(values.length)] ?? '' }
  const sample = below(samples.length)
  const names = Object.keys(MUTATORS)
  const by: string[] = []
  let bytes = samples[sample] ?? Buffer.alloc(0)
  for (let left = 1 + below(4); left > 0; left--) {
    const name = draw.of(names)
    by.push(name)
    bytes = MUTATORS[name]?.(bytes, draw, samples[below(samples.length)] ?? bytes) ?? bytes
  }
  return { bytes, sample, by: by.join('+') }
}
