import type { Named, PathNames } from '../core/endpoints/endpoint.ts'
import type { EndpointsByMethod } from '../core/endpoints/table.ts'
import type { AnswerOf, ListingRequestBody, Method } from './answers.ts'
import type { CallOptions, Result, Sent } from './call.ts'

type ParametersOf<Name extends Method> = EndpointsByMethod[Name]['parameters']
/** A value for each `:name` in a path. */
type PathValues<Path extends string> = Path extends `${string}/:${infer Rest}`
  ? [string, ...(Rest extends `${string}/${infer Tail}` ? PathValues<`/${Tail}`> : [])]
  : []
type Query<Name extends Method> = {
  readonly [P in Exclude<keyof ParametersOf<Name>, PathNames<EndpointsByMethod[Name]['path']> | 'format'>]?:
    (P extends 'ids' ? readonly string[] : Named<ParametersOf<Name>>[P]) | undefined
}
type MethodOf<Name extends Method> = EndpointsByMethod[Name]['method'] extends 'POST'
  ? (body: ListingRequestBody, options?: CallOptions) => Promise<Sent<AnswerOf<Name>>>
  : (
      ...given: [...PathValues<EndpointsByMethod[Name]['path']>, options?: CallOptions<Query<Name>>]
    ) => Promise<Result<AnswerOf<Name>>>

/** One method per endpoint of the API. */
export type Methods = { readonly [Name in Method]: MethodOf<Name> }
