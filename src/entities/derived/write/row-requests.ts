/** Makes the requests of the index protocol at a storage engine. */
import {
  allEnded,
  equalBytes,
  latin1Bytes,
  latin1Text,
  mayBeApplied,
  pointRange,
  RowsmithError,
  unionRanges,
} from '../../../base/index.js';
import type { EntityModel, IndexModel, OwnColumn } from '../../model/index.js';
import {
  collectRows,
  type Cell,
  type Engine,
  type Filter,
  type Micros,
  type Mutation,
  type RowMutation,
} from '../../../data/store/index.js';
import type { StorageAnswer, Copied, EntryName, Request } from '../protocol/step.js';
import type { RollupRequests } from '../rollup/rollup-requests.js';
import type { CopiedValues } from '../source/copied-values.js';
import { Marks } from '../source/marks.js';
import { Gathered } from './gathered.js';
import { type CallerCondition, guardedCheck } from './guarded-check.js';
import {
  entryMutation,
  rolledMutations,
  tokenMutations,
  versionMutations,
} from './entry-mutations.js';
import { type WatchedRow, type WatchedRows, type IndexEntry } from './watched-rows.js';

/** What a commit writes, besides tokens and version. */
export interface BaseWrite {
  readonly key: Uint8Array;
  readonly mutations: readonly Mutation[];
  readonly condition: CallerCondition | undefined;
  /** Whether cells keep their timestamps, so that the write is not always the newest. */
  readonly keepsTimes?: boolean;
  /** The time of the cells that it copies from other rows; default: the storage's clock. */
  readonly copyTime?: Micros;
}

/** The marks of the rows of a source, and what writes them. */
interface MarkWrites {
  readonly marks: Marks;
  readonly writes: Gathered<RowMutation, RowsmithError | undefined>;
}

const everyCell: Filter = Object.freeze({ kind: 'passAll' });

function cellsOf({ family, qualifier }: OwnColumn): Filter {
  return { kind: 'columns', columns: [{ family, qualifiers: [qualifier] }] };
}

/** Whether the newest cell of a column has a value. */
function equals(column: OwnColumn, value: Uint8Array): Filter {
  const newest: Filter = { kind: 'cellsPerColumn', count: 1 };
  return { kind: 'chain', filters: [cellsOf(column), newest, { kind: 'valueEquals', value }] };
}

/** Whether there is a row in which a filter finds nothing. */
function findsNothing(predicate: Filter): Filter {
  return { kind: 'condition', predicate, onFalse: everyCell };
}

/** Whether an entry has a token. An empty token means none, while the holder has not expired. */
function hasToken({ own }: IndexModel, token: string): Filter {
  return token === '' ? findsNothing(cellsOf(own.token)) : equals(own.token, latin1Bytes(token));
}

/** The storage of one entity and its indexes. */
export class RowRequests {
  readonly #engine: Engine;
  readonly #rows: WatchedRows;
  readonly #model: EntityModel;

  readonly #reads: Gathered<Uint8Array, WatchedRow>;
  /** Reads of all columns of rows. */
  readonly #wideReads: Gathered<Uint8Array, WatchedRow>;
  readonly #rollups: RollupRequests;
  /** One for each index. */
  readonly #writes: readonly Gathered<RowMutation, RowsmithError | undefined>[];
  readonly #copied: CopiedValues;
  readonly #sources: Gathered<readonly string[], Copied>;
  readonly #marks: MarkWrites | undefined;

  constructor(engine: Engine, rows: WatchedRows, copied: CopiedValues, rollups: RollupRequests) {
    this.#engine = engine;
    this.#rows = rows;
    this.#rollups = rollups;
    this.#model = rows.model;
    this.#reads = new Gathered((keys) => this.#readRows(keys, false));
    this.#wideReads = new Gathered((keys) => this.#readRows(keys, true));
    this.#writes = rows.model.indexes.map(
      ({ entry }) => new Gathered((entries) => this.#writeRows(entry.table.name, entries)),
    );
    this.#copied = copied;
    this.#sources = new Gathered((names) => this.#readSources(names));
    if (rows.model.copiedBy === undefined) return;
    const marks = new Marks(engine, rows.model);
    const writes = new Gathered((written: readonly RowMutation[]) =>
      this.#writeRows(marks.table, written),
    );
    this.#marks = { marks, writes };
  }

