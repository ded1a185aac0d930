/** The content of an owner file: which process has the directory open. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ownerName } from './file-names.js';
import {
  currentProcess,
  type Liveness,
  livenessOf,
  type ProcessIdentity,
} from './process-identity.js';

export interface OwnerRecord extends ProcessIdentity {
  /** The inode of the directory: a copy of the directory has another one. */
  readonly directory: string;
  readonly released: boolean;
}

/** The content of this process' file while it holds the directory, and afterwards. */
export function ownRecordTexts(directory: string): {
  readonly held: string;
  readonly released: string;
} {
  const record = { ...currentProcess(), directory: inodeOf(directory) };
  const text = JSON.stringify(record).slice(0, -1);
  // Of the same length, so that a release needs no space on the disk.
  return { held: `${text},"released":false}`, released: `${text},"released":true }` };
}

/** The content of an owner file; undefined if it is missing or incomplete. */
export function readOwnerRecord(directory: string, number: number): OwnerRecord | undefined {
  try {
    const record = JSON.parse(
      readFileSync(join(directory, ownerName(number)), 'utf8'),
    ) as OwnerRecord;
    return typeof record.pid === 'number' ? record : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the owner runs that an owner file names. The owner of a copied file has ended. */
export function ownerLiveness(record: OwnerRecord, directory: string): Liveness {
  if (record.released) return 'ended';
  const liveness = livenessOf(record);
  // What other containers see as the directory's inode may differ.
  if (liveness !== 'running') return liveness;
  return record.directory === inodeOf(directory) ? 'running' : 'ended';
}

function inodeOf(directory: string): string {
  return `${statSync(directory, { bigint: true }).ino}`;
}
