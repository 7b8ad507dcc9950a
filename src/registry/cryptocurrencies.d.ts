declare module 'cryptocurrencies' {
  const names: unknown
  export default names
}
