/** Schema evolution: the lock of released declarations, and which changes stored bytes allow. */
export { assignNumbers, numbersModule } from './lock/assigned-numbers.js';
export { cellReads } from './evolution/column-evolution.js';
export { declarationVersions } from './declaration-version.js';
export { checkEvolution } from './evolution/evolution.js';
export {
  type EvolutionChange,
  type EvolutionRule,
  type EvolutionRuleName,
  evolutionRules,
} from './evolution/evolution-rule.js';
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
} from './lock/lock.js';
export { lockText, parseLock } from './lock/lock-text.js';
export { MessageEvolution } from './evolution/message-evolution.js';
export { segmentBytes } from './lock/segment-bytes.js';
export { nextLock, type ReservedNumbers, reservedOf } from './next-lock.js';
