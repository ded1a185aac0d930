/**
 * MutateRowsResponse -> the status of each row (google/bigtable/v2/bigtable.proto), without an
 * object for rows that were written.
 */
import { CellFault, cursor as wire, readEnd, readTag, readUint32, skip } from '../../cell/index.js';
import { responseError } from '../response-error.js';
import type { StatusReport } from '../status.js';
import { Status } from '../messages/operation-messages.js';

/** Tags of MutateRowsResponse and its entries. */
const tag = { entries: 0x0a, index: 0x08, status: 0x12 } as const;

/** Tells the place of every row that the message answers, and its status where that is not OK. */
export function decodeMutateRowsResponse(
  message: Uint8Array,
  tell: (index: number, failure: StatusReport | undefined) => void,
): void {
  try {
    for (let at = 0; at < message.length;) {
      const field = readTag(message, at, message.length);
      if (field === tag.entries) {
        const end = readEnd(message, wire.at, message.length);
        readEntry(message, wire.at, end, tell);
        at = end;
      } else at = skip(message, wire.at, message.length, field, 1);
    }
  } catch (fault) {
    throw fault instanceof CellFault ? responseError(fault.problem, fault) : fault;
  }
}

function readEntry(
  b: Uint8Array,
  at: number,
  end: number,
  tell: (index: number, failure: StatusReport | undefined) => void,
): void {
  let index = 0;
  let failure: StatusReport | undefined;
  while (at < end) {
    const field = readTag(b, at, end);
    if (field === tag.index) {
      // Places are below 100,000: an int64 on the wire, in few bytes.
      index = readUint32(b, wire.at, end);
      at = wire.at;
    } else if (field === tag.status) {
      at = readEnd(b, wire.at, end);
      failure = wire.at === at ? undefined : failureOf(b.subarray(wire.at, at));
    } else at = skip(b, wire.at, end, field, 2);
  }
  tell(index, failure);
}

function failureOf(status: Uint8Array): StatusReport | undefined {
  const { code = 0, message = '' } = Status.decode(status);
  return code === 0 ? undefined : { code, message };
}
