/**
 * Chunks -> rows by the rules of google/bigtable/v2/bigtable.proto: a strict and simple oracle for
 * encoders and servers. It throws for anything the rules do not allow, and is tested with the same
 * cases as our decoder.
 */
import { compareBytes, equalBytes } from '../../../src/base/index.js';
import type { Row } from '../../../src/data/store/index.js';

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

/** A cell with an incomplete value. */
interface OpenCell {
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
  #cell: OpenCell | undefined;

  readonly #exact: boolean;
  readonly #order: 'ascending' | 'descending' | 'any';

  /**
   * `exact`: value_size must be the size of the value; in Google's acceptance cases it is not.
   * `order`: of the row keys.
   */
  constructor(exact: boolean, order: 'ascending' | 'descending' | 'any' = 'any') {
    this.#exact = exact;
    this.#order = order;
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
        'a later chunk of a value has other fields',
      );
    const cell = this.#cell!;
    const value = chunk.value ?? nothing;
    cell.parts.push(value);
    const size = chunk.valueSize ?? 0;
    if (size > 0) {
      this.#check(cell.size === 0 || cell.size === size, 'value_size changes');
      this.#check(chunk.commitRow !== true, 'commit_row inside a value');
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
      this.#checkOrder(chunk.rowKey!);
      this.#key = chunk.rowKey;
    } else
      this.#check(
        chunk.rowKey === undefined || equalBytes(chunk.rowKey, this.#key),
        'another key before commit_row',
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

  #endCell({ family, qualifier, timestamp, labels, parts, size }: OpenCell): void {
    const value = new Uint8Array(Buffer.concat(parts));
    this.#check(
      !this.#exact || size === 0 || value.length === size,
      'value_size is not the size of the value',
    );
    const cell = { family, qualifier: new Uint8Array(qualifier), timestamp, value };
    this.#cells.push(labels.length === 0 ? cell : { ...cell, labels });
    this.#cell = undefined;
  }

  #commit(): void {
    this.rows.push({ key: new Uint8Array(this.#key!), cells: this.#cells });
    this.#clearRow();
  }

  #reset(chunk: Chunk): void {
    this.#check(this.#key !== undefined, 'reset_row without a row');
    const bare =
      chunk.rowKey === undefined &&
      chunk.familyName === undefined &&
      chunk.qualifier === undefined &&
      !chunk.timestampMicros &&
      !chunk.labels?.length &&
      !chunk.value?.length &&
      !chunk.valueSize &&
      !chunk.commitRow;
    this.#check(bare, 'reset_row with other fields');
    this.#clearRow();
  }

  #checkOrder(key: Uint8Array): void {
    const last = this.rows.at(-1)?.key;
    if (last === undefined) return;
    const order = compareBytes(key, last);
    this.#check(order !== 0, 'the same row twice');
    this.#check(order > 0 || this.#order !== 'ascending', 'keys are not ascending');
    this.#check(order < 0 || this.#order !== 'descending', 'keys are not descending');
  }

  #clearRow(): void {
    this.#key = this.#family = this.#qualifier = this.#cell = undefined;
    this.#cells = [];
  }

  #check(holds: boolean, problem: string): void {
    if (!holds) throw new Error(`Protocol violation: ${problem}`);
  }
}
