import { useSite } from './site.tsx'

/** Shown where an address names no listing. */
export function UnknownToken({ slug }: { readonly slug: string }) {
  const { root } = useSite()
  return (
    <div class="empty">
      <h1>No such token</h1>
      <p>{slug === '' ? 'The URL contains no token.' : `No listing has the slug “${slug}”.`}</p>
      <p>
        <a href={`${root}?q=${encodeURIComponent(slug)}`}>Search the market</a>
      </p>
    </div>
  )
}