  /**
   * Makes one request of a write of the base row. Rejects with the error of the storage; see
   * `failure`.
   */
  async send(request: Request, write: BaseWrite): Promise<StorageAnswer<WatchedRow>> {
    switch (request.kind) {
      case 'readRow':
        return { kind: 'row', row: await this.readRow(latin1Bytes(request.row), write.mutations) };
      case 'readEntry':
        return this.#readEntry(request.entry);
      case 'writeEntries': {
        await allEnded(
          request.entries.map((entry) =>
            this.#writeEntry(entry as IndexEntry, request.token, write.key),
          ),
        );
        return { kind: 'done', applied: true };
      }
      case 'reserve':
      case 'replace':
        return this.#takeEntry(request, write.key);
      case 'fence': {
        const mutations = versionMutations(request.next);
        return this.#commit(
          { key: latin1Bytes(request.row), mutations, condition: undefined },
          request.version,
        );
      }
      case 'commit': {
        const mutations = [
          ...write.mutations,
          ...this.#copied.mutations(request.copied, write.copyTime ?? -1),
          ...tokenMutations(this.#model, request.tokens),
          ...rolledMutations(this.#model, request.rolled),
          ...versionMutations(request.next),
        ];
        return this.#commit({ ...write, mutations }, request.version);
      }
      case 'readSources':
        return { kind: 'sources', copied: await this.readSources(request.sources) };
      case 'mark':
        await this.#writeMark(write.key, request.token);
        return { kind: 'done', applied: true };
      case 'deleteEntry':
        return this.#deleteEntry(request.entry, request.token);
      default:
        return this.#rollups.send(request);
    }
  }

  /** Reads rows from which values are copied. */
  readSources(names: readonly string[]): Promise<Copied> {
    return this.#sources.ask(names);
  }

  /** What several rows copy, each source once. */
  async #readSources(queries: readonly (readonly string[])[]): Promise<readonly Copied[]> {
    const read = await this.#copied.read([...new Set(queries.flat())]);
    const valuesOf = new Map(read.map((each) => [each.source, each]));
    return queries.map((names) => names.map((name) => valuesOf.get(name)!));
  }

