/** Checks, plans and explains queries, and encodes page cursors. */
export {
  checkBound,
  checkCount,
  checkInstant as checkMoment,
  assertNarrows as checkNarrows,
  checkPrefix,
  checkSelect,
  assertNoKeyCondition,
} from './check-query.js';
export { decodeCursor, encodeCursor, type Position } from './cursor.js';
export { explain, type ExplainedRange, Explanation } from './explanation.js';
export { planOf, type QueryPlan, rangesOf, readPlansOf } from './planner.js';
export type { ColumnSelection } from './projection.js';
export { fullScan as everything, type QuerySpec as Question } from './query-spec.js';
export { rangesAfter } from '../bytes/index.js';
