/** Schema evolution: the lock of released declarations, and which changes stored bytes allow. */
export { assignNumbers, numbersModule } from './assigned-numbers.js';
export { cellReads } from './column-evolution.js';
export { checkEvolution } from './evolution.js';
export {
  type EvolutionChange,
  type EvolutionRule,
  type EvolutionRuleName,
  evolutionRules,
} from './evolution-rule.js';
export {
  emptyLock,
  type Lock,
  type LockedColumn,
  type LockedEntity,
  type LockedEnum,
  type LockedField,
  type LockedKey,
  type LockedMessage,
  type LockedPart,
  type LockedTable,
  lockOf,
  lockVersion,
} from './lock.js';
export { lockText, parseLock } from './lock-text.js';
export { MessageEvolution } from './message-evolution.js';
export { segmentBytes } from './segment-bytes.js';
export { nextLock, type Reserved, reservedOf } from './next-lock.js';
