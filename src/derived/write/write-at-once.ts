/**
 * Writes of embedded engines: the row, its entries and its buckets change in one transaction. The
 * stored cells are the ones that the protocol leaves when it ends. If another write is in the
 * middle of the protocol, the transaction changes nothing, and the caller runs the protocol.
 */
import { equalBytes, latin1Bytes, latin1Text } from '../../bytes/index.js';
import {
  bucketState,
  type EntityModel,
  type IndexModel,
  type OwnColumn,
  rollupFamilies,
} from '../../model/index.js';
import type { Cell, Engine, Filter, Mutation, RowChanges, RowReader } from '../../store/index.js';
import { type EntryName, type EntryTokens, sameEntry } from '../protocol/step.js';
import { hasEntry, tokenOf } from '../protocol/write-facts.js';
import { additionsOf, removalsOf } from '../rollup/bucket-additions.js';
import { setState, storedBucket } from '../rollup/bucket-row.js';
import { mayBeStale } from '../rollup/bucket-stale.js';
import type { RolledChange } from '../rollup/contributions.js';
import { entryMutation, tokenMutations, versionMutations } from './entry-mutations.js';
import { type CallerCondition, visibleTo } from './guarded-check.js';
import type { BaseWrite } from './row-requests.js';
import { newId, type WriteOutcome } from './row-writer.js';
import { uniqueViolation } from './unique-violation.js';
import type { IndexEntry, WatchedRow, WatchedRows } from './watched-rows.js';

/** Rows with longer keys may share a pair of the store, and are not written together. */
const maxKeyBytes = 2000;

const newest: Filter = Object.freeze({ kind: 'cellsPerColumn', count: 1 });
const { mark, state } = rollupFamilies;
/** What shows that a write or a build is at work in a bucket. */
const atWork: Filter = {
  kind: 'chain',
  filters: [{ kind: 'families', families: [mark, state] }, newest],
};

type Written = RowChanges<WriteOutcome | undefined>;
type RowWrite = Written['rows'][number];

const left: Written = { result: undefined, rows: [] };
const refused: Written = { result: 'refused', rows: [] };

/** The writes of one entity without copies. */
export class WritesAtOnce {
  readonly #transact: NonNullable<Engine['transact']>;
  readonly #model: EntityModel;
  readonly #rows: WatchedRows;

  /** Undefined where the protocol is needed for each write. */
  static of(engine: Engine, model: EntityModel, rows: WatchedRows): WritesAtOnce | undefined {
    const { copies = [], copiedBy } = model;
    if (engine.transact === undefined || copies.length > 0 || copiedBy !== undefined)
      return undefined;
    return new WritesAtOnce(engine.transact.bind(engine), model, rows);
  }

  private constructor(
    transact: NonNullable<Engine['transact']>,
    model: EntityModel,
    rows: WatchedRows,
  ) {
    this.#transact = transact;
    this.#model = model;
    this.#rows = rows;
  }

  /** Resolves to undefined if nothing was written, and the protocol must run. */
  write(write: BaseWrite): Promise<WriteOutcome | undefined> {
    return this.#transact(bytesOf(write.mutations), (rows) => this.#change(rows, write));
  }

