/** Jobs of programs whose interleavings are explored: writes, repairs, and what they start from. */
import type { PlannedEntry, SeenRow } from '../../../../src/entities/derived/protocol/step.js';
import type { Job } from './explore.js';
import { emptyStorage, type Storage, type Values, withRow } from './model-store.js';

export function plain(key: string, covered = '', time = 1): PlannedEntry {
  return { index: 0, key, unique: false, covered, time };
}

export function unique(key: string, time = 1): PlannedEntry {
  return { index: 1, key, unique: true, covered: '', time };
}

export function write(id: string, row: string, values: Values | undefined, attempts = 2): Job {
  const plan = (seen: SeenRow): Values | undefined => {
    // The deletion of a row that is not there writes nothing.
    if (values === undefined) return seen.exists ? [] : undefined;
    return values;
  };
  return { kind: 'write', values, job: { id, row, attempts, force: false, plan } };
}

/** Writes the entries of a row again, as verify does where one is missing. */
export function rewrite(id: string, row: string, values: Values): Job {
  const plan = (seen: SeenRow): Values | undefined => {
    const same = values.every(({ key }) => seen.entries.some((entry) => entry.key === key));
    return seen.exists && same ? values : undefined;
  };
  return { kind: 'write', values, job: { id, row, attempts: 2, force: true, plan } };
}

export function repair(id: string, row: string, entry: PlannedEntry): Job {
  return { kind: 'repair', job: { id, row, entry } };
}

export const x = plain('x');
/** What a writer makes of row p. */
export const choices: readonly (Values | undefined)[] = [
  [x],
  [plain('a')],
  // Shorter and longer lives.
  [plain('x', 'changed', 0)],
  [plain('x', '', 2)],
  [],
  undefined,
];

/** Storage before the writes. */
export function startings(): Storage[] {
  return [emptyStorage(), withRow(emptyStorage(), 'p', [x])];
}
