/** What garbage collection rules remove from a table, now and later. */
export {
  type Amount,
  type Estimate,
  estimateTable,
  horizons,
  type TableEstimate,
} from './gc-estimate.js';
