/**
 * Writes of embedded engines: the row, its entries and its buckets change in one transaction. The
 * stored cells are the ones that the protocol leaves when it ends. If another write is in the
 * middle of the protocol, the transaction changes nothing, and the caller runs the protocol.
 */
import {
  equalBytes,
  latin1Bytes,
  latin1Text,
  mayBeApplied,
  RowsmithError,
} from '../../../base/index.js';
import {
  bucketState,
  type EntityModel,
  type IndexModel,
  type OwnColumn,
  rollupFamilies,
  type RollupModel,
} from '../../model/index.js';
import type {
  Cell,
  Engine,
  Filter,
  Mutation,
  RowChanges,
  RowReader,
} from '../../../data/store/index.js';
import { type EntryName, type EntryTokens, sameEntry } from '../protocol/step.js';
import { hasEntry, tokenOf } from '../protocol/write-facts.js';
import { additionsOf, removalsOf } from '../rollup/bucket/bucket-additions.js';
import { setState, storedBucket } from '../rollup/bucket/bucket-row.js';
import type { BucketChange } from '../rollup/bucket/bucket-change.js';
import { mayBeStale } from '../rollup/bucket/bucket-stale.js';
import type { RolledChange } from '../rollup/bucket/contributions.js';
import { entryMutation, tokenMutations, versionMutations } from './entry-mutations.js';
import { type CallerCondition, visibleTo } from './guarded-check.js';
import { Gathered } from './gathered.js';
import type { BaseWrite } from './row-requests.js';
import { newId, type WriteOutcome } from './row-writer.js';
import { uniqueViolation } from './unique-violation.js';
import type { IndexEntry, WatchedRow, WatchedRows } from './watched-rows.js';

/** Rows with longer keys may share a pair of the store, and are not written together. */
const maxKeyBytes = 2000;

/** Writes in one commit, which takes some milliseconds. */
const maxWrites = 256;

const newest: Filter = Object.freeze({ kind: 'cellsPerColumn', count: 1 });
const { mark, state } = rollupFamilies;
/** What shows that a write or a build is at work in a bucket. */
const atWork: Filter = {
  kind: 'chain',
  filters: [{ kind: 'families', families: [mark, state] }, newest],
};

type RowWrite = RowChanges<unknown>['rows'][number];

/** How a write ended; `outcome` is undefined if nothing was written, and the protocol must run. */
export type Settled = { readonly outcome: WriteOutcome | undefined } | { readonly error: unknown };

/** The mutations that remove an entry. */
const removal: readonly Mutation[] = [{ kind: 'deleteFromRow' }];

const left: Settled = { outcome: undefined };
/** For a write that the next commit makes: this one changes the same rows. */
const met: Settled = { outcome: undefined };
const unchanged: Settled = { outcome: 'written' };
const refused: Settled = { outcome: 'refused' };

/** The writes of one entity without copies. */
export class WritesAtOnce {
  readonly #transact: NonNullable<Engine['transact']>;
  readonly #model: EntityModel;
  readonly #rows: WatchedRows;
  /** Writes that are begun at the same time share commits. */
  readonly #writes = new Gathered((writes: readonly BaseWrite[]) => this.#writeAll(writes));

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

  write(write: BaseWrite): Promise<Settled> {
    return this.#writes.ask(write);
  }

  async #writeAll(writes: readonly BaseWrite[]): Promise<readonly Settled[]> {
    const commits: Promise<readonly Settled[]>[] = [];
    for (let from = 0; from < writes.length; from += maxWrites)
      commits.push(this.#writeSome(writes.slice(from, from + maxWrites)));
    return (await Promise.all(commits)).flat();
  }

