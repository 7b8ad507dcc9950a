import type { Ms } from '../contract/time.ts'

/** The values of a column from a bucket on. Its owner alone may set them; null: copies have them too. */
interface Column {
  readonly from: Ms
  readonly values: Float32Array | Float64Array
  owner: object | null
}

/** Columns of codes and counts: small whole numbers, which take half of the memory. */
const SMALL: ReadonlySet<string> = new Set(['origin', 'venues', 'runs', 'basis', 'rights'])

/** Buckets that a column has room for beyond one that it grows by, so that setting many of them copies it seldom. */
const ROOM = 64

/**
 * Values of consecutive buckets in named columns. A value that is unknown is NaN, and a column takes memory from its first
 * value on: a million points are 15 MB, and ten times that as objects.
 */
export class Columns<Name extends string> {
  /** Length of a bucket in ms. */
  readonly width: number
  readonly names: readonly Name[]
  readonly #columns = new Map<Name, Column>()
  #touched: Set<Ms> | null = null

  constructor(width: number, names: readonly Name[]) {
    this.width = width
    this.names = names
  }

  /** Returns the value of a bucket; NaN if it is unknown. */
  at(name: Name, bucket: Ms): number {
    const column = this.#columns.get(name)
    return column?.values[(bucket - column.from) / this.width] ?? Number.NaN
  }

  /** Returns the value of a bucket; null if it is unknown. */
  value(name: Name, bucket: Ms): number | null {
    const value = this.at(name, bucket)
    return Number.isNaN(value) ? null : value
  }

  /** Returns the values of a bucket by column; NaN: unknown. */
  row(bucket: Ms): { readonly [Column in Name]?: number } {
    const row: { [Column in Name]?: number } = {}
    for (const name of this.names) row[name] = this.at(name, bucket)
    return row
  }

  has(name: Name, bucket: Ms): boolean {
    return !Number.isNaN(this.at(name, bucket))
  }

  /** Buckets of which a value was set since this was read or copied; null: it is new. */
  get touched(): ReadonlySet<Ms> | null {
    return this.#touched
  }

  /** Notes the buckets that are set from now on. */
  settle(): void {
    this.#touched = new Set()
  }

  /** Sets the value of a bucket; NaN: unknown. */
  set(name: Name, bucket: Ms, value: number): void {
    if (Object.is(value, this.at(name, bucket))) return
    this.#touched?.add(bucket)
    const { from, values } = this.#own(name, bucket, bucket)
    values[(bucket - from) / this.width] = value
  }

  /** Sets values of a bucket, null: unknown; what is not named stays. */
  assign(bucket: Ms, values: { readonly [Column in Name]?: number | null }): void {
    for (const name of this.names) {
      const value = values[name]
      if (value !== undefined) this.set(name, bucket, value ?? Number.NaN)
    }
  }

  /** Returns the column of a name from a bucket on, to set many values in, with room up to a time. */
  room(name: Name, bucket: Ms, to: Ms): Column['values'] {
    const { from, values } = this.#own(name, bucket, to)
    return values.subarray((bucket - from) / this.width)
  }

  /** Returns a column that no copy has, with room for a range. */
  #own(name: Name, first: Ms, last: Ms): Column {
    const known = this.#columns.get(name) ?? { ...NO_COLUMN, from: first }
    const end = known.from + known.values.length * this.width
    const isInside = first >= known.from && last < end
    if (isInside && known.owner === this) return known
    const more = known.values.length > 0 ? ROOM * this.width : 0
    const from = first < known.from ? first - more : known.from
    const to = last < end ? end - this.width : last + more
    const Values = SMALL.has(name) ? Float32Array : Float64Array
    const values = new Values(Math.floor((to - from) / this.width) + 1).fill(Number.NaN)
    values.set(known.values, (known.from - from) / this.width)
    const column = { from, values, owner: this }
    this.#columns.set(name, column)
    return column
  }

  /** Drops the buckets before and after a range, and the room of columns that grew. */
  clip(from: number, to: number): void {
    for (const [name, column] of this.#columns) {
      const [first, last] = [this.first(name, from), this.last(name, to)]
      if (first === null || last === null || first > last) {
        this.#columns.delete(name)
        continue
      }
      const [start, end] = [(first - column.from) / this.width, (last - column.from) / this.width + 1]
      if (start === 0 && end === column.values.length) continue
      this.#columns.set(name, { from: first, values: column.values.slice(start, end), owner: this })
    }
  }

  /** Returns the start of the last bucket up to one, by default the last of all, that has a value in a column; null: none has. */
  last(name: Name, upTo = Infinity): number | null {
    const { from, values } = this.#columns.get(name) ?? NO_COLUMN
    for (let place = Math.min(values.length - 1, Math.floor((upTo - from) / this.width)); place >= 0; place--)
      if (!Number.isNaN(values[place])) return from + place * this.width
    return null
  }

  /** Returns the start of the first bucket from one on, by default the first of all, that has a value in a column; null: none has. */
  first(name: Name, onFrom = -Infinity): number | null {
    const { from, values } = this.#columns.get(name) ?? NO_COLUMN
    for (let place = Math.max(0, Math.ceil((onFrom - from) / this.width)); place < values.length; place++)
      if (!Number.isNaN(values[place])) return from + place * this.width
    return null
  }

  /** Returns the starts of the buckets of a range that have a value in a column, in order. */
  buckets(name: Name, onFrom = -Infinity, to = Infinity): number[] {
    const { from, values } = this.#columns.get(name) ?? NO_COLUMN
    const found: number[] = []
    const last = Math.min(to, from + (values.length - 1) * this.width)
    for (let bucket = Math.max(onFrom, from); bucket <= last; bucket += this.width)
      if (!Number.isNaN(values[(bucket - from) / this.width])) found.push(bucket)
    return found
  }

  /** Returns the values of consecutive buckets, none of a column without any; NaN: unknown. */
  values(name: Name, from: number, to: number): number[] {
    const own = this.#columns.get(name)
    if (own === undefined) return []
    const values: number[] = []
    for (let place = (from - own.from) / this.width; values.length <= (to - from) / this.width; place++)
      values.push(own.values[place] ?? Number.NaN)
    return values
  }

  copy(): Columns<Name> {
    const other = new Columns<Name>(this.width, this.names)
    for (const column of this.#columns.values()) column.owner = null
    for (const [name, column] of this.#columns) other.#columns.set(name, column)
    other.settle()
    return other
  }
}

const NO_COLUMN: Column = { from: 0, values: new Float64Array(), owner: null }
