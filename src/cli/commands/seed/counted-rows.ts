/** The rows that repositories write, counted by entity. */
import type { DatabaseParts } from '../../../entities/repository/index.js';
import type {
  Mutation,
  ResultOf,
  SendWrite,
  Stage,
  WriteRequest,
} from '../../../data/store/index.js';

/** The rows of one entity. */
export interface EntityRows {
  readonly entity: string;
  /** Rows that were written, each once. */
  readonly written: number;
  /** Rows that were deleted last. */
  readonly deleted: number;
}

/** Counts the rows that the repositories of a database write; rows that follow do not count. */
export class CountedRows {
  /** By entity, whether the row of a key was deleted last. */
  readonly #rows = new Map<string, Map<string, boolean>>();
  readonly #onWrite: (rows: number) => void;
  #total = 0;

  /** `onWrite` is called with the number of rows so far. */
  constructor(onWrite: (rows: number) => void) {
    this.#onWrite = onWrite;
  }

  /** The parts of a database that is counted. */
  counting(parts: DatabaseParts): DatabaseParts {
    return {
      ...parts,
      observation: (entity) => {
        const inner = parts.observation?.(entity);
        return entity === undefined ? (inner ?? {}) : this.#stage(entity, inner ?? {});
      },
    };
  }

  /** In the order of their first writes. */
  byEntity(): readonly EntityRows[] {
    return [...this.#rows].map(([entity, rows]) => {
      const deleted = [...rows.values()].filter(Boolean).length;
      return { entity, written: rows.size - deleted, deleted };
    });
  }

  /** Counts the writes that succeed; `inner` observes them as well. */
  #stage(entity: string, inner: Stage): Stage {
    const counted =
      (send: SendWrite): SendWrite =>
      (request) =>
        send(request).then((result) => {
          this.#count(entity, request, result);
          return result;
        });
    return {
      read: (request, send) => inner.read?.(request, send) ?? send(request),
      write: (request, send) => inner.write?.(request, counted(send)) ?? counted(send)(request),
      admin: (request, send) => inner.admin?.(request, send) ?? send(request),
    };
  }

  #count(entity: string, request: WriteRequest, result: ResultOf<WriteRequest>): void {
    switch (request.kind) {
      case 'mutateRow':
        return this.#add(entity, request.row.key, request.row.mutations);
      case 'mutateRows':
        return request.rows.forEach(({ key, mutations }, i) => {
          if ((result as readonly unknown[])[i] === undefined) this.#add(entity, key, mutations);
        });
      case 'checkAndMutateRow': {
        const { key, onTrue = [], onFalse = [] } = request.check;
        return this.#add(entity, key, result === true ? onTrue : onFalse);
      }
      case 'readModifyWriteRow':
        return this.#add(entity, request.key, [undefined]);
      case 'dropRowRange':
        // It does not say which rows it drops.
        return;
    }
  }

  #add(entity: string, key: Uint8Array, mutations: readonly (Mutation | undefined)[]): void {
    if (mutations.length === 0) return;
    let rows = this.#rows.get(entity);
    if (rows === undefined) this.#rows.set(entity, (rows = new Map<string, boolean>()));
    const before = rows.size;
    const isDeleted = mutations.every((each) => each?.kind === 'deleteFromRow');
    rows.set(Buffer.from(key).toString('latin1'), isDeleted);
    this.#total += rows.size - before;
    this.#onWrite(this.#total);
  }
}
