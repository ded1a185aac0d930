/**
 * google.longrunning.Operations. Ours are complete when they are returned; clients may still poll
 * them.
 */
import {
  StatusError,
  statusCode,
  type ContentOf,
  type MessageType,
  type Operation,
} from '../../protocol/index.js';

/** Operations that are kept for GetOperation. */
const maxKept = 1000;

/** The most recent operations of this server. */
export class Operations {
  readonly #kept = new Map<string, ContentOf<typeof Operation>>();
  #count = 0;

  /** Creates and keeps a completed operation on the resource. */
  finished<R, M>(
    resource: string,
    response: readonly [MessageType<R>, R],
    metadata: readonly [MessageType<M>, M],
  ): ContentOf<typeof Operation> {
    const name = `operations/${resource}/locations/local/operations/${++this.#count}`;
    const operation = {
      name,
      done: true,
      response: packed(...response),
      metadata: packed(...metadata),
    };
    this.#kept.set(name, operation);
    if (this.#kept.size > maxKept) this.#kept.delete(this.#kept.keys().next().value!);
    return operation;
  }

  /** Throws NOT_FOUND for an unknown or forgotten operation. */
  get(name = ''): ContentOf<typeof Operation> {
    const operation = this.#kept.get(name);
    if (operation === undefined)
      throw new StatusError(statusCode.NOT_FOUND, `Operation not found: ${name}`);
    return operation;
  }
}

/** google.protobuf.Any. */
function packed<T>(
  type: MessageType<T>,
  message: T,
): { readonly type_url: string; readonly value: Uint8Array } {
  return { type_url: `type.googleapis.com/${type.shape.name}`, value: type.encode(message) };
}
