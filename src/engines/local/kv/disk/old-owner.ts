/**
 * The owner of a database of versions 1 and 2, which was a metadata record; see FORMAT.md. It is
 * only read: an older version of the code may have the database open.
 */
import { RowsmithError } from '../../../../errors.js';
import { metaKey } from '../store-key.js';
import { isProcessRunning } from './process-identity.js';

/** Key of the record. */
export const oldOwnerKey = metaKey('owner');

/** Throws DATABASE_IN_USE when the owner of the record is still running. */
export function checkOldOwner(record: Uint8Array, directory: string): void {
  const { pid, started } = JSON.parse(Buffer.from(record).toString()) as {
    pid: number;
    started: string | null;
  };
  if (!isProcessRunning(pid, started)) return;
  throw new RowsmithError('DATABASE_IN_USE', {
    directory,
    pid,
    fix: `close it in process ${pid} first`,
  });
}
