/** Rows <-> ReadRowsResponse messages, and messages <-> encoded chunks. */
import { ChunkEncoder } from '../../../src/engines/protocol/index.js';
import type { Row } from '../../../src/data/store/index.js';
import { listCursor } from './list-cursor.js';

/** The messages that our server sends for the rows. */
export function messagesOf(rows: readonly Row[]): Buffer[] {
  const encoder = new ChunkEncoder();
  const cursor = listCursor(rows);
  while (cursor.nextRow()) encoder.addRow(cursor);
  encoder.close();
  return encoder.messages;
}

/** The encoded chunks of messages that have no other fields. */
export function chunksOf(messages: readonly Uint8Array[]): Uint8Array[] {
  return messages.flatMap((message) => {
    const chunks: Uint8Array[] = [];
    for (let at = 0; at < message.length;) {
      let length = 0;
      let byte = 0x80;
      at++;
      for (let shift = 0; byte >= 0x80; shift += 7)
        length |= ((byte = message[at++]) & 0x7f) << shift;
      chunks.push(message.subarray(at, (at += length)));
    }
    return chunks;
  });
}

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)];
}

/** A message of chunks. */
export function messageOf(chunks: readonly Uint8Array[]): Buffer {
  return Buffer.concat(
    chunks.flatMap((chunk) => [Buffer.from([0x0a, ...varint(chunk.length)]), chunk]),
  );
}
