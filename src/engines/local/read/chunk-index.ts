/** Reads which overflow values a record refers to, without loading them. */
import { compareBytes } from '../../../base/index.js';
import { readCells } from '../row/record/cell-entry.js';
import { firstFrom } from './filter/qualifier-list.js';
import { overflowIdBytes } from '../row/record/record-limits.js';
import { ByteReader } from '../kv/bytes.js';

/**
 * Returns the overflow IDs of a family's chunks, in order, from the chunk index in `[start, end)`.
 * With sorted qualifiers, only entries of chunks that may hold one of them.
 */
export function findChunks(
  record: Uint8Array,
  start: number,
  end: number,
  qualifiers: readonly Uint8Array[] | undefined,
): readonly number[] {
  const firstQualifiers: Uint8Array[] = [];
  const ids: number[] = [];
  const reader = new ByteReader(record, start, end);
  while (reader.position < end) {
    firstQualifiers.push(reader.take(reader.varint()));
    reader.position += 8;
    reader.varint();
    ids.push(reader.number64());
  }
  if (qualifiers === undefined) return ids;
  return ids.filter((_id, index) => {
    const first = firstQualifiers[index];
    const at = firstFrom(qualifiers, first, 0, first.length);
    if (at === qualifiers.length) return false;
    const isLast = index + 1 === ids.length;
    return isLast || compareBytes(qualifiers[at], firstQualifiers[index + 1]) <= 0;
  });
}

/** Total size of the overflow values that the record's sections in `[start, end)` refer to. */
export function overflowBytes(record: Uint8Array, start: number, end: number): number {
  let bytes = 0;
  const reader = new ByteReader(record, start, end);
  while (reader.position < end) {
    const chunked = reader.varint() % 2 === 1;
    const bodyEnd = reader.varint() + reader.position;
    const body = new ByteReader(record, reader.position, bodyEnd);
    bytes += chunked ? chunkBytes(body) : largeValueBytes(body);
    reader.position = bodyEnd;
  }
  return bytes;
}

function chunkBytes(index: ByteReader): number {
  let bytes = 0;
  while (index.position < index.end) {
    index.take(index.varint());
    index.position += 8;
    bytes += index.varint();
    index.position += overflowIdBytes;
  }
  return bytes;
}

function largeValueBytes(run: ByteReader): number {
  let bytes = 0;
  for (const cell of readCells(run)) if (cell.overflowId !== 0) bytes += cell.length;
  return bytes;
}
