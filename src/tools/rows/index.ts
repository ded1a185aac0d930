/** Reads of entities that are only known when the program runs: for the command and the studio. */
export { estimateRows, type RowEstimate } from './estimate-rows.js';
export { calendarTime, isoTime } from './iso-time.js';
export {
  conditionQuery,
  type KeyBound,
  type KeyTerms,
  repositoryOf,
  type UntypedQuery,
  type UntypedRepository,
} from './query.js';
export { unlessMissing } from './unless-missing.js';
