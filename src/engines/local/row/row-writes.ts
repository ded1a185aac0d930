/**
 * What happens to a row inside a commit: it is read as far as needed, changed, and written back.
 */
import type { Mutation, ReadModifyWriteRule, RowMutation, Cell } from '../../../store/index.js';
import type { Catalog } from '../table/catalog.js';
import type { OrderedStore, PairWriter } from '../kv/ordered-store.js';
import type { OverflowIdAllocator } from './overflow-ids.js';
import { PreparedRow, type PendingRow } from './prepared-row.js';
import { ByteReader } from '../kv/record.js';
import { mergeRecords } from './record-merge.js';
import { applyMutations, applyRules, checkFamilies } from './apply-mutations.js';
import { RowBuilder } from './row-builder.js';
import type { TableState } from '../table/table-state.js';

/** What the engine's options mean for a write. */
export interface WriteTraits {
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /**
   * True when a write removes what the garbage collection rules would collect from the row it
   * rewrites.
   */
  readonly hides: boolean;
  /** Told of every row that was written. */
  readonly wrote: (table: TableState) => void;
}

/** The writes to the rows of a database. */
export class RowWrites {
  readonly #store: OrderedStore;
  readonly #catalog: Catalog;
  readonly #numbers: OverflowIdAllocator;
  readonly #traits: WriteTraits;

  constructor(
    store: OrderedStore,
    catalog: Catalog,
    numbers: OverflowIdAllocator,
    traits: WriteTraits,
  ) {
    this.#store = store;
    this.#catalog = catalog;
    this.#numbers = numbers;
    this.#traits = traits;
  }

  /** A row in hand. */
  draft(table: TableState, key: Uint8Array): RowBuilder {
    return new RowBuilder(this.#store, table, key, this.#numbers);
  }

  /** Writes a row in hand back. */
  save(draft: RowBuilder, writer: PairWriter): void {
    draft.save(writer);
    this.#numbers.save(writer);
    this.#traits.wrote(draft.table);
  }

  /** Applies a row that waited; throws what refuses it, and then has written nothing. */
  apply(table: string, row: PendingRow, writer: PairWriter): void {
    const state = this.#catalog.table(table);
    if (!(row instanceof PreparedRow) || row.table !== state || !this.#applyReady(row, writer))
      this.applyMutations(table, row.mutations(), writer);
  }

  /** Applies mutations that are checked as far as the schema is not concerned. */
  applyMutations(table: string, { key, mutations }: RowMutation, writer: PairWriter): void {
    const state = this.#catalog.table(table);
    checkFamilies(state, mutations);
    const draft = this.draft(state, key);
    const { hides } = this.#traits;
    const touched = hides ? mutations.filter(hasColumn) : [];
    if (hides) draft.prune(this.#now(), touched);
    applyMutations(state, draft, mutations, this.#time());
    if (hides) draft.prune(this.#now(), touched);
    draft.checkSize();
    this.save(draft, writer);
  }

  /** Applies a read-modify-write; answers the changed cells. */
  applyRules(
    table: TableState,
    key: Uint8Array,
    rules: readonly ReadModifyWriteRule[],
    writer: PairWriter,
  ): Cell[] {
    const draft = this.draft(table, key);
    const { hides } = this.#traits;
    if (hides) draft.prune(this.#now(), rules);
    const cells = applyRules(table, draft, rules, this.#time());
    if (hides) draft.prune(this.#now(), rules);
    draft.checkSize();
    this.save(draft, writer);
    return cells;
  }

  /** False when the stored row does not take the record as it is: then nothing is written. */
  #applyReady(row: PreparedRow, writer: PairWriter): boolean {
    const { table, storeKey, record, timed } = row;
    const stored = this.#store.lookup(storeKey);
    try {
      const there = stored.next();
      if (timed) row.setTime(this.#time());
      if (!there && !(this.#traits.hides && table.collectsNewest)) writer.put(storeKey, record);
      else {
        const old = there
          ? new ByteReader(stored.valueBytes, stored.valueStart, stored.valueEnd)
          : undefined;
        const merged = mergeRecords(
          table,
          old,
          new ByteReader(record, 0, record.length),
          this.#traits.hides ? this.#now() : undefined,
        );
        if (merged === 'too large') return false;
        if (merged !== 'empty') writer.put(storeKey, merged);
        else if (there) writer.remove(storeKey);
      }
    } finally {
      stored.close();
    }
    this.#traits.wrote(table);
    return true;
  }

  /** Microseconds since 1970. */
  #now(): number {
    return Math.floor(this.#traits.clock()) * 1000;
  }

  #time(): bigint {
    return BigInt(Math.floor(this.#traits.clock())) * 1000n;
  }
}

function hasColumn(
  mutation: Mutation,
): mutation is Exclude<Mutation, { kind: 'deleteFromFamily' | 'deleteFromRow' }> {
  return mutation.kind !== 'deleteFromFamily' && mutation.kind !== 'deleteFromRow';
}
