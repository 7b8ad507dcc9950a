import type { Ms } from '../contract/time.ts'

/** The values of a column from a bucket on. */
interface Column {
  readonly from: Ms
  readonly values: Float64Array
}

/**
 * Values of consecutive buckets in named columns. A value that is unknown is NaN, and a column takes memory from its first
 * value on: a million points are 15 MB, and ten times that as objects.
 */
export class Columns<Name extends string> {
  /** Length of a bucket in ms. */
  readonly width: number
  readonly names: readonly Name[]
  #from = 0
  #length = 0
  /** End of the last bucket that a new column has room for. */
  #end = 0
  readonly #columns = new Map<Name, Column>()
  /** Columns that a copy has too: the first value that is set in one of them makes it a column of its own. */
  #shared = new Set<Name>()
  #touched: Set<Ms> | null = null

  constructor(width: number, names: readonly Name[]) {
    this.width = width
    this.names = names
  }

  /** Start of the first bucket, in ms since 1970. */
  get from(): number {
    return this.#from
  }

  /** Start of the last bucket, in ms since 1970; that of the one before `from` if there is none. */
  get to(): number {
    return this.#from + (this.#length - 1) * this.width
  }

  get length(): number {
    return this.#length
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

  /** Whether a bucket has a value in a column. */
  has(name: Name, bucket: Ms): boolean {
    return !Number.isNaN(this.at(name, bucket))
  }

  /** Buckets of which a value changed since this was copied; null: it is no copy. */
  get touched(): ReadonlySet<Ms> | null {
    return this.#touched
  }

  /** Sets the value of a bucket; NaN: unknown. */
  set(name: Name, bucket: Ms, value: number): void {
    if (Object.is(value, this.at(name, bucket))) return
    this.#touched?.add(bucket)
    this.cover(bucket, bucket)
    const { from, values } = this.#own(name, bucket)
    values[(bucket - from) / this.width] = value
  }

  /** Sets values of a bucket, null: unknown; what is not named stays. */
  assign(bucket: Ms, values: { readonly [Column in Name]?: number | null }): void {
    for (const name of this.names) {
      const value = values[name]
      if (value !== undefined) this.set(name, bucket, value ?? Number.NaN)
    }
  }

  /** Returns the column of a name for the buckets from one on, to set many values in. They must be covered. */
  room(name: Name, bucket: Ms): Float64Array {
    const { from, values } = this.#own(name, bucket)
    return values.subarray((bucket - from) / this.width)
  }

  /** Returns a column that no copy has, with room from a bucket on; one with later values has room for all buckets then. */
  #own(name: Name, bucket: Ms): Column {
    const known = this.#columns.get(name)
    const from = known === undefined ? bucket : bucket < known.from ? this.#from : known.from
    const room = (this.#end - from) / this.width
    if (known?.from === from && known.values.length >= room && !this.#shared.has(name)) return known
    const values = new Float64Array(room).fill(Number.NaN)
    const place = known === undefined ? 0 : (known.from - from) / this.width
    values.set(known?.values.subarray(0, room - place) ?? [], place)
    const column = { from, values }
    this.#columns.set(name, column)
    this.#shared.delete(name)
    return column
  }

  /**
   * Makes room for buckets, so that setting many of them copies the columns once.
   *
   * @param until time of the last value that is expected later
   */
  cover(from: number, to: number, until = to): void {
    if (this.#length > 0 && from >= this.#from && to <= this.to) return
    const last = this.#length === 0 ? to : Math.max(to, this.to)
    this.#from = this.#length === 0 ? from : Math.min(from, this.#from)
    this.#length = (last - this.#from) / this.width + 1
    this.#end = this.#from + (Math.floor((Math.max(last, until) - this.#from) / this.width) + 1) * this.width
  }

  /** Drops the buckets before and after a range, and the room of columns that grew. */
  clip(from: number, to: number): void {
    if (this.#length === 0) return
    const last = Math.min(to, this.to)
    this.#from = Math.max(from, this.#from)
    this.#length = Math.max(0, (last - this.#from) / this.width + 1)
    this.#end = this.#from + this.#length * this.width
    for (const [name, column] of this.#columns) {
      const start = Math.max(this.#from, column.from)
      const [first, end] = [(start - column.from) / this.width, (this.#end - column.from) / this.width]
      if (end <= first) this.#columns.delete(name)
      else if (first > 0 || column.values.length > end) {
        this.#columns.set(name, { from: start, values: column.values.slice(first, end) })
        this.#shared.delete(name)
      }
    }
  }

  /** Returns the start of the last bucket up to one, by default the last of all, that has a value in a column; null: none has. */
  last(name: Name, upTo = this.to): number | null {
    const { from, values } = this.#columns.get(name) ?? NO_COLUMN
    for (let place = Math.min(values.length - 1, Math.floor((upTo - from) / this.width)); place >= 0; place--)
      if (!Number.isNaN(values[place])) return from + place * this.width
    return null
  }

  /** Returns the start of the first bucket from one on, by default the first of all, that has a value in a column; null: none has. */
  first(name: Name, onFrom = this.#from): number | null {
    const { from, values } = this.#columns.get(name) ?? NO_COLUMN
    for (let place = Math.max(0, Math.ceil((onFrom - from) / this.width)); place < values.length; place++)
      if (!Number.isNaN(values[place])) return from + place * this.width
    return null
  }

  /** Returns the starts of the buckets of a range that have a value in a column, in order. */
  buckets(name: Name, onFrom = this.#from, to = this.to): number[] {
    const { from, values } = this.#columns.get(name) ?? NO_COLUMN
    const found: number[] = []
    const last = Math.min(to, from + (values.length - 1) * this.width)
    for (let bucket = Math.max(onFrom, from); bucket <= last; bucket += this.width)
      if (!Number.isNaN(values[(bucket - from) / this.width])) found.push(bucket)
    return found
  }

  /** Returns the values of consecutive buckets, none of a column without any; NaN: unknown. */
  values(name: Name, from: number, to: number): number[] {
    const column = this.#columns.get(name)
    const values: number[] = []
    if (column === undefined) return values
    const last = (to - column.from) / this.width
    for (let place = (from - column.from) / this.width; place <= last; place++)
      values.push(column.values[place] ?? Number.NaN)
    return values
  }

  copy(): Columns<Name> {
    const other = new Columns<Name>(this.width, this.names)
    other.#from = this.#from
    other.#length = this.#length
    other.#end = this.#from + this.#length * this.width
    for (const [name, column] of this.#columns) other.#columns.set(name, column)
    this.#shared = new Set(this.#columns.keys())
    other.#shared = new Set(this.#shared)
    other.#touched = new Set()
    return other
  }
}

const NO_COLUMN: Column = { from: 0, values: new Float64Array() }
