/**
 * The status of each row -> MutateRowsResponse (google/bigtable/v2/bigtable.proto), without an
 * object for rows that were written.
 */
import { WireWriter } from '../../cell/index.js';
import type { RowsmithError } from '../../errors.js';
import { Status } from '../messages/operation-messages.js';
import { statusOf } from '../status.js';

/** Tags of MutateRowsResponse and its entries. */
const tag = { entries: 0x0a, index: 0x08, status: 0x12 } as const;

/**
 * The message that answers rows `[start, end)`. `resource` is the full name of their table, for the
 * text of failures.
 */
export function encodeMutateRowsResponse(
  faults: readonly (RowsmithError | undefined)[],
  start: number,
  end: number,
  resource: string | undefined,
): Uint8Array {
  const w = new WireWriter();
  for (let index = start; index < end; index++) {
    const fault = faults[index];
    w.tag(tag.entries);
    const entry = w.open();
    if (index > 0) {
      w.tag(tag.index);
      w.varint32(index);
    }
    // Present but empty for what was written, as protobuf's own writers have it.
    w.tag(tag.status);
    const status = w.open();
    if (fault !== undefined) w.raw(Status.encode(statusOf(fault, resource)));
    w.close(status);
    w.close(entry);
  }
  return w.finish(0);
}