  #change(rows: RowReader, write: BaseWrite): Written {
    const { key, mutations, condition } = write;
    const seen = this.#read(rows, key, mutations);
    if (seen === undefined) return left;
    const isDeletion = mutations.length === 1 && mutations[0].kind === 'deleteFromRow';
    if (isDeletion && condition === undefined && !seen.exists)
      return { result: 'written', rows: [] };
    const planned = this.#rows.after(key, seen, write);
    const changes = this.#rows.rolls(key, seen, write, []);
    const token = `${newId()}.0`;
    const entries = this.#entries(rows, key, seen, planned, token);
    const buckets = changes.map((change) => this.#bucket(rows, change, token));
    if (entries === undefined || buckets.includes(undefined)) return left;
    const isMet = condition === undefined || this.#meets(rows, key, condition);
    if (isMet === undefined) return left;
    if (!isMet) return refused;
    const row = {
      key,
      mutations: [
        ...mutations,
        ...tokenMutations(this.#model, tokensOf(seen, planned, token)),
        ...versionMutations(token),
      ],
    };
    const table = this.#model.table.name;
    const all = [{ table, row }, ...entries, ...(buckets as readonly RowWrite[])];
    if (all.some((each) => each.row.key.length > maxKeyBytes)) return left;
    return { result: 'written', rows: all };
  }

  #read(rows: RowReader, key: Uint8Array, mutations: readonly Mutation[]): WatchedRow | undefined {
    const isWide = this.#rows.needsColumns(mutations);
    const filter = isWide ? this.#rows.wideFilter : this.#rows.filter;
    const cells = rows.cells(this.#model.table.name, key, filter);
    return cells && this.#rows.seen(key, cells, isWide);
  }

  #meets(rows: RowReader, key: Uint8Array, condition: CallerCondition): boolean | undefined {
    const visible = visibleTo(condition, this.#rows.families);
    const cells = rows.cells(this.#model.table.name, key, visible);
    return cells && cells.length > 0 === condition.appliedWhen;
  }

  /** Undefined if an entry is not as its row says. Throws UNIQUE_VIOLATION. */
  #entries(
    rows: RowReader,
    key: Uint8Array,
    seen: WatchedRow,
    planned: readonly IndexEntry[],
    token: string,
  ): readonly RowWrite[] | undefined {
    const writes: RowWrite[] = [];
    for (const entry of planned) {
      if (hasEntry(seen, entry)) continue;
      if (entry.unique && !this.#isFree(rows, key, entry)) return undefined;
      writes.push({
        table: this.#tableOf(entry),
        row: entryMutation(this.#model, entry, { token, row: key }),
      });
    }
    for (const entry of seen.entries) {
      if (entry.token === undefined || planned.some((each) => sameEntry(each, entry))) continue;
      const cells = this.#entry(rows, entry);
      if (cells === undefined) return undefined;
      // An entry with another token is one that another write has made: repair looks at it.
      const stored = valueOf(cells, this.#indexOf(entry).own.token);
      if (stored === undefined || latin1Text(stored) !== entry.token) continue;
      const mutations: readonly Mutation[] = [{ kind: 'deleteFromRow' }];
      writes.push({ table: this.#tableOf(entry), row: { key: latin1Bytes(entry.key), mutations } });
    }
    return writes;
  }

  /** Whether no row has the value. False if another one reserves it, but does not have it. */
  #isFree(rows: RowReader, key: Uint8Array, entry: IndexEntry): boolean {
    const cells = this.#entry(rows, entry);
    if (cells === undefined || cells.length === 0) return cells !== undefined;
    const held = valueOf(cells, this.#indexOf(entry).own.holder);
    if (held === undefined) return false;
    if (equalBytes(held, key)) return true;
    const holder = this.#read(rows, held, []);
    if (holder?.entries.some((each) => sameEntry(each, entry)) !== true) return false;
    throw uniqueViolation(this.#model, entry, latin1Text(held), key);
  }

  /** The newest cells of a stored entry. */
  #entry(rows: RowReader, entry: EntryName): readonly Cell[] | undefined {
    return rows.cells(this.#tableOf(entry), latin1Bytes(entry.key), newest);
  }

  /** What a row adds to its bucket; undefined while another write or a build is at work there. */
  #bucket(
    rows: RowReader,
    { rollup, bucket, change }: RolledChange,
    token: string,
  ): RowWrite | undefined {
    const model = this.#model.rollups[rollup];
    const table = model.rows.table.name;
    const key = latin1Bytes(bucket);
    const removes = removalsOf([change]).length > 0;
    const cells = rows.cells(table, key, removes ? newest : atWork);
    if (cells === undefined) return undefined;
    const stored = storedBucket(model, cells);
    const { marks, damaged, build } = stored;
    if (marks.length > 0 || damaged.length > 0 || build !== undefined) return undefined;
    const stale = removes && mayBeStale(stored, [change]) ? setState(bucketState.stale, '') : [];
    const mutations = [
      ...additionsOf([change]),
      ...stale,
      ...setState(bucketState.revision, token),
    ];
    return { table, row: { key, mutations } };
  }

  #indexOf({ index }: EntryName): IndexModel {
    return this.#model.indexes[index];
  }

  #tableOf(entry: EntryName): string {
    return this.#indexOf(entry).entry.table.name;
  }
}

function valueOf(cells: readonly Cell[], { family, qualifier }: OwnColumn): Uint8Array | undefined {
  return cells.find((cell) => cell.family === family && equalBytes(cell.qualifier, qualifier))
    ?.value;
}

/** The tokens of a row's entries after the write. */
function tokensOf(seen: WatchedRow, planned: readonly IndexEntry[], token: string): EntryTokens {
  return planned.map((entry) => {
    if (hasEntry(seen, entry)) return tokenOf(seen, entry);
    const { index, key, time } = entry;
    return { index, key, time, token };
  });
}

/** About how much is written. */
function bytesOf(mutations: readonly Mutation[]): number {
  let bytes = 0;
  for (const mutation of mutations) if (mutation.kind === 'setCell') bytes += mutation.value.length;
  return bytes;
}
