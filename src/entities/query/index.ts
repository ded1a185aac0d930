/** Checks, plans and explains queries, and encodes page cursors. */
export {
  checkBound,
  assertWriteTimes,
  checkAsOf,
  assertNarrows,
  checkPrefix,
  copyOfSpec,
  assertNoKeyCondition,
} from './check/check-query.js';
export { checkCount, queryError } from './query-error.js';
export { checkSelect } from './check/check-select.js';
export {
  assertRows,
  assertSplittable,
  checkGroupSegment,
  checkOneOf,
  checkPrefixes,
  splitError,
} from './check/check-groups.js';
export { entriesOf, type Entries, entryCountOf, entryKeysOf, type EntryRange } from './entries.js';
export { type EntryForm } from './query-spec.js';
export { type EntrySlice } from './query-spec.js';
export { checkWhere, checkWhereFrom } from './check/check-where-query.js';
export type { Condition } from './where/condition.js';
export {
  decodeCursor,
  encodeCursor,
  fingerprint,
  fingerprintText,
  type Position,
  sealCursor,
  unsealCursor,
} from './cursor.js';
export {
  boundConditions,
  explain,
  type ExplainedIndex,
  type ExplainedRange,
  explainedRange,
  Explanation,
  filterSteps,
  rangeText,
  segmentCondition,
} from './explanation.js';
export { entitiesWithin } from './plan/other-entities.js';
export { planOf, type QueryPlan, rangesOf, readPlansOf } from './plan/planner.js';
export { splitRanges } from './plan/split.js';
export { type ColumnSelection, columnSelectionOf } from './plan/column-selection.js';
export { fullScan, type QueryKey, type QuerySpec } from './query-spec.js';
export { rangesAfter } from '../../base/index.js';
