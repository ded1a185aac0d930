/** What every layer may use: Bigtable's limits, text for messages, signals. */
export { abortable } from './abortable.js';
export {
  maxCellBytes,
  maxFilterBytes,
  maxFilterDepth,
  maxGcRuleBytes,
  maxInt64,
  maxMutations,
  maxQualifierBytes,
  maxRowBytes,
  maxRowKeyBytes,
  minInt64,
} from './limits.js';
export { nearestName } from './nearest-name.js';
export { onAbort } from './on-abort.js';
export { countText, quotedList, valueText } from './text.js';
