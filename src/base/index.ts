/** What every layer may use: the errors, byte strings, Bigtable's limits, texts, abort signals. */
export {
  type ErrorCode,
  type ErrorDetails,
  errorMessages,
  type Fault,
  invalidArgument,
  isRowsmithError,
  shellDetails,
  mayBeApplied,
  RowsmithError,
  withoutFrames,
} from './errors.js';
export { fileFailed } from './file-failed.js';
export { statusCode } from './statuses.js';
export type { FaultText, FaultTexts, ProblemText, ShellText } from './faults.js';
export { abortable } from './async/abortable.js';
export { allEnded } from './async/all-ended.js';
export { durationText } from './text/duration.js';
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
export { nearestName, suggestionText } from './text/nearest-name.js';
export { checkOptions, checkSignal } from './options.js';
export { onAbort } from './async/on-abort.js';
export {
  bytesText,
  compareText,
  errorMessage,
  literalText,
  quotedList,
  quotedName,
  valueText,
} from './text/text.js';
export { countText, numberText, spanText } from './text/numbers.js';
export {
  assertSameVersion,
  packageVersion,
  type PackageCopy,
  thisCopy,
} from './process/this-copy.js';
export { wrongObject } from './properties.js';
export { systemTimers, type Timers } from './async/timers.js';
export { isBytes, isDate, isMap, isRecord, isThenable } from './value-kind.js';
export { dayMs, hourMs, unitMs } from './time.js';
export type { Values } from './values.js';
export { warnOnce } from './process/warn-once.js';
export {
  compareBytes,
  compareSlices,
  concatBytes,
  copyBytes,
  equalBytes,
  fromHex,
  noBytes,
  printable,
  toHex,
} from './bytes/bytes.js';
export type { KeyRange } from './bytes/key-range.js';
export {
  everyKey,
  intersectRanges,
  isEmptyRange,
  isPoint,
  nextKey,
  nextPrefix,
  pointRange,
  prefixRange,
  rangeFrom,
  rangeContains,
  rangesAfter,
  unionRanges,
} from './bytes/key-range.js';
export { coverOf, type CoverPart } from './bytes/range-cover.js';
export { latin1Bytes, latin1Text } from './bytes/latin1.js';
export { utf8Bytes } from './bytes/utf8.js';
