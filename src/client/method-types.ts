import type { Parameter } from '../core/contract/parameters.ts'
import type { EndpointsByMethod } from '../core/endpoints/table.ts'
import type { AnswerOf, ListingRequestBody, Method } from './answers.ts'
import type { CallOptions, Result, Sent } from './call.ts'

type ParametersOf<Name extends Method> = EndpointsByMethod[Name]['parameters']
/** A value for each `:name` in a path. */
type PathValues<Path extends string> = Path extends `${string}/:${infer Rest}`
  ? [string, ...(Rest extends `${string}/${infer Tail}` ? PathValues<`/${Tail}`> : [])]
  : []
type IsInPath<Name, Path extends string> = Name extends string
  ? `${Path}/` extends `${string}/:${Name}/${string}`
    ? true
    : false
  : false
type ValueOf<P> = P extends { readonly computed: 'rows' }
  ? readonly string[]
  : P extends Parameter<infer Value>
    ? Value
    : never
type Query<Name extends Method> = {
  readonly [
    P in keyof ParametersOf<Name> as IsInPath<P, EndpointsByMethod[Name]['path']> extends true
      ? never
      : ParametersOf<Name>[P] extends { readonly computed: 'format' }
        ? never
        : P
  ]?: ValueOf<ParametersOf<Name>[P]> | undefined
}
type MethodOf<Name extends Method> = EndpointsByMethod[Name]['method'] extends 'POST'
  ? (body: ListingRequestBody, options?: CallOptions) => Promise<Sent<AnswerOf<Name>>>
  : (
      ...given: [...PathValues<EndpointsByMethod[Name]['path']>, options?: CallOptions<Query<Name>>]
    ) => Promise<Result<AnswerOf<Name>>>

/** One method per endpoint of the API. */
export type Methods = { readonly [Name in Method]: MethodOf<Name> }
