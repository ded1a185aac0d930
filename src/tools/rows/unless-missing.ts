/** Reads of tables that may not exist. */
import { RowsmithError } from '../../base/index.js';

/** What a read returns; undefined if the table does not exist. */
export async function unlessMissing<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    // Listing the tables first would need permissions of administrators.
    if (error instanceof RowsmithError && error.code === 'TABLE_NOT_FOUND') return undefined;
    throw error;
  }
}
