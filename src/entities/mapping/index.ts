/** Conversion between entities and rows, compiled once per model. */
export {
  checkCondition,
  type RowCondition,
  type ConditionalWrite,
  conditionalWrite,
  newestWrite,
} from './condition.js';
export {
  type RowCellChanges,
  cellValues,
  checkCellChanges,
  checkedAmount,
  checkProperties,
  columnNamed,
  entryQualifier,
  mapEntries,
} from './write/cell-changes.js';
export { expiringTime } from './expiring-time.js';
export { compileDehydrator, type Dehydrator } from './write/dehydrate.js';
export {
  absentRow,
  compileHydrator,
  type DroppedCells,
  type HydratedColumns,
  type Hydrator,
} from './read/hydrate.js';
export { damagedCellError } from './read/cell-error.js';
export { invalidValueError, type ValidationIssue } from '../model/index.js';
export { ValueChecks } from './value-checks.js';
export { partialReadOf } from './read/partial-entities.js';
export { encodeQualifier, type MapColumn, qualifierReader } from './qualifier.js';
