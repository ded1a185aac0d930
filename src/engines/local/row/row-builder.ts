/** A row in hand: read from the store, changed, written back as one commit's pairs. */
import { maxRowBytes } from '../../../base/index.js';
import { noBytes } from '../../../bytes/index.js';
import { RowsmithError } from '../../../errors.js';
import type { OrderedStore, PairWriter } from '../kv/ordered-store.js';
import { changeBucket, readBucket } from './bucket.js';
import { FamilyBuilder } from './family-builder.js';
import { OverflowStore, type OverflowIds } from './overflow-store.js';
import { ByteReader, ByteWriter, hasOverflow, varintBytes } from '../kv/record.js';
import { isLongKey, maxOwnKeyBytes, rowStoreKey, sameSuffix } from '../kv/store-key.js';
import type { FamilyState, TableState } from '../table/table-state.js';

/** Bytes of runs after which a growing row is measured exactly. */
const exactEvery = 16 * 1024 * 1024;

/** The cells of one row, by family, loaded as far as needed. */
export class RowBuilder {
  readonly parts: OverflowStore;
  readonly #families = new Map<number, FamilyBuilder>();
  readonly #storeKey: Uint8Array;
  /** The pair the row lies in: its record or its bucket. */
  readonly #stored: Uint8Array | undefined;
  readonly #existed: boolean;
  /** Bytes of the stored row's runs, large values aside. */
  #storedRuns = 0;
  /** True when the stored row holds cells of dropped families. */
  stale = false;

  constructor(
    store: OrderedStore,
    readonly table: TableState,
    readonly key: Uint8Array,
    numbers: OverflowIds,
  ) {
    this.parts = new OverflowStore(store, table.id, numbers);
    this.#storeKey = rowStoreKey(table.id, key);
    this.#stored = store.get(this.#storeKey);
    const record =
      this.#stored === undefined || !isLongKey(key)
        ? this.#stored
        : readBucket(this.#stored).find((entry) => sameSuffix(key, entry.suffix))?.record;
    this.#existed = record !== undefined;
    if (record !== undefined) this.#read(record);
  }

  /** The family's cells; none are there yet when the row has none. */
  family({ id }: FamilyState): FamilyBuilder {
    let family = this.#families.get(id);
    if (family === undefined) this.#families.set(id, (family = new FamilyBuilder(id, this.parts)));
    return family;
  }

  /** Deletes every cell. */
  clear(): void {
    for (const family of this.#families.values()) family.clear();
  }

  /** True when the row has no cells. */
  get isEmpty(): boolean {
    for (const family of this.#families.values()) if (!family.isEmpty) return false;
    return true;
  }

  /**
   * Deletes what the rules collect; large families only where `touched` says. Answers how many
   * cells went.
   */
  prune(
    now: number,
    touched?: readonly { readonly family: string; readonly qualifier: Uint8Array }[],
  ): number {
    let gone = 0;
    for (const { id, name, collects } of this.table.families.values()) {
      const family = this.#families.get(id);
      if (family === undefined || collects === undefined) continue;
      if (touched === undefined || family.isInline) gone += family.prune(collects, now);
      else
        for (const column of touched)
          if (column.family === name) gone += family.prune(collects, now, column.qualifier);
    }
    return gone;
  }

  /**
   * Refuses a row that has become larger than a row may be. Large values inside chunks that were
   * not touched are counted only when another large value was added, and each time the rest has
   * grown by `exactEvery`: looking into every chunk at every write would make a large row slow. So
   * a row can pass its limit by that much, with small cells.
   */
  checkSize(): void {
    let bytes = 0;
    let runs = 0;
    let exact = false;
    for (const family of this.#families.values()) {
      bytes += family.size(false);
      runs += family.runBytes();
      exact ||= family.hasNewLarge;
    }
    if (exact || Math.floor(runs / exactEvery) > Math.floor(this.#storedRuns / exactEvery)) {
      bytes = 0;
      for (const family of this.#families.values()) bytes += family.size(true);
    }
    if (bytes <= maxRowBytes) return;
    const problem = `the row would have ${bytes} bytes, the limit is ${maxRowBytes}`;
    throw new RowsmithError('LIMIT_EXCEEDED', {
      property: 'mutations',
      problem,
      fix: 'spread the data over several rows, or delete some of it first',
    });
  }

  /**
   * Writes the row, or removes it when it has no cells; parts before and after it in the same
   * commit.
   */
  save(writer: PairWriter): void {
    const { isEmpty } = this;
    if (isEmpty && !this.#existed) return;
    if (isEmpty) this.clear();
    const record = isEmpty ? undefined : this.#write();
    this.parts.apply(writer);
    const bytes = isLongKey(this.key)
      ? changeBucket(this.#stored ?? noBytes, this.key.subarray(maxOwnKeyBytes), record)
      : record;
    if (bytes === undefined || bytes.length === 0) writer.remove(this.#storeKey);
    else writer.put(this.#storeKey, bytes);
  }

  #read(record: Uint8Array): void {
    const reader = new ByteReader(record, 1, record.length);
    while (reader.at < reader.end) {
      const tag = reader.varint();
      const body = reader.take(reader.varint());
      const family = FamilyBuilder.read(tag >>> 1, tag % 2 === 1, body, this.parts);
      // The family was dropped: its cells go with the next write of the row.
      if (this.table.byId[tag >>> 1] !== undefined) {
        this.#families.set(tag >>> 1, family);
        this.#storedRuns += family.runBytes();
      } else {
        family.clear();
        this.stale = true;
      }
    }
  }

  #write(): Uint8Array {
    const sections: { family: FamilyBuilder; tag: number; chunked: boolean; bytes: number }[] = [];
    let size = 1;
    let parts = 0;
    for (const { id } of this.table.families.values()) {
      const family = this.#families.get(id);
      if (family === undefined) continue;
      if (family.isEmpty) {
        family.clear();
        continue;
      }
      const { chunked, bytes, large } = family.settle();
      const tag = id * 2 + (chunked ? 1 : 0);
      if (chunked || large) parts = hasOverflow;
      size += varintBytes(tag) + varintBytes(bytes) + bytes;
      sections.push({ family, tag, chunked, bytes });
    }
    const writer = new ByteWriter(size);
    writer.byte(parts);
    for (const { family, tag, chunked, bytes } of sections) {
      writer.varint(tag);
      writer.varint(bytes);
      family.write(writer, chunked);
    }
    return writer.bytes;
  }
}
