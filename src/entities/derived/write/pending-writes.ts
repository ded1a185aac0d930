/** Writes of several requests that closing a database waits for. */
import {
  databaseClosed,
  type ResultOf,
  type SendWrite,
  type Stage,
  type WriteRequest,
} from '../../../data/store/index.js';

/** How long closing waits, in milliseconds: as long as a live database does for its requests. */
const longestWaitMillis = 10_000;

/** Keeps the writes of a database that take several requests, until they end. */
export class PendingWrites implements Stage {
  readonly #database: string;
  readonly #running = new Set<Promise<unknown>>();
  #closed = false;

  /** `database` is named in errors. */
  constructor(database: string) {
    this.#database = database;
  }

  /** Rejects with DATABASE_CLOSED after `stop`. */
  async write(request: WriteRequest, send: SendWrite): Promise<ResultOf<WriteRequest>> {
    if (this.#closed) throw databaseClosed(this.#database);
    const running = send(request);
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /** Rejects later writes; resolves once the earlier ones have ended. Undefined if they have. */
  stop(): Promise<unknown> | undefined {
    this.#closed = true;
    if (this.#running.size === 0) return undefined;
    let timer: NodeJS.Timeout;
    const waited = new Promise((resolve) => {
      timer = setTimeout(resolve, longestWaitMillis);
    });
    return Promise.race([Promise.allSettled(this.#running), waited]).finally(() => {
      clearTimeout(timer);
    });
  }
}
