// What draws series, in one file of the site, which pages load when they show a chart.
export { Drawing, seriesOf } from './token-series.tsx'
export { TotalsChart } from './totals-chart.tsx'
