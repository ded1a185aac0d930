/** Rows by key for one request of an application: each is read once, and reads are gathered. */
import { latin1Text, RowsmithError, type Values } from '../../../../base/index.js';
import type { EntityModel } from '../../../model/index.js';
import { keyArgument } from '../../key-argument.js';
import type { CallOptions } from '../../types/entity-types.js';
import { copyOfSpec } from '../../../query/index.js';
import type { KeyedRows, RowsOf } from '../rows/entity-pages.js';

/** Implements RequestCache, without types. */
export class RowCache {
  /** The repositories that it reads. */
  readonly rowsOf: RowsOf;
  readonly #options: CallOptions;
  readonly #loaders = new Map<unknown, RowLoader>();

  constructor(rowsOf: RowsOf, options: CallOptions = {}) {
    this.rowsOf = rowsOf;
    this.#options = options;
  }

  async load(entity: unknown, key: unknown): Promise<object | undefined> {
    let loader = this.#loaders.get(entity);
    if (loader === undefined) {
      loader = new RowLoader(this.rowsOf(entity), this.#options);
      this.#loaders.set(entity, loader);
    }
    return loader.load(key);
  }

  clear(): void {
    this.#loaders.clear();
  }
}

type Row = object | undefined;

/** A load that waits for the next read. */
interface Waiting {
  readonly id: string;
  readonly key: Values;
  readonly resolve: (row: Row) => void;
  readonly reject: (error: unknown) => void;
}

/** Rows of one entity. */
class RowLoader {
  readonly #rows: KeyedRows;
  readonly #options: CallOptions;
  readonly #loads = new Map<string, Promise<Row>>();
  #waiting: Waiting[] = [];

  constructor(rows: KeyedRows, options: CallOptions) {
    this.#rows = rows;
    this.#options = options;
  }

  /** Throws INVALID_KEY and OUTSIDE_SCOPE for this key alone. */
  load(given: unknown): Promise<Row> {
    const { model } = this.#rows;
    const key = copyOfKey(model, keyArgument(model, given));
    const id = latin1Text(model.key.encode(key));
    let load = this.#loads.get(id);
    if (load === undefined) {
      load = new Promise((resolve, reject) => {
        if (this.#waiting.length === 0) afterThisTurn(() => void this.#read());
        this.#waiting.push({ id, key, resolve, reject });
      });
      this.#loads.set(id, load);
    }
    return load;
  }

  async #read(): Promise<void> {
    const loads = this.#waiting;
    this.#waiting = [];
    try {
      const rows = await this.#rows.getMany(
        loads.map(({ key }) => key),
        this.#options,
      );
      loads.forEach(({ resolve }, i) => resolve(rows[i]));
    } catch (error) {
      if (loads.length > 1 && isOfOneRow(error)) await this.#readEach(loads);
      else this.#fail(loads, error);
    }
  }

  /** One of the rows cannot be read: finds out which. */
  async #readEach(loads: readonly Waiting[]): Promise<void> {
    for (const load of loads)
      try {
        load.resolve((await this.#rows.getMany([load.key], this.#options))[0]);
      } catch (error) {
        this.#fail([load], error);
      }
  }

  /** A row that cannot be read stays so; another failure may pass. */
  #fail(loads: readonly Waiting[], error: unknown): void {
    for (const { id, reject } of loads) {
      if (!isOfOneRow(error)) this.#loads.delete(id);
      reject(error);
    }
  }
}

/** A key that later changes of the given object do not reach. */
function copyOfKey({ segments }: EntityModel, key: Values): Values {
  return Object.fromEntries(segments.map(({ property }) => [property, copyOfSpec(key[property])]));
}

function isOfOneRow(error: unknown): boolean {
  if (!(error instanceof RowsmithError)) return false;
  return ['DAMAGED_CELL', 'FOREIGN_KEY', 'HOOK_FAILED', 'INCOMPLETE_ROW'].includes(error.code);
}

/** After the promises that are settled now: what follows them may load more keys. */
function afterThisTurn(read: () => void): void {
  void Promise.resolve().then(() => process.nextTick(read));
}
