/** google.longrunning.Operations: what the admin services do and have done. */
import { setTimeout as delay } from 'node:timers/promises';
import type { FaultTexts } from '../../base/index.js';
import {
  StatusError,
  statusCode,
  statusOf,
  type ContentOf,
  type MessageType,
  type LongOperation,
} from '../../engines/protocol/index.js';

/** Complete operations that are kept, and their bytes. The newest is kept in any case. */
const maxKept = 1000;
const maxKeptBytes = 16 * 1024 * 1024;
/** What an operation takes besides its name, response and metadata. */
const operationBytes = 500;
/** Operations that run at a time: each holds some MiB of rows. */
const maxRunning = 16;
/** Milliseconds after which a call returns an operation that still runs. */
const promptMs = 50;

/** google.protobuf.Any. */
interface Packed {
  readonly type_url: string;
  readonly value: Uint8Array;
}

type OperationContent = ContentOf<typeof LongOperation> & { readonly name: string };

/** A message with its type. */
export type Typed<T> = readonly [type: MessageType<T>, message: T];

/** An operation that has not ended. */
interface Running {
  readonly content: () => OperationContent;
  readonly abort: AbortController;
  /** Deleted by a client that is not interested in its result. */
  isForgotten: boolean;
  /** Resolves when it has ended, with or without success. */
  readonly ended: Promise<void>;
}

/** The running and the most recent operations of this server. */
export class Operations {
  readonly #running = new Map<string, Running>();
  readonly #kept = new Map<string, OperationContent>();
  #count = 0;
  #bytes = 0;

  /** Creates and keeps a completed operation on the resource. */
  finished<R, M>(resource: string, response: Typed<R>, metadata: Typed<M>): OperationContent {
    const operation = {
      name: this.#newName(resource),
      done: true,
      response: packed(...response),
      metadata: packed(...metadata),
    };
    this.#keep(operation);
    return operation;
  }

  /** RESOURCE_EXHAUSTED if no further operation may run. */
  assertNotBusy(): void {
    if (this.#running.size < maxRunning) return;
    throw new StatusError(statusCode.RESOURCE_EXHAUSTED, faults.tooManyRunning.problem);
  }

  /**
   * Starts an operation on the resource, and returns it once it has ended, or after a moment.
   * `work` stops when its signal is aborted, and undoes what it has done if it fails.
   */
  async started<R, M>(
    resource: string,
    metadataOf: () => Typed<M>,
    work: (signal: AbortSignal) => Promise<Typed<R>>,
  ): Promise<OperationContent> {
    const name = this.#newName(resource);
    const abort = new AbortController();
    const content = (): OperationContent => ({ name, metadata: packed(...metadataOf()) });
    const end = (outcome: object): void => {
      const isForgotten = this.#running.get(name)?.isForgotten === true;
      this.#running.delete(name);
      if (!isForgotten) this.#keep({ ...content(), done: true, ...outcome });
    };
    const ended = work(abort.signal).then(
      (response) => end({ response: packed(...response) }),
      (error: unknown) => end({ error: statusOf(error) }),
    );
    this.#running.set(name, { content, abort, isForgotten: false, ended });
    await settled(ended, promptMs);
    return this.#kept.get(name) ?? content();
  }

  #newName(resource: string): string {
    return `operations/${resource}/locations/local/operations/${++this.#count}`;
  }

  #keep(operation: OperationContent): void {
    this.#kept.set(operation.name, operation);
    this.#bytes += bytesOf(operation);
    for (const [oldest, removed] of this.#kept) {
      const isFull = this.#kept.size > maxKept || this.#bytes > maxKeptBytes;
      if (!isFull || oldest === operation.name) break;
      this.#kept.delete(oldest);
      this.#bytes -= bytesOf(removed);
    }
  }

  /** The operations of a project or of a resource, by name: `operations/projects/P`. */
  list(parent: string): readonly OperationContent[] {
    const running = [...this.#running.values()]
      .filter(({ isForgotten }) => !isForgotten)
      .map(({ content }) => content());
    const found = [...this.#kept.values(), ...running].filter(({ name }) =>
      name.startsWith(`${parent}/`),
    );
    return found.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Forgets an operation, and does not stop it; throws NOT_FOUND as `get` does. */
  delete(name: string | undefined): void {
    const operation = this.get(name);
    const running = this.#running.get(operation.name);
    if (running !== undefined) {
      running.isForgotten = true;
      return;
    }
    this.#kept.delete(operation.name);
    this.#bytes -= bytesOf(operation);
  }

  /** Throws NOT_FOUND for an unknown or forgotten operation. */
  get(name = ''): OperationContent {
    const running = this.#running.get(name);
    const isShown = running !== undefined && !running.isForgotten;
    const operation = isShown ? running.content() : this.#kept.get(name);
    if (operation === undefined)
      throw new StatusError(statusCode.NOT_FOUND, `Operation not found: ${name}`);
    return operation;
  }

  /** The operation when it has ended, or after `ms` milliseconds, or when the caller has gone. */
  async wait(name: string | undefined, ms: number, signal: AbortSignal): Promise<OperationContent> {
    const { name: found } = this.get(name);
    const running = this.#running.get(found);
    if (running !== undefined) await settled(running.ended, ms, signal);
    return this.#kept.get(found) ?? this.get(found);
  }

  /** Asks an operation to stop; it ends with CANCELLED. One that has ended is left alone. */
  cancel(name: string | undefined): void {
    const running = this.#running.get(this.get(name).name);
    running?.abort.abort(new StatusError(statusCode.CANCELLED, faults.cancelled.problem));
  }

  /** Stops all operations, and waits for them. */
  async close(): Promise<void> {
    for (const { abort } of this.#running.values())
      abort.abort(new StatusError(statusCode.UNAVAILABLE, faults.serverStopped.problem));
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
  }
}

/** Waits for a promise that does not reject, up to `ms` milliseconds. */
async function settled(ended: Promise<void>, ms: number, signal?: AbortSignal): Promise<void> {
  const timer = new AbortController();
  const stop = (): void => timer.abort();
  signal?.addEventListener('abort', stop);
  await Promise.race([
    ended,
    delay(ms, undefined, { signal: timer.signal }).catch(() => undefined),
  ]);
  timer.abort();
  signal?.removeEventListener('abort', stop);
}

function bytesOf({ name, response, metadata }: OperationContent): number {
  const values = [response, metadata].map((each) => each?.value?.length ?? 0);
  return operationBytes + name.length + values[0] + values[1];
}

function packed<T>(type: MessageType<T>, message: T): Packed {
  return { type_url: `type.googleapis.com/${type.shape.name}`, value: type.encode(message) };
}

const faults = {
  tooManyRunning: {
    problem: `${maxRunning} backups and restores are running. Wait until one has ended.`,
  },
  cancelled: { problem: 'The operation was cancelled.' },
  serverStopped: { problem: 'The server was stopped.' },
} satisfies FaultTexts;
