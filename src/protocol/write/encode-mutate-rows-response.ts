/**
 * The status of each row -> MutateRowsResponse (google/bigtable/v2/bigtable.proto), without
 * allocating anything for rows with status OK.
 */
import { WireWriter } from '../../cell/index.js';
import type { RowsmithError } from '../../errors.js';
import { Status } from '../messages/operation-messages.js';
import { statusOf } from '../status.js';

/** Tags of MutateRowsResponse and its entries. */
const tag = { entries: 0x0a, index: 0x08, status: 0x12 } as const;

/**
 * The message for the rows `[start, end)` of the request. `resource` is the full name of their
 * table, for status texts.
 */
export function encodeMutateRowsResponse(
  errors: readonly (RowsmithError | undefined)[],
  start: number,
  end: number,
  resource: string | undefined,
): Uint8Array {
  const w = new WireWriter();
  for (let index = start; index < end; index++) {
    const error = errors[index];
    w.tag(tag.entries);
    const entry = w.open();
    if (index > 0) {
      w.tag(tag.index);
      w.varint32(index);
    }
    // Present but empty for OK, as in the output of protobuf's own encoders.
    w.tag(tag.status);
    const status = w.open();
    if (error !== undefined) w.raw(Status.encode(statusOf(error, resource)));
    w.close(status);
    w.close(entry);
  }
  return w.finish(0);
}
