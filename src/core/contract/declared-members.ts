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
  if (schema instanceof z.ZodRecord) {
    const member = declaredIn(schema.valueType)
    return member && ((value) => (isRecord(value) ? mapped(value, member) : value))
  }
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional || schema instanceof z.ZodDefault)
    return declaredIn(schema.unwrap())
  return null
}

const mapped = (values: Row, of: (value: unknown) => unknown): Row =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, of(value)]))
