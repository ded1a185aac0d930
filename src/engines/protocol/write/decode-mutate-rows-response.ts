/**
 * MutateRowsResponse -> the status of each row (google/bigtable/v2/bigtable.proto), without
 * allocating anything for rows with status OK.
 */
import {
  CodecError,
  cursor as wire,
  readEnd,
  readTag,
  readUint32,
  skip,
} from '../../../data/cell/index.js';
import { responseError } from '../response-error.js';
import type { StatusReport } from '../status.js';
import { Status } from '../messages/operation-messages.js';

/** Tags of MutateRowsResponse and its entries. */
const tag = { entries: 0x0a, index: 0x08, status: 0x12 } as const;

/** Called for each entry: the row's index in the request, and its status unless that is OK. */
type OnStatus = (index: number, failure: StatusReport | undefined) => void;

/** Decodes a message; `onStatus` is called for each of its entries. */
export function decodeMutateRowsResponse(message: Uint8Array, onStatus: OnStatus): void {
  try {
    for (let at = 0; at < message.length;) {
      const field = readTag(message, at, message.length);
      if (field === tag.entries) {
        const end = readEnd(message, wire.at, message.length);
        readEntry(message, wire.at, end, onStatus);
        at = end;
      } else at = skip(message, wire.at, message.length, field, 1);
    }
  } catch (error) {
    if (error instanceof CodecError) throw responseError({ problem: error.problem }, error);
    throw error;
  }
}

function readEntry(b: Uint8Array, at: number, end: number, onStatus: OnStatus): void {
  let index = 0;
  let failure: StatusReport | undefined;
  while (at < end) {
    const field = readTag(b, at, end);
    if (field === tag.index) {
      // An int64 on the wire, but indexes are below 100,000.
      index = readUint32(b, wire.at, end);
      at = wire.at;
    } else if (field === tag.status) {
      at = readEnd(b, wire.at, end);
      failure = undefined;
      if (wire.at < at) failure = failureOf(b.subarray(wire.at, at));
    } else at = skip(b, wire.at, end, field, 2);
  }
  onStatus(index, failure);
}

function failureOf(status: Uint8Array): StatusReport | undefined {
  const { code = 0, message = '' } = Status.decode(status);
  if (code === 0) return undefined;
  return { code, message };
}
