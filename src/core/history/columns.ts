import type { Ms } from '../contract/time.ts'

/**
 * Values of consecutive buckets in named columns. A value that is unknown is NaN, and a column without any value takes no
 * memory: a million points are 15 MB, and ten times that as objects.
 */
export class Columns<Name extends string> {
  /** Length of a bucket in ms. */
  readonly width: number
  readonly names: readonly Name[]
  #from = 0
  #length = 0
  /** Number of buckets that a new column has room for. */
  #room = 0
  readonly #values = new Map<Name, Float64Array>()
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

  /** Whether no column has a value. */
  get isEmpty(): boolean {
    return this.#values.size === 0
  }

  /** Returns the value of a bucket; NaN if it is unknown. */
  at(name: Name, bucket: Ms): number {
    const place = (bucket - this.#from) / this.width
    return this.#values.get(name)?.[place] ?? Number.NaN
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
    this.#own(name)[(bucket - this.#from) / this.width] = value
  }

  /** Sets values of a bucket; what is not named stays. */
  assign(bucket: Ms, values: { readonly [Column in Name]?: number }): void {
    for (const name of this.names) {
      const value = values[name]
      if (value !== undefined) this.set(name, bucket, value)
    }
  }

  /** Returns the column of a name for the buckets from one on, to set many values in. They must be covered. */
  room(name: Name, from: number): Float64Array {
    return this.#own(name).subarray((from - this.#from) / this.width, this.#length)
  }

  #own(name: Name): Float64Array {
    const known = this.#values.get(name)
    if (known !== undefined && !this.#shared.has(name)) return known
    const column = known?.slice(0, this.#length) ?? new Float64Array(this.#room).fill(Number.NaN)
    this.#values.set(name, column)
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
    const first = this.#length === 0 ? from : Math.min(from, this.#from)
    const last = this.#length === 0 ? to : Math.max(to, this.to)
    this.#move(first, (last - first) / this.width + 1, Math.floor((Math.max(last, until) - first) / this.width) + 1)
  }

  /** Drops the buckets before and after a range, and the room of columns that grew. */
  clip(from: number, to: number): void {
    if (this.#length === 0) return
    const first = Math.max(from, this.#from)
    this.#move(first, Math.max(0, (Math.min(to, this.to) - first) / this.width + 1))
  }

  #move(from: number, length: number, room = length): void {
    const shift = (this.#from - from) / this.width
    for (const [name, before] of this.#values) {
      if (shift === 0 && room === before.length) continue
      const after = new Float64Array(room).fill(Number.NaN)
      const kept = before.subarray(Math.max(0, -shift), Math.max(0, Math.min(this.#length, length - shift)))
      if (kept.length > 0) after.set(kept, Math.max(0, shift))
      this.#values.set(name, after)
      this.#shared.delete(name)
    }
    this.#from = from
    this.#length = length
    this.#room = room
  }

  /** Returns the start of the last bucket up to one, by default the last of all, that has a value in a column; null: none has. */
  last(name: Name, upTo = this.to): number | null {
    const column = this.#values.get(name)
    if (column === undefined) return null
    for (let place = Math.min(this.#length - 1, Math.floor((upTo - this.#from) / this.width)); place >= 0; place--)
      if (!Number.isNaN(column[place])) return this.#from + place * this.width
    return null
  }

  /** Returns the start of the first bucket from one on, by default the first of all, that has a value in a column; null: none has. */
  first(name: Name, onFrom = this.#from): number | null {
    const column = this.#values.get(name)
    if (column === undefined) return null
    for (let place = Math.max(0, Math.ceil((onFrom - this.#from) / this.width)); place < this.#length; place++)
      if (!Number.isNaN(column[place])) return this.#from + place * this.width
    return null
  }

  /** Returns the starts of the buckets of a range that have a value in a column, in order. */
  buckets(name: Name, from = this.#from, to = this.to): number[] {
    const column = this.#values.get(name)
    const found: number[] = []
    if (column === undefined) return found
    const end = Math.min(to, this.to)
    for (let bucket = Math.max(from, this.#from); bucket <= end; bucket += this.width)
      if (!Number.isNaN(column[(bucket - this.#from) / this.width])) found.push(bucket)
    return found
  }

  /** Returns the values of consecutive buckets, those of its range; NaN: unknown. */
  values(name: Name, from: number, to: number): number[] {
    const column = this.#values.get(name)
    if (column === undefined) return []
    const values: number[] = []
    const last = (to - this.#from) / this.width
    for (let place = (from - this.#from) / this.width; place <= last; place++) values.push(column[place] ?? Number.NaN)
    return values
  }

  copy(): Columns<Name> {
    const other = new Columns<Name>(this.width, this.names)
    other.#from = this.#from
    other.#length = this.#length
    other.#room = this.#length
    for (const [name, column] of this.#values) other.#values.set(name, column)
    this.#shared = new Set(this.#values.keys())
    other.#shared = new Set(this.#shared)
    other.#touched = new Set()
    return other
  }
}
