/** Builds the new content of a row: reads it from the store, changes it and writes it back. */
import {
  maxRowBytes,
  recommendedRowBytes,
  RowsmithError,
  warnOnce,
  type FaultTexts,
} from '../../../../base/index.js';
import type { OrderedStore, PairWriter } from '../../kv/ordered-store.js';
import { FamilyBuilder, type FinishedFamily } from './family-builder.js';
import { OverflowStore, type OverflowIds } from './overflow-store.js';
import { hasOverflow } from './record-limits.js';
import { ByteReader, ByteWriter, varintBytes } from '../../kv/bytes.js';
import { rowStoreKey } from '../../kv/store-key.js';
import type { FamilyState, TableState } from '../../table/table-state.js';

/** Each time the runs of a growing row pass a multiple of this, its size is computed exactly. */
const exactSizeInterval = 16 * 1024 * 1024;

interface Section {
  readonly family: FamilyBuilder;
  readonly tag: number;
  readonly body: FinishedFamily;
}

/** The cells of one row, by family. Chunks and large values are loaded when they are needed. */
export class RowBuilder {
  readonly overflow: OverflowStore;
  readonly #families = new Map<number, FamilyBuilder>();
  readonly #storeKey: Uint8Array;
  readonly #existed: boolean;
  /** Bytes of the runs of the stored row, in which an overflow value counts as its ID. */
  #storedRunBytes = 0;
  /** True when the stored row has cells of dropped families, which the next write removes. */
  hasDroppedFamilies = false;

  constructor(
    store: OrderedStore,
    readonly table: TableState,
    readonly key: Uint8Array,
    overflowIds: OverflowIds,
  ) {
    this.overflow = new OverflowStore(store, table.id, overflowIds);
    this.#storeKey = rowStoreKey(table.id, key);
    const record = store.get(this.#storeKey);
    this.#existed = record !== undefined;
    if (record !== undefined) this.#readRecord(record);
  }

  /** Returns the builder of a family, which is empty when the row has no cells in it. */
  family({ id }: FamilyState): FamilyBuilder {
    let family = this.#families.get(id);
    if (family === undefined) {
      family = new FamilyBuilder(id, this.overflow);
      this.#families.set(id, family);
    }
    return family;
  }

  clear(): void {
    for (const family of this.#families.values()) family.clear();
  }

  get isEmpty(): boolean {
    for (const family of this.#families.values()) if (!family.isEmpty) return false;
    return true;
  }

  /**
   * Deletes the cells that the garbage collection rules collect, and returns their number. With
   * `columns`, chunked families are pruned in these columns only. `now` is in microseconds.
   */
  prune(
    now: number,
    columns?: readonly { readonly family: string; readonly qualifier: Uint8Array }[],
  ): number {
    let deleted = 0;
    for (const { id, name, isCollectable } of this.table.families.values()) {
      const family = this.#families.get(id);
      if (family === undefined || isCollectable === undefined) continue;
      if (columns === undefined || family.isInline) {
        deleted += family.prune(isCollectable, now);
        continue;
      }
      // A request may change a column 100,000 times.
      const pruned = new Set<string>();
      for (const { family: of, qualifier } of columns) {
        if (of !== name) continue;
        const column = Buffer.from(qualifier).toString('latin1');
        if (!pruned.has(column)) deleted += family.prune(isCollectable, now, qualifier);
        pruned.add(column);
      }
    }
    return deleted;
  }

  /**
   * Throws FAILED_PRECONDITION when the row has become too large. Large values in chunks that are
   * not loaded are counted only when another large value has been set, and whenever the runs have
   * grown by `exactSizeInterval`: loading all chunks on every write would make large rows slow.
   * Small cells can therefore exceed the limit by that much. `storedBytes` returns the exact size
   * before the write, and is called only for a row over the limit: one that does not grow may be
   * written, or else its cells could not be deleted a few at a time.
   */
  checkSize(storedBytes: () => number): void {
    let bytes = 0;
    let runBytes = 0;
    let hasNewLargeValue = false;
    for (const family of this.#families.values()) {
      bytes += family.size(false);
      runBytes += family.runBytes();
      hasNewLargeValue ||= family.hasNewLargeValue;
    }
    const intervals = Math.floor(runBytes / exactSizeInterval);
    if (hasNewLargeValue || intervals > Math.floor(this.#storedRunBytes / exactSizeInterval))
      bytes = this.exactBytes();
    if (bytes > recommendedRowBytes) this.#warnOfSize(bytes);
    if (bytes <= maxRowBytes) return;
    bytes = this.exactBytes();
    if (bytes <= storedBytes()) return;
    const problem = `the row would have ${bytes} bytes, the limit is ${maxRowBytes}`;
    throw new RowsmithError('FAILED_PRECONDITION', {
      property: 'mutations',
      ...faults.rowTooLarge(problem),
    });
  }

  /** The size of all cells; loads all chunks. */
  exactBytes(): number {
    let bytes = 0;
    for (const family of this.#families.values()) bytes += family.size(true);
    return bytes;
  }

  #warnOfSize(bytes: number): void {
    const { name } = this.table;
    warnOnce(
      'ROWSMITH_LARGE_ROW',
      `table ${name}`,
      `table ${name}: a row has grown to ${Math.round(bytes / 2 ** 20)} MiB; Bigtable recommends ` +
        'at most 100 MiB and rejects rows of more than 256 MiB. Add a segment to the key, so that ' +
        'several rows share the data, or a garbage collection rule.',
    );
  }

  /** Writes the row with its overflow values, or removes it when it has no cells. */
  save(writer: PairWriter): void {
    let record: Uint8Array | undefined;
    if (!this.isEmpty) record = this.#writeRecord();
    else if (this.#existed) this.clear();
    else return;
    this.overflow.apply(writer);
    if (record === undefined) writer.remove(this.#storeKey);
    else writer.put(this.#storeKey, record);
  }

  #readRecord(record: Uint8Array): void {
    const reader = new ByteReader(record, 1, record.length);
    while (reader.position < reader.end) {
      const tag = reader.varint();
      const id = tag >>> 1;
      const body = reader.take(reader.varint());
      const family = FamilyBuilder.read(id, tag % 2 === 1, body, this.overflow);
      if (this.table.byId[id] !== undefined) {
        this.#families.set(id, family);
        this.#storedRunBytes += family.runBytes();
      } else {
        family.clear();
        this.hasDroppedFamilies = true;
      }
    }
  }

  #writeRecord(): Uint8Array {
    const sections = this.#finishFamilies();
    let size = 1;
    let flags = 0;
    for (const { tag, body } of sections) {
      size += varintBytes(tag) + varintBytes(body.bytes) + body.bytes;
      if (body.chunked || body.hasOverflowValues) flags = hasOverflow;
    }
    const writer = new ByteWriter(size);
    writer.byte(flags);
    for (const { family, tag, body } of sections) {
      writer.varint(tag);
      writer.varint(body.bytes);
      family.write(writer, body.chunked);
    }
    return writer.bytes;
  }

  #finishFamilies(): Section[] {
    const sections: Section[] = [];
    for (const { id } of this.table.families.values()) {
      const family = this.#families.get(id);
      if (family === undefined) continue;
      if (family.isEmpty) {
        family.clear();
        continue;
      }
      const body = family.finish();
      sections.push({ family, tag: body.chunked ? id * 2 + 1 : id * 2, body });
    }
    return sections;
  }
}

const faults = {
  rowTooLarge: (problem: string) => ({
    problem,
    fix: 'spread the data over several rows, or delete some of it first',
  }),
} satisfies FaultTexts;
