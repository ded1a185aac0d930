/**
 * The entry point `rowsmith/testing`, for tests of programs that use Rowsmith: databases for single
 * tests, a clock, faults, factories of entities. Matchers for jest are in `rowsmith/testing/jest`.
 */
export {
  Faults,
  type BatchFault,
  type CallFault,
  type Delay,
  type Failure,
  type InjectedFault,
  type ReadFault,
  type TableCall,
  type WriteFault,
} from './faults/faults.js';
export { FaultyDatabase, faultyDatabase } from './faults/faulty-database.js';
export { FaultyEngine } from './faults/faulty-engine.js';
export { factory, type Factory } from './factory/factory.js';
export { type TestClock } from './test-clock.js';
export {
  type Snapshot,
  type TestDatabase,
  testDatabase,
  type TestDatabaseOptions,
} from './test-database.js';
