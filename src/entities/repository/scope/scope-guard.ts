/**
 * Requests reach only the keys of a scope. Keys and ranges are made by the scope's key codec
 * already; this holds whatever else a method of a repository may do.
 */
import {
  compareBytes,
  type KeyRange,
  prefixRange,
  quotedList,
  rangeContains,
  RowsmithError,
  type FaultTexts,
} from '../../../base/index.js';
import type { EntityModel } from '../../model/index.js';
import {
  type AdminRequest,
  failedRead,
  type ReadRequest,
  type ResultOf,
  type RowStream,
  type SendAdmin,
  type SendRead,
  type SendWrite,
  type Stage,
  type WriteRequest,
} from '../../../data/store/index.js';

/** Rejects requests to other tables or keys with OUTSIDE_SCOPE, before they are sent. */
export class ScopeGuard implements Stage {
  readonly #model: EntityModel;
  readonly #ranges: readonly KeyRange[];

  /** `ranges` are the keys of the scope. */
  constructor(model: EntityModel, ranges: readonly KeyRange[]) {
    this.#model = model;
    this.#ranges = ranges;
  }

  read(request: ReadRequest, send: SendRead): RowStream {
    const { table, ranges } = request.plan;
    try {
      this.#assertTable(table);
      for (const range of ranges) if (!this.#holdsRange(range)) throw this.#outside();
    } catch (error) {
      return failedRead(error);
    }
    return send(request);
  }

  async write(request: WriteRequest, send: SendWrite): Promise<ResultOf<WriteRequest>> {
    this.#assertTable(request.table);
    this.#assertRows(request);
    if (request.kind === 'mutateRows') {
      const errors = await send(request);
      return errors.map((error) => error && this.#known(error));
    }
    try {
      return await send(request);
    } catch (error) {
      throw error instanceof RowsmithError ? this.#known(error) : error;
    }
  }

  async admin(request: AdminRequest, send: SendAdmin): Promise<ResultOf<AdminRequest>> {
    switch (request.kind) {
      case 'sampleRowKeys': {
        this.#assertTable(request.table);
        const keys = await send(request);
        // The other keys are rows of other scopes.
        return keys.filter(({ key }) => key.length === 0 || this.#holdsKey(key));
      }
      case 'generateConsistencyToken':
      case 'checkConsistency':
        this.#assertTable(request.table);
        return send(request);
      default:
        throw this.#outside();
    }
  }

  #assertRows(request: WriteRequest): void {
    switch (request.kind) {
      case 'mutateRow':
        return this.#assertKey(request.row.key);
      case 'mutateRows':
        for (const { key } of request.rows) this.#assertKey(key);
        return;
      case 'checkAndMutateRow':
        return this.#assertKey(request.check.key);
      case 'readModifyWriteRow':
        return this.#assertKey(request.key);
      case 'dropRowRange': {
        const { target } = request;
        if (target.kind === 'all' || !this.#holdsRange(prefixRange(target.prefix)))
          throw this.#outside();
      }
    }
  }

  /** An error without what the scope must not know: the key of a row outside. */
  #known(error: RowsmithError): RowsmithError {
    if (error.code !== 'UNIQUE_VIOLATION') return error;
    const { holder, holderKey: _, ...details } = error.details;
    if (this.#holdsRow(holder)) return error;
    return new RowsmithError(error.code, {
      ...details,
      ...faults.duplicateOutsideScope(this.#model.key.scope!.names),
    });
  }

  #holdsRow(holder: unknown): boolean {
    const scope = this.#model.key.scope!;
    const row = holder as Readonly<Record<string, unknown>>;
    try {
      scope.assertInside(row);
    } catch {
      return false;
    }
    return scope.names.every((name) => Object.hasOwn(row, name));
  }

  #assertTable(table: string): void {
    if (table !== this.#model.table.name) throw this.#outside();
  }

  #assertKey(key: Uint8Array): void {
    if (!this.#holdsKey(key)) throw this.#outside();
  }

  #holdsKey(key: Uint8Array): boolean {
    const own = this.#rangeUpTo(key);
    return own !== undefined && rangeContains(own, key);
  }

  /** The ranges of the scope are apart from each other, so that one of them holds all of it. */
  #holdsRange({ start, end }: KeyRange): boolean {
    const own = this.#rangeUpTo(start);
    if (own === undefined || !rangeContains(own, start)) return false;
    if (own.end === undefined) return true;
    return end !== undefined && compareBytes(end, own.end) <= 0;
  }

  /** The last range of the scope that starts at the key or before it; shards make many. */
  #rangeUpTo(key: Uint8Array): KeyRange | undefined {
    let low = 0;
    let high = this.#ranges.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareBytes(this.#ranges[middle].start, key) <= 0) low = middle + 1;
      else high = middle;
    }
    return this.#ranges[low - 1];
  }

  #outside(): RowsmithError {
    const { name, key } = this.#model;
    return new RowsmithError('OUTSIDE_SCOPE', {
      entity: name,
      property: key.scope?.names.at(-1),
      ...faults.outsideScope(name),
    });
  }
}

const faults = {
  duplicateOutsideScope: (names: readonly string[]) => ({
    problem: 'a row outside the scope has the same value in the unique index; nothing was written',
    fix: `use another value, or begin the index with ${quotedList(names)}`,
  }),
  outsideScope: (name: string) => ({
    problem: 'the call would read or write rows outside of the scope',
    fix: `use the repository of the database: db.repository(${name})`,
  }),
} satisfies FaultTexts;
