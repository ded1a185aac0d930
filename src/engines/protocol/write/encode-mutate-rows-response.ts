/**
 * The status of each row -> MutateRowsResponse (google/bigtable/v2/bigtable.proto), without
 * allocating anything for rows with status OK.
 */
import { noBytes, type RowsmithError } from '../../../base/index.js';
import { WireWriter } from '../../../data/cell/index.js';
import { Status } from '../messages/operation-messages.js';
import { statusOf } from '../status.js';

/** Tags of MutateRowsResponse and its entries. */
const tag = { entries: 0x0a, index: 0x08, status: 0x12 } as const;

/**
 * The message for the rows of the request from index `first` on, one for each of `errors`.
 * `resource` is the full name of their table, for status texts.
 */
export function encodeMutateRowsResponse(
  errors: readonly (RowsmithError | undefined)[],
  first: number,
  resource: string | undefined,
): Uint8Array {
  const w = new WireWriter();
  const statuses = new StatusEncoder(resource);
  for (let i = 0; i < errors.length; i++) {
    const error = errors[i];
    const index = first + i;
    w.tag(tag.entries);
    const entry = w.open();
    if (index > 0) {
      w.tag(tag.index);
      w.varint32(index);
    }
    // Present but empty for OK, as in the output of protobuf's own encoders.
    w.tag(tag.status);
    const status = w.open();
    if (error !== undefined) w.raw(statuses.encode(error));
    w.close(status);
    w.close(entry);
  }
  return w.finish(0);
}

/** Encodes the statuses of errors. In a request with many errors most of them have one text. */
class StatusEncoder {
  #error: RowsmithError | undefined;
  #text = '';
  #code = 0;
  #bytes: Uint8Array = noBytes;
  readonly #resource: string | undefined;

  constructor(resource: string | undefined) {
    this.#resource = resource;
  }

  /** The encoded status, which is the same object as for the error before where it is equal. */
  encode(error: RowsmithError): Uint8Array {
    if (error === this.#error) return this.#bytes;
    this.#error = error;
    const status = statusOf(error, this.#resource);
    if (status.code === this.#code && status.message === this.#text) return this.#bytes;
    this.#code = status.code;
    this.#text = status.message;
    return (this.#bytes = Status.encode(status));
  }
}
