/** Writes of several requests that closing a database waits for. */
import { RowsmithError } from '../errors.js';
import {
  type CheckAndMutate,
  DelegatingEngine,
  type DropTarget,
  type Engine,
  type ReadModifyWriteRule,
  type Row,
  type RowMutation,
} from '../store/index.js';

/** How long closing waits, in milliseconds: as long as a live database does for its requests. */
const longestWaitMillis = 10_000;

/** The writes of a database whose rows others follow. */
export class PendingWrites {
  readonly #database: string;
  readonly #running = new Set<Promise<unknown>>();
  #closed = false;

  /** `database` is named in errors. */
  constructor(database: string) {
    this.#database = database;
  }

  /** An engine whose writes are waited for. */
  of(engine: Engine): Engine {
    return new AwaitedEngine(engine, this);
  }

  /** Rejects with DATABASE_CLOSED after `stop`. */
  async run<T>(write: () => Promise<T>): Promise<T> {
    if (this.#closed)
      throw new RowsmithError('DATABASE_CLOSED', {
        database: this.#database,
        fix: 'await what uses the database before it is closed',
      });
    const running = write();
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

class AwaitedEngine extends DelegatingEngine {
  readonly #writes: PendingWrites;

  constructor(engine: Engine, writes: PendingWrites) {
    super(engine);
    this.#writes = writes;
  }

  override mutateRow(table: string, row: RowMutation): Promise<void> {
    return this.#writes.run(() => this.engine.mutateRow(table, row));
  }

  override mutateRows(
    table: string,
    rows: readonly RowMutation[],
    options?: { readonly signal?: AbortSignal },
  ): Promise<readonly (RowsmithError | undefined)[]> {
    return this.#writes.run(() => this.engine.mutateRows(table, rows, options));
  }

  override checkAndMutateRow(
    table: string,
    check: CheckAndMutate,
    options?: { readonly signal?: AbortSignal },
  ): Promise<boolean> {
    return this.#writes.run(() => this.engine.checkAndMutateRow(table, check, options));
  }

  override readModifyWriteRow(
    table: string,
    key: Uint8Array,
    rules: readonly ReadModifyWriteRule[],
  ): Promise<Row> {
    return this.#writes.run(() => this.engine.readModifyWriteRow(table, key, rules));
  }

  override dropRowRange(table: string, target: DropTarget): Promise<void> {
    return this.#writes.run(() => this.engine.dropRowRange(table, target));
  }
}
