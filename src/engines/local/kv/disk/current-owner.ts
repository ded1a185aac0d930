/** Who has a directory open, without claiming it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownerName, ownerNumber } from './file-names.js';
import { livenessOf, type ProcessIdentity } from './process-identity.js';

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
  try {
    const text = readFileSync(join(directory, ownerName(Math.max(...numbers))), 'utf8');
    const record = JSON.parse(text) as ProcessIdentity & { readonly released: boolean };
    const liveness = record.released ? 'ended' : livenessOf(record);
    if (liveness === 'ended') return undefined;
    return { pid: record.pid, foreign: liveness === 'unknown' };
  } catch {
    // A claim that is just being written or withdrawn.
    return undefined;
  }
}
