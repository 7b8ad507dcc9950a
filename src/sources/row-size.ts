/** Maximum length of all texts of a row. The largest known profile has 126,000 characters. */
const ROW_CHARACTERS = 2 ** 19
/** Maximum depth of a row. The deepest known one has 6. */
const ROW_DEPTH = 32

/** Whether a value is small and flat enough to be a row, because later steps, such as `JSON.stringify`, are recursive. */
export function isRowSized(row: unknown): boolean {
  let left = ROW_CHARACTERS
  const fits = (value: unknown, depth: number): boolean => {
    left -= 1 + (typeof value === 'string' ? value.length : 0)
    if (left < 0 || depth > ROW_DEPTH) return false
    if (typeof value !== 'object' || value === null) return true
    if (Array.isArray(value)) return value.length <= left && value.every((element) => fits(element, depth + 1))
    for (const name of Object.keys(value)) left -= name.length
    return Object.values(value).every((member) => fits(member, depth + 1))
  }
  return fits(row, 0)
}
