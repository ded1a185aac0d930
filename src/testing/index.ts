/**
 * For tests of programs that store with Rowsmith: databases for single tests, a clock, faults.
 * Matchers for jest are a door of their own.
 */
export {
  Faults,
  type BatchFault,
  type CallFault,
  type Delay,
  type Failure,
  type FaultTiming,
  type InjectedFault,
  type ReadFault,
  type SeenWrite,
  type TableCall,
  type WriteFault,
} from './faults/faults.js';
export {
  FaultyDatabase,
  faultyDatabase,
  type FaultyDatabaseOptions,
} from './faults/faulty-database.js';
export { FaultyEngine } from './faults/faulty-engine.js';
export { type TestClock } from './test-clock.js';
export {
  type ResetOptions,
  type Snapshot,
  type TestDatabase,
  testDatabase,
  type TestDatabaseOptions,
} from './test-database.js';
