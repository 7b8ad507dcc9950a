import type { Transport } from './call.ts'
import { type Methods, methodsOf } from './methods.ts'
import type { PastOptions } from './past.ts'

/** The API as it answered at a time. */
export type AtTime = (time: Date | string | number) => Methods

/** Returns the function that gives the methods at a time. What reads the archive is loaded by the first call of one. */
export function atTimeOf(options: PastOptions): AtTime {
  let loading: Promise<(time: number) => Transport['read']> | null = null
  const loaded = () => {
    loading ??= import('./past.ts').then(({ pastReaders }) => pastReaders(options))
    // A failure is not kept: the next call loads it again.
    loading.catch(() => (loading = null))
    return loading
  }
  return (given) => {
    const time = new Date(given).getTime()
    if (Number.isNaN(time)) throw new TypeError(`${String(given)} is not a time`)
    let opened: Promise<Transport['read']> | null = null
    const reader = () => {
      opened ??= loaded().then((readerAt) => readerAt(time))
      opened.catch(() => (opened = null))
      return opened
    }
    return methodsOf({
      read: async (...call) => (await reader())(...call),
      submit: () => Promise.reject(new TypeError('The past takes no listing requests')),
    })
  }
}
