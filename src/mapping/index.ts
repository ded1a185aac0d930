/** Conversion between entities and rows, compiled once per model. */
export { type Condition, type ConditionalWrite, conditionalWrite } from './condition.js';
export { compileDehydrator, type Dehydrator } from './dehydrate.js';
export {
  absentRow,
  compileHydrator,
  type DroppedCells,
  type HydratedColumns,
  type Hydrator,
} from './hydrate.js';
export { damagedCellError, invalidValueError } from './cell-error.js';
export { type ValidationIssue, type Validators, validatorsOf } from './validation.js';
export { partialReadOf } from './partial-entities.js';
export { decodeQualifier, encodeQualifier } from './qualifier.js';
