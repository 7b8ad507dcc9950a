import type { Parameter } from '../core/contract/parameters.ts'
import type { EndpointsByMethod } from '../core/endpoints/table.ts'
import type { AnswerOf, ListingRequestBody, Method } from './answers.ts'
import type { CallOptions, Result, Sent } from './call.ts'

type ParametersOf<Name extends Method> = EndpointsByMethod[Name]['parameters']
/** A value for each `:name` in a path. */
type PathValues<Path extends string> = Path extends `${string}/:${infer Rest}`
  ? [string, ...(Rest extends `${string}/${infer Tail}` ? PathValues<`/${Tail}`> : [])]
  : []
type PathNames<Path extends string> = Path extends `${string}:${infer Name}/${infer Tail}`
  ? Name | PathNames<Tail>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never
type ValueOf<P> = P extends Parameter<infer Value> ? Value : never
type Query<Name extends Method> = {
  readonly [P in Exclude<keyof ParametersOf<Name>, PathNames<EndpointsByMethod[Name]['path']> | 'format'>]?:
    (P extends 'ids' ? readonly string[] : ValueOf<ParametersOf<Name>[P]>) | undefined
}
type MethodOf<Name extends Method> = EndpointsByMethod[Name]['method'] extends 'POST'
  ? (body: ListingRequestBody, options?: CallOptions) => Promise<Sent<AnswerOf<Name>>>
  : (
      ...given: [...PathValues<EndpointsByMethod[Name]['path']>, options?: CallOptions<Query<Name>>]
    ) => Promise<Result<AnswerOf<Name>>>

/** One method per endpoint of the API. */
export type Methods = { readonly [Name in Method]: MethodOf<Name> }
