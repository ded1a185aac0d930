/** What a record says about the parts of its row, without loading them. */
import { compareBytes } from '../../../bytes/index.js';
import { readCells } from '../row/cell-entry.js';
import { ByteReader } from '../kv/record.js';

/**
 * The parts of the family's chunks, in order; with qualifiers, only of those that can hold one of
 * them.
 */
export function findChunks(
  record: Uint8Array,
  start: number,
  end: number,
  qualifiers: readonly Uint8Array[] | undefined,
): readonly number[] {
  const firsts: Uint8Array[] = [];
  const parts: number[] = [];
  const reader = new ByteReader(record, start, end);
  while (reader.at < end) {
    firsts.push(reader.take(reader.varint()));
    reader.at += 8;
    reader.varint();
    parts.push(reader.number64());
  }
  if (qualifiers === undefined) return parts;
  return parts.filter((_part, at) =>
    qualifiers.some(
      (qualifier) =>
        compareBytes(firsts[at], qualifier) <= 0 &&
        (at + 1 === firsts.length || compareBytes(qualifier, firsts[at + 1]) <= 0),
    ),
  );
}

/**
 * Bytes of the chunks and of the large values that the record's sections in `[start, end)` name.
 */
export function partBytes(record: Uint8Array, start: number, end: number): number {
  let bytes = 0;
  const reader = new ByteReader(record, start, end);
  while (reader.at < end) {
    const chunked = reader.varint() % 2 === 1;
    const sectionEnd = reader.varint() + reader.at;
    const section = new ByteReader(record, reader.at, sectionEnd);
    if (!chunked) for (const cell of readCells(section)) bytes += cell.part === 0 ? 0 : cell.length;
    else
      while (section.at < sectionEnd) {
        section.take(section.varint());
        section.at += 8;
        bytes += section.varint();
        section.at += 8;
      }
    reader.at = sectionEnd;
  }
  return bytes;
}