  async #writeMark(row: Uint8Array, token: string): Promise<void> {
    const { marks, writes } = this.#marks!;
    const error = await writes.ask(marks.mutation(row, token, new Date()));
    if (error !== undefined) throw error;
  }

  /** Reads what follows from a row, as far as a write with these mutations needs it. */
  readRow(key: Uint8Array, mutations: readonly Mutation[] = []): Promise<WatchedRow> {
    return this.#rows.needsColumns(mutations) ? this.#wideReads.ask(key) : this.#reads.ask(key);
  }

  async #readRows(keys: readonly Uint8Array[], isWide: boolean): Promise<readonly WatchedRow[]> {
    const ranges = unionRanges(keys.map(pointRange));
    const plan = { table: this.#model.table.name, ranges, reversed: false };
    const filter = isWide ? this.#rows.wideFilter : this.#rows.filter;
    const stored = await collectRows(this.#engine.readRows({ ...plan, filter }));
    if (keys.length === 1) return [this.#rows.seen(keys[0], stored[0]?.cells ?? [], isWide)];
    const cells = new Map(stored.map((row) => [latin1Text(row.key), row.cells]));
    return keys.map((key) => this.#rows.seen(key, cells.get(latin1Text(key)) ?? [], isWide));
  }

  async #writeRows(
    table: string,
    entries: readonly RowMutation[],
  ): Promise<readonly (RowsmithError | undefined)[]> {
    if (entries.length > 1) return this.#engine.mutateRows(table, entries);
    await this.#engine.mutateRow(table, entries[0]);
    return [undefined];
  }

  async #readEntry({ index, key }: EntryName): Promise<StorageAnswer<WatchedRow>> {
    const { entry, unique, own } = this.#index(index);
    const filter: Filter = { kind: 'families', families: [own.token.family] };
    const entryKey = latin1Bytes(key);
    const [row] = await this.#read(entry.table.name, entryKey, filter);
    if (row === undefined) return { kind: 'entry', held: undefined };
    const token = latin1Text(valueOf(row.cells, own.token.qualifier));
    if (unique) {
      const holder = latin1Text(valueOf(row.cells, own.holder.qualifier));
      return { kind: 'entry', held: { row: holder, token } };
    }
    const base = this.baseKey(this.#index(index), entryKey);
    return { kind: 'entry', held: base && { row: latin1Text(base), token } };
  }

  /** The key of the base row, from the key of an entry in an index that is not unique. */
  baseKey({ entry }: IndexModel, entryKey: Uint8Array): Uint8Array | undefined {
    const values = entry.key.decode(entryKey);
    return values && this.#model.key.encode(values);
  }

  async #writeEntry(entry: IndexEntry, token: string, row: Uint8Array): Promise<void> {
    const mutation = entryMutation(this.#model, entry, { token, row });
    const error = await this.#writes[entry.index].ask(mutation);
    if (error !== undefined) throw error;
  }

  /** Writes a unique entry if it is free or this row's, or if it is the one that was read. */
  async #takeEntry(
    request: Extract<Request, { kind: 'reserve' | 'replace' }>,
    row: Uint8Array,
  ): Promise<StorageAnswer<WatchedRow>> {
    const index = this.#index(request.entry.index);
    const table = index.entry.table.name;
    const { token } = request;
    const written = { token, row, replaces: request.kind === 'replace' };
    const { key, mutations } = entryMutation(this.#model, request.entry as IndexEntry, written);
    if (request.kind === 'replace') {
      const predicate = hasToken(index, request.held.token);
      const check = { key, predicate, onTrue: mutations };
      return { kind: 'done', applied: await this.#engine.checkAndMutateRow(table, check) };
    }
    const predicate = findsNothing(equals(index.own.holder, row));
    const check = { key, predicate, onFalse: mutations };
    return { kind: 'done', applied: !(await this.#engine.checkAndMutateRow(table, check)) };
  }

  async #commit(write: BaseWrite, version: string | undefined): Promise<StorageAnswer<WatchedRow>> {
    const { condition } = write;
    const { check, appliedWhen } = guardedCheck(write, version, this.#rows.families, condition);
    const matched = await this.#engine.checkAndMutateRow(this.#model.table.name, check);
    return { kind: 'done', applied: matched === appliedWhen };
  }

  async #deleteEntry(name: EntryName, token: string): Promise<StorageAnswer<WatchedRow>> {
    const index = this.#index(name.index);
    const applied = await this.#engine.checkAndMutateRow(index.entry.table.name, {
      key: latin1Bytes(name.key),
      predicate: hasToken(index, token),
      onTrue: [{ kind: 'deleteFromRow' }],
    });
    return { kind: 'done', applied };
  }

  #index(at: number): IndexModel {
    return this.#model.indexes[at];
  }

  async #read(
    table: string,
    key: Uint8Array,
    filter: Filter,
  ): Promise<readonly { readonly cells: readonly Cell[] }[]> {
    const ranges = [pointRange(key)];
    return collectRows(this.#engine.readRows({ table, ranges, reversed: false, filter }));
  }
}

function valueOf(cells: readonly Cell[], qualifier: Uint8Array): Uint8Array {
  return cells.find((cell) => equalBytes(cell.qualifier, qualifier))?.value ?? Buffer.alloc(0);
}

/**
 * The answer for a request that failed: only a response that is missing leaves it open. A server's
 * own failure, which has a gRPC status, may come after the change.
 */
export function failure(error: unknown): StorageAnswer<WatchedRow> {
  return { kind: 'failed', mayBeApplied: !(error instanceof RowsmithError) || mayBeApplied(error) };
}