  async #writeSome(writes: readonly BaseWrite[]): Promise<readonly Settled[]> {
    try {
      return await this.#again(writes, await this.#commit(writes));
    } catch (error) {
      const mayBeWritten = error instanceof RowsmithError && mayBeApplied(error);
      if (writes.length === 1 || mayBeWritten) return writes.map(() => ({ error }));
      // Nothing was written. Each write tells what is wrong with it.
      return (await Promise.all(writes.map((write) => this.#writeSome([write])))).flat();
    }
  }

  /** Makes the writes that met an earlier one. The first write of a commit meets none. */
  async #again(
    writes: readonly BaseWrite[],
    settled: readonly Settled[],
  ): Promise<readonly Settled[]> {
    const rest = writes.filter((_, i) => settled[i] === met);
    if (rest.length === 0) return settled;
    const later = [...(await this.#writeSome(rest))];
    return settled.map((each) => (each === met ? later.shift()! : each));
  }

  /**
   * Makes writes as if each were alone. Of writes that meet in a row or an entry, it makes the
   * first; but a unique value that one gives up is free for the next. Rejects if it wrote nothing.
   */
  #commit(writes: readonly BaseWrite[]): Promise<readonly Settled[]> {
    const bytes = writes.reduce((sum, { mutations }) => sum + bytesOf(mutations), 0);
    return this.#transact(bytes, (rows) => {
      const commit = new Commit(this.#model, rows);
      const result = writes.map((write) => settled(() => this.#add(commit, write)));
      return { result, rows: commit.rows() };
    });
  }

  #add(commit: Commit, write: BaseWrite): Settled {
    const { key, mutations, condition } = write;
    const table = this.#model.table.name;
    if (commit.writes(table, key)) return met;
    const { reader } = commit;
    const seen = this.#read(reader, key, mutations);
    if (seen === undefined) return left;
    const isDeletion = mutations.length === 1 && mutations[0].kind === 'deleteFromRow';
    if (isDeletion && condition === undefined && !seen.exists) return unchanged;
    const { entries: planned, rolls } = this.#rows.planned(key, seen, write);
    const token = `${newId()}.0`;
    const entries = this.#entries(commit, key, seen, planned, token);
    const buckets = rolls.map((change) => commit.bucket(change));
    if (!('rows' in entries)) return entries;
    if (buckets.includes(undefined)) return left;
    const isMet = condition === undefined || this.#meets(reader, key, condition);
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
    const problem = commit.add([{ table, row }, ...entries.rows], buckets as Bucket[], token);
    return problem ?? { outcome: 'written' };
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

  /** An outcome if an entry is not as its row says. Throws UNIQUE_VIOLATION. */
  #entries(
    commit: Commit,
    key: Uint8Array,
    seen: WatchedRow,
    planned: readonly IndexEntry[],
    token: string,
  ): { readonly rows: readonly RowWrite[] } | Settled {
    const writes: RowWrite[] = [];
    for (const entry of planned) {
      if (hasEntry(seen, entry)) continue;
      const table = this.#tableOf(entry);
      const replaces = commit.removes(table, latin1Bytes(entry.key));
      if (entry.unique && !replaces) {
        const problem = this.#taken(commit, key, entry);
        if (problem !== undefined) return problem;
      }
      const row = entryMutation(this.#model, entry, { token, row: key, replaces });
      writes.push({ table, row });
    }
    for (const entry of seen.entries) {
      if (entry.token === undefined || planned.some((each) => sameEntry(each, entry))) continue;
      const cells = this.#entry(commit.reader, entry);
      if (cells === undefined) return left;
      // An entry with another token is one that another write has made: repair looks at it.
      const stored = valueOf(cells, this.#indexOf(entry).own.token);
      if (stored === undefined || latin1Text(stored) !== entry.token) continue;
      const row = { key: latin1Bytes(entry.key), mutations: removal };
      writes.push({ table: this.#tableOf(entry), row });
    }
    return { rows: writes };
  }

  /** Undefined if no row has the value. Another row may reserve it and not have it. */
  #taken(commit: Commit, key: Uint8Array, entry: IndexEntry): Settled | undefined {
    const cells = this.#entry(commit.reader, entry);
    if (cells === undefined) return left;
    if (cells.length === 0) return undefined;
    const held = valueOf(cells, this.#indexOf(entry).own.holder);
    if (held === undefined) return left;
    if (equalBytes(held, key)) return undefined;
    // The row as it is stored tells nothing about the commit.
    if (commit.writes(this.#model.table.name, held)) return met;
    const holder = this.#read(commit.reader, held, []);
    if (holder?.entries.some((each) => sameEntry(each, entry)) !== true) return left;
    throw uniqueViolation(this.#model, entry, latin1Text(held), key);
  }

  /** The newest cells of a stored entry. */
  #entry(rows: RowReader, entry: EntryName): readonly Cell[] | undefined {
    return rows.cells(this.#tableOf(entry), latin1Bytes(entry.key), newest);
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

/** What rows add to a bucket within one commit. */
interface Bucket {
  readonly rollup: RollupModel;
  readonly key: Uint8Array;
  readonly change: BucketChange;
  readonly isStale: boolean;
}

/** The changes of one bucket. */
interface BucketWrite {
  readonly rollup: RollupModel;
  readonly key: Uint8Array;
  readonly changes: BucketChange[];
  isStale: boolean;
  token: string;
}

/** The rows of one commit. */
class Commit {
  readonly #model: EntityModel;
  readonly #rows = new Map<string, RowWrite>();
  readonly #buckets = new Map<string, BucketWrite>();

  constructor(
    model: EntityModel,
    readonly reader: RowReader,
  ) {
    this.#model = model;
  }

  /** Whether the commit writes a row. */
  writes(table: string, key: Uint8Array): boolean {
    return this.#rows.size > 0 && this.#rows.has(nameOf(table, key));
  }

  /** Whether the commit removes an entry, which another row may then have. */
  removes(table: string, key: Uint8Array): boolean {
    return this.#rows.size > 0 && this.#removes(nameOf(table, key));
  }

  #removes(name: string): boolean {
    return this.#rows.get(name)?.row.mutations === removal;
  }

  /** What a row adds to its bucket; undefined while another write or a build is at work there. */
  bucket({ rollup: at, bucket, change }: RolledChange): Bucket | undefined {
    const rollup = this.#model.rollups[at];
    const key = latin1Bytes(bucket);
    const removes = removalsOf([change]).length > 0;
    // What the commit has added so far takes no extreme away.
    const isOpen = this.#buckets.has(nameOf(rollup.rows.table.name, key));
    if (isOpen && !removes) return { rollup, key, change, isStale: false };
    const cells = this.reader.cells(rollup.rows.table.name, key, removes ? newest : atWork);
    if (cells === undefined) return undefined;
    const stored = storedBucket(rollup, cells);
    const { marks, damaged, build } = stored;
    if (marks.length > 0 || damaged.length > 0 || build !== undefined) return undefined;
    return { rollup, key, change, isStale: removes && mayBeStale(stored, [change]) };
  }

  /** Adds what one write changes, or nothing: then it returns how the write has ended. */
  add(rows: readonly RowWrite[], buckets: readonly Bucket[], token: string): Settled | undefined {
    const names = rows.map(({ table, row }) => nameOf(table, row.key));
    if (names.some((name) => this.#rows.has(name) && !this.#removes(name))) return met;
    const keys = [...rows.map(({ row }) => row.key), ...buckets.map(({ key }) => key)];
    if (keys.some((key) => key.length > maxKeyBytes)) return left;
    for (const [i, name] of names.entries()) this.#rows.set(name, rows[i]);
    for (const bucket of buckets) this.#addTo(bucket, token);
    return undefined;
  }

  #addTo({ rollup, key, change, isStale }: Bucket, token: string): void {
    const name = nameOf(rollup.rows.table.name, key);
    const known = this.#buckets.get(name);
    if (known === undefined)
      this.#buckets.set(name, { rollup, key, changes: [change], isStale, token });
    else {
      known.changes.push(change);
      known.isStale ||= isStale;
      known.token = token;
    }
  }

  rows(): readonly RowWrite[] {
    const buckets = Array.from(this.#buckets.values(), (bucket): RowWrite => {
      const { rollup, key, changes, isStale, token } = bucket;
      const mutations = [
        ...additionsOf(changes),
        ...(isStale ? setState(bucketState.stale, '') : []),
        ...setState(bucketState.revision, token),
      ];
      return { table: rollup.rows.table.name, row: { key, mutations } };
    });
    return [...this.#rows.values(), ...buckets];
  }
}

function nameOf(table: string, key: Uint8Array): string {
  return `${table} ${latin1Text(key)}`;
}

/** An error of one write, of any kind, is no error of the writes beside it. */
function settled(work: () => Settled): Settled {
  try {
    return work();
  } catch (error) {
    return { error };
  }
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
