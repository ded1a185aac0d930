/**
 * google.longrunning.Operations. Ours are complete when they are returned; clients may still poll
 * them.
 */
import {
  StatusError,
  statusCode,
  type ContentOf,
  type MessageType,
  type LongOperation,
} from '../../engines/protocol/index.js';

/** Operations that are kept, and their bytes. The newest is kept in any case. */
const maxKept = 1000;
const maxKeptBytes = 16 * 1024 * 1024;
/** What an operation takes besides its name, response and metadata. */
const operationBytes = 500;

/** google.protobuf.Any. */
interface Packed {
  readonly type_url: string;
  readonly value: Uint8Array;
}

/** An operation as it is kept. */
interface Kept extends ContentOf<typeof LongOperation> {
  readonly name: string;
  readonly response: Packed;
  readonly metadata: Packed;
}

/** The most recent operations of this server. */
export class Operations {
  readonly #kept = new Map<string, Kept>();
  #count = 0;
  #bytes = 0;

  /** Creates and keeps a completed operation on the resource. */
  finished<R, M>(
    resource: string,
    response: readonly [MessageType<R>, R],
    metadata: readonly [MessageType<M>, M],
  ): ContentOf<typeof LongOperation> {
    const name = `operations/${resource}/locations/local/operations/${++this.#count}`;
    const operation = {
      name,
      done: true,
      response: packed(...response),
      metadata: packed(...metadata),
    };
    this.#kept.set(name, operation);
    this.#bytes += bytesOf(operation);
    for (const [oldest, removed] of this.#kept) {
      const isFull = this.#kept.size > maxKept || this.#bytes > maxKeptBytes;
      if (!isFull || oldest === name) break;
      this.#kept.delete(oldest);
      this.#bytes -= bytesOf(removed);
    }
    return operation;
  }

  /** The operations of a project or of a resource, by name: `operations/projects/P`. */
  list(parent: string): readonly Kept[] {
    const found = [...this.#kept.values()].filter(({ name }) => name.startsWith(`${parent}/`));
    return found.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Forgets an operation; throws NOT_FOUND as `get` does. */
  delete(name: string | undefined): void {
    const operation = this.get(name);
    this.#kept.delete(operation.name);
    this.#bytes -= bytesOf(operation);
  }

  /** Throws NOT_FOUND for an unknown or forgotten operation. */
  get(name = ''): Kept {
    const operation = this.#kept.get(name);
    if (operation === undefined)
      throw new StatusError(statusCode.NOT_FOUND, `Operation not found: ${name}`);
    return operation;
  }
}

function bytesOf({ name, response, metadata }: Kept): number {
  return operationBytes + name.length + response.value.length + metadata.value.length;
}

function packed<T>(type: MessageType<T>, message: T): Packed {
  return { type_url: `type.googleapis.com/${type.shape.name}`, value: type.encode(message) };
}
