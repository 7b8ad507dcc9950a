import type { Problem } from './answers.ts'

/** What every error of the client is, but for that of a signal, which is thrown as it came. */
export class ClientError extends Error {
  override readonly name: string = 'ClientError'
}

/** The API's own answer that a request cannot be met. No mirror would say otherwise, so none else was asked. */
export class ApiError extends ClientError {
  override readonly name: string = 'ApiError'
  readonly code: Problem['code']
  readonly status: number
  /** The parameter that is at fault. */
  readonly parameter: string | null
  /** What it may be. */
  readonly allowed: Problem['allowed']
  /** All that is wrong with a body that was sent. */
  readonly issues: NonNullable<Problem['issues']>
  /** After so long it may be tried again; null where nothing was said. */
  readonly retryAfterSeconds: number | null
  /** Who said so; null where the client itself knows. */
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

/** There is no such document. */
export class NotFoundError extends ApiError {
  override readonly name = 'NotFoundError'
}

/**
 * What can be wrong with a mirror: it cannot be reached, takes too long, answers with a status that is no answer of the API,
 * with something else than JSON, with other JSON, or with data that is too old.
 */
export type MirrorFault = 'unreachable' | 'timeout' | 'status' | 'not_json' | 'not_an_answer' | 'stale'

/** Why one mirror did not answer. */
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

/** What a mirror has is older than `maxStaleMs` allows. */
export class StaleError extends MirrorError {
  override readonly name = 'StaleError'
  /** How long it has been out of date. */
  readonly staleForMs: number
  /** Whether all that the mirror has is so, or only this document, which its sources let down. */
  readonly isWhole: boolean

  constructor(mirror: string, staleForMs: number, isWhole: boolean) {
    super(mirror, 'stale', `out of date for ${Math.round(staleForMs / 1000)} s`)
    this.staleForMs = staleForMs
    this.isWhole = isWhole
  }
}

/** No mirror answered. */
export class NoMirrorError extends ClientError {
  override readonly name = 'NoMirrorError'
  /** Why, of each mirror, in the order they were asked. */
  readonly failures: readonly MirrorError[]

  constructor(failures: readonly MirrorError[]) {
    super(`No mirror answered. ${failures.map(({ message }) => message).join('; ')}`)
    this.failures = failures
  }
}
