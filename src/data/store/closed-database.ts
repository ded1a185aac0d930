/** The error of calls after a database was closed. */
import { RowsmithError } from '../../base/index.js';

/** The DATABASE_CLOSED of both engines; `name` is their url. */
export function databaseClosed(name: string): RowsmithError {
  return new RowsmithError('DATABASE_CLOSED', {
    database: name,
    fix:
      'await all calls before the database is closed; ' +
      'inside `await using`, write `return await` instead of `return`',
  });
}
