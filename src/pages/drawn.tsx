import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Chart } from './chart.ts'

/** A chart that is drawn again when what it shows or the colours change. */
export function Drawn({ make, on }: { readonly make: () => Chart; readonly on: readonly unknown[] }) {
  const place = useRef<HTMLDivElement>(null)
  const [theme, setTheme] = useState(0)
  useEffect(() => {
    const change = () => setTheme((before) => before + 1)
    addEventListener('themechange', change)
    return () => removeEventListener('themechange', change)
  }, [])
  // Before the first paint: text below would jump.
  useLayoutEffect(() => {
    const chart = make()
    place.current?.replaceChildren(chart.element)
    return () => chart.destroy()
  }, [...on, theme])
  return <div ref={place} />
}
