/** Typed question -> ReadPlan; pure. */
export {
  checkBound,
  checkCount,
  checkMoment,
  checkNarrows,
  checkPrefix,
  checkSelect,
  checkUnasked,
} from './check-query.js';
export { decodeCursor, encodeCursor, type Position } from './cursor.js';
export { explain, type ExplainedRange, Explanation } from './explanation.js';
export { planOf, type QueryPlan, rangesOf, readPlansOf } from './planner.js';
export type { Projection } from './projection.js';
export { everything, type Question } from './query-spec.js';
export { rangesAfter } from '../bytes/index.js';
