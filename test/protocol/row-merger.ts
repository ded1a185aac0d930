/**
 * Chunks -> rows by the rules of google/bigtable/v2/bigtable.proto, strictly: what the rules do not
 * allow throws. Judged itself by the acceptance suite.
 */
import { equalBytes } from '../../src/bytes/index.js';
import type { Row } from '../../src/store/index.js';

/** A CellChunk as protobufjs decodes it. */
export interface Chunk {
  readonly rowKey?: Uint8Array;
  readonly familyName?: { readonly value?: string };
  readonly qualifier?: { readonly value?: Uint8Array };
  readonly timestampMicros?: string;
  readonly labels?: readonly string[];
  readonly value?: Uint8Array;
  readonly valueSize?: number;
  readonly resetRow?: boolean;
  readonly commitRow?: boolean;
}

const nothing = new Uint8Array(0);

interface Partial {
  family: string;
  qualifier: Uint8Array;
  timestamp: bigint;
  labels: readonly string[];
  parts: Uint8Array[];
  size: number;
}

export class RowMerger {
  readonly rows: Row[] = [];
  #key: Uint8Array | undefined;
  #cells: Row['cells'][number][] = [];
  #family: string | undefined;
  #qualifier: Uint8Array | undefined;
  #cell: Partial | undefined;

  readonly #exact: boolean;

  /** `exact`: the pieces of a value must be as long as they say. The suite's own are not. */
  constructor(exact: boolean) {
    this.#exact = exact;
  }

  add(chunk: Chunk): void {
    if (chunk.resetRow === true) return this.#reset(chunk);
    if (this.#cell === undefined) this.#beginCell(chunk);
    else
      this.#check(
        chunk.rowKey === undefined &&
          chunk.familyName === undefined &&
          chunk.qualifier === undefined &&
          !chunk.timestampMicros &&
          !chunk.labels?.length,
        'a later piece names its cell',
      );
    const cell = this.#cell!;
    const value = chunk.value ?? nothing;
    cell.parts.push(value);
    const size = chunk.valueSize ?? 0;
    if (size > 0) {
      this.#check(cell.size === 0 || cell.size === size, 'the size of the value changes');
      this.#check(chunk.commitRow !== true, 'a commit in the middle of a value');
      cell.size = size;
      return;
    }
    this.#endCell(cell);
    if (chunk.commitRow === true) this.#commit();
  }

  end(): void {
    this.#check(this.#key === undefined, 'the stream ends inside a row');
  }

  #beginCell(chunk: Chunk): void {
    if (this.#key === undefined) {
      this.#check(chunk.rowKey !== undefined && chunk.rowKey.length > 0, 'a row without a key');
      this.#check(chunk.familyName !== undefined, 'a row without a family');
      const last = this.rows.at(-1);
      this.#check(last === undefined || !equalBytes(last.key, chunk.rowKey!), 'the same row twice');
      this.#key = chunk.rowKey;
    } else
      this.#check(
        chunk.rowKey === undefined || equalBytes(chunk.rowKey, this.#key),
        'another key before the commit',
      );
    if (chunk.familyName !== undefined) {
      this.#check(chunk.qualifier !== undefined, 'a family without a qualifier');
      this.#family = chunk.familyName.value ?? '';
    }
    if (chunk.qualifier !== undefined) this.#qualifier = chunk.qualifier.value ?? nothing;
    this.#check(
      this.#family !== undefined && this.#qualifier !== undefined,
      'a cell without a column',
    );
    this.#cell = {
      family: this.#family!,
      qualifier: this.#qualifier!,
      timestamp: BigInt(chunk.timestampMicros ?? 0),
      labels: chunk.labels ?? [],
      parts: [],
      size: 0,
    };
  }

  #endCell({ family, qualifier, timestamp, labels, parts, size }: Partial): void {
    const value = new Uint8Array(Buffer.concat(parts));
    this.#check(
      !this.#exact || size === 0 || value.length === size,
      'the pieces are not as long as they said',
    );
    this.#cells.push({
      family,
      qualifier: new Uint8Array(qualifier),
      timestamp,
      value,
      ...(labels.length > 0 ? { labels } : {}),
    });
    this.#cell = undefined;
  }

  #commit(): void {
    this.rows.push({ key: new Uint8Array(this.#key!), cells: this.#cells });
    this.#forget();
  }

  #reset(chunk: Chunk): void {
    this.#check(this.#key !== undefined, 'a reset without a row');
    const bare =
      chunk.rowKey === undefined &&
      chunk.familyName === undefined &&
      chunk.qualifier === undefined &&
      !chunk.value?.length &&
      !chunk.commitRow;
    this.#check(bare, 'a reset with a chunk');
    this.#forget();
  }

  #forget(): void {
    this.#key = this.#family = this.#qualifier = this.#cell = undefined;
    this.#cells = [];
  }

  #check(holds: boolean, problem: string): void {
    if (!holds) throw new Error(`Against the protocol: ${problem}`);
  }
}
