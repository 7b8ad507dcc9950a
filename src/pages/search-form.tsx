/** The search of the site. Without JavaScript it leads to the market. */
export const SearchForm = ({ root }: { readonly root: string }) => (
  <form class="search" action={root} role="search">
    <input
      id="search"
      name="q"
      type="search"
      placeholder="Search"
      aria-label="Search names, symbols, pairs, contracts, categories and exchanges"
      aria-keyshortcuts="/"
      autocomplete="off"
      spellcheck={false}
    />
  </form>
)
