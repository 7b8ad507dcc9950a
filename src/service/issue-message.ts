import type * as z from 'zod'

/** Returns what is wrong with a member of a body in plain words; undefined: the schema's own message says it. */
export function issueMessage(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_type')
    return issue.input === undefined ? 'is required' : `must be ${KINDS[issue.expected] ?? issue.expected}`
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.map(String).join(', ')}`
  if (issue.code === 'too_small')
    return issue.origin === 'array' ? `must have at least ${issue.minimum}` : 'must not be empty'
  if (issue.code === 'too_big')
    return `must have at most ${issue.maximum}${issue.origin === 'string' ? ' characters' : ''}`
  return undefined
}

const KINDS: Readonly<Record<string, string>> = { string: 'a text', array: 'a list', object: 'an object' }
