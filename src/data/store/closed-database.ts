/** The error of calls after a database was closed. */
import { RowsmithError } from '../../base/index.js';

/** The DATABASE_CLOSED of both engines; `name` is their url. `cause` ended a running call. */
export function databaseClosed(name: string, cause?: unknown): RowsmithError {
  const details = {
    database: name,
    fix:
      'await all calls before the database is closed; ' +
      'inside `await using`, write `return await` instead of `return`',
  };
  if (cause === undefined) return new RowsmithError('DATABASE_CLOSED', details);
  return new RowsmithError('DATABASE_CLOSED', details, { cause });
}
