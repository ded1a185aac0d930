/**
 * Long-running operations. Ours are done when they are answered; clients may ask for them again.
 */
import {
  RequestFault,
  statusCode,
  type ContentOf,
  type MessageType,
  type Operation,
} from '../../protocol/index.js';

/** Operations that are remembered for GetOperation. */
const mostKept = 1000;

/** The operations that this server has answered. */
export class Operations {
  readonly #kept = new Map<string, ContentOf<typeof Operation>>();
  #count = 0;

  /** A finished operation about the resource. */
  finished<A, M>(
    resource: string,
    answer: readonly [MessageType<A>, A],
    metadata: readonly [MessageType<M>, M],
  ): ContentOf<typeof Operation> {
    const name = `operations/${resource}/locations/local/operations/${++this.#count}`;
    const operation = {
      name,
      done: true,
      response: packed(...answer),
      metadata: packed(...metadata),
    };
    this.#kept.set(name, operation);
    if (this.#kept.size > mostKept) this.#kept.delete(this.#kept.keys().next().value!);
    return operation;
  }

  /** An operation by its name. */
  get(name = ''): ContentOf<typeof Operation> {
    const operation = this.#kept.get(name);
    if (operation === undefined)
      throw new RequestFault(statusCode.NOT_FOUND, `Operation not found: ${name}`);
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
