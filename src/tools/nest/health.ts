/** Whether the database answers, in the form of Terminus. */
import { type ErrorCode, isRowsmithError } from '../../base/index.js';
import type { Database } from '../../entities/repository/index.js';

/** The health of the database of `RowsmithModule`. */
export class RowsmithHealth {
  readonly #db: Database;

  /** @internal Nest injects it. */
  constructor(db: Database) {
    this.#db = db;
  }

  /**
   * Reads one row, and resolves to `{ [name]: { status: 'up' } }`, or to `down` with the code of
   * the error. `health.check([() => rowsmith.check('database')])` is an indicator of Terminus.
   */
  async check(
    name = 'database',
  ): Promise<Record<string, { readonly status: 'up' | 'down'; readonly code?: ErrorCode }>> {
    try {
      await this.#db.ping();
      return { [name]: { status: 'up' } };
    } catch (error) {
      if (!isRowsmithError(error)) throw error;
      return { [name]: { status: 'down', code: error.code } };
    }
  }
}
