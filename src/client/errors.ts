import type { Problem } from './answers.ts'

/** Base class of all errors of the client, except for the reason of an aborted signal. */
export class ClientError extends Error {
  override readonly name: string = 'ClientError'
}

/** An error answer of the API. Other mirrors would answer the same, so they are not asked. */
export class ApiError extends ClientError {
  override readonly name: string = 'ApiError'
  readonly code: Problem['code']
  readonly status: number
  readonly parameter: string | null
  readonly allowed: Problem['allowed']
  readonly issues: NonNullable<Problem['issues']>
  /** Seconds to wait before a retry; null if the API gave none. */
  readonly retryAfterSeconds: number | null
  /** The answering mirror; null if the client itself detected the error. */
  readonly mirror: string | null

  constructor(problem: Problem, mirror: string | null, retryAfterSeconds: number | null = null) {
    super(problem.message)
    this.code = problem.code
    this.status = problem.status
    this.parameter = problem.parameter
    this.allowed = problem.allowed
    this.issues = problem.issues ?? []
    this.retryAfterSeconds = retryAfterSeconds
    this.mirror = mirror
  }
}

export class NotFoundError extends ApiError {
  override readonly name = 'NotFoundError'
}

/**
 * Faults of a mirror: unreachable, timeout, a status that is not an answer of the API, a body that is not JSON, other JSON,
 * or stale data.
 */
type MirrorFault = 'unreachable' | 'timeout' | 'status' | 'not_json' | 'not_an_answer' | 'stale'

export class MirrorError extends ClientError {
  override readonly name: string = 'MirrorError'
  readonly mirror: string
  readonly fault: MirrorFault

  constructor(mirror: string, fault: MirrorFault, message: string, cause?: unknown) {
    super(`${mirror}: ${message}`, { cause })
    this.mirror = mirror
    this.fault = fault
  }
}

/** The data of a mirror is older than `maxStaleMs` allows. */
export class StaleError extends MirrorError {
  override readonly name = 'StaleError'
  readonly staleForMs: number
  /** Whether the whole snapshot of the mirror is stale, or only this document. */
  readonly isWhole: boolean

  constructor(mirror: string, staleForMs: number, isWhole: boolean) {
    super(mirror, 'stale', `stale for ${Math.round(staleForMs / 1000)} s`)
    this.staleForMs = staleForMs
    this.isWhole = isWhole
  }
}

export class NoMirrorError extends ClientError {
  override readonly name = 'NoMirrorError'
  /** In the order in which the mirrors were asked. */
  readonly failures: readonly MirrorError[]

  constructor(failures: readonly MirrorError[]) {
    super(`No mirror answered. ${failures.map(({ message }) => message).join('; ')}`)
    this.failures = failures
  }
}

/** Returns an answer; null where there is no such document. */
export const orNull = async <T>(answer: Promise<T>): Promise<T | null> =>
  answer.catch((error: unknown) => {
    if (error instanceof NotFoundError) return null
    throw error
  })
