import * as z from 'zod'
import { isRecord } from './read-json.ts'

type Row = Readonly<Record<string, unknown>>

/** Returns what keeps the members that a schema declares, in its order, and checks nothing: tests check documents. */
export function declaredMembers({ shape }: z.ZodObject): (value: Row) => Row {
  const members = Object.entries(shape).map(([name, member]) => [name, declaredIn(member)] as const)
  return (value) => {
    const kept: Record<string, unknown> = {}
    for (const [name, declared] of members) {
      const member = declared === null ? value[name] : declared(value[name])
      if (member !== undefined) kept[name] = member
    }
    return kept
  }
}

function declaredIn(schema: z.core.$ZodType): ((value: unknown) => unknown) | null {
  if (schema instanceof z.ZodObject) {
    const declared = declaredMembers(schema)
    return (value) => (isRecord(value) ? declared(value) : value)
  }
  if (schema instanceof z.ZodArray) {
    const element = declaredIn(schema.element)
    return element && ((value) => (Array.isArray(value) ? value.map(element) : value))
  }
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional || schema instanceof z.ZodReadonly)
    return declaredIn(schema.unwrap())
  const stays =
    (schema instanceof z.ZodRecord && declaredIn(schema.valueType) === null) ||
    (schema instanceof z.ZodUnion && schema.options.every((option) => declaredIn(option) === null)) ||
    (schema instanceof z.ZodType && PLAIN.has(schema.def.type))
  return stays ? null : (value) => z.parse(schema, value)
}

const PLAIN: ReadonlySet<string> = new Set([
  'string',
  'number',
  'boolean',
  'enum',
  'literal',
  'null',
  'unknown',
  'custom',
])
