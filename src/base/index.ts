/** Helpers that every layer may use: Bigtable's limits, message texts, durations, abort signals. */
export { abortable } from './abortable.js';
export { allEnded } from './all-ended.js';
export { durationText } from './duration.js';
export {
  idempotencyMs,
  maxCellBytes,
  maxFilterBytes,
  maxFilterDepth,
  maxFilteredCells,
  maxGcRuleBytes,
  maxInt64,
  maxMutations,
  maxQualifierBytes,
  maxRowBytes,
  maxRowKeyBytes,
  minInt64,
  minTokenBytes,
  recommendedCellBytes,
  recommendedRowBytes,
  tokenTable,
} from './limits.js';
export { nearestName, suggestionText } from './nearest-name.js';
export { checkOptions, checkSignal } from './options.js';
export { onAbort } from './on-abort.js';
export {
  bytesText,
  compareText,
  countText,
  errorMessage,
  literalText,
  quotedList,
  quotedName,
  valueText,
} from './text.js';
export { assertSameVersion, packageVersion, type PackageCopy, thisCopy } from './this-copy.js';
export { wrongObject } from './properties.js';
export { systemTimers, type Timers } from './timers.js';
export { isBytes, isDate, isMap } from './value-kind.js';
export { warnOnce } from './warn-once.js';
