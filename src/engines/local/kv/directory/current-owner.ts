/** Who has a directory open, without claiming it. */
import { readdirSync } from 'node:fs';
import { ownerNumber } from './file-names.js';
import { ownerLiveness, readOwnerRecord } from './owner-record.js';

/** A process that may have a directory open. */
export interface CurrentOwner {
  readonly pid: number;
  /** It is in another container, so that it cannot be seen whether it runs. */
  readonly foreign: boolean;
}

/** The owner of the directory; undefined if there is none. Changes nothing. */
export function currentOwner(directory: string): CurrentOwner | undefined {
  const numbers = readdirSync(directory)
    .map((name) => ownerNumber(name))
    .filter((number) => number !== undefined);
  if (numbers.length === 0) return undefined;
  const record = readOwnerRecord(directory, Math.max(...numbers));
  // A claim that is just being written or withdrawn has no record.
  if (record === undefined) return undefined;
  const liveness = ownerLiveness(record, directory);
  if (liveness === 'ended') return undefined;
  return { pid: record.pid, foreign: liveness === 'unknown' };
}
