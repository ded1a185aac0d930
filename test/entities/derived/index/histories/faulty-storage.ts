/**
 * Storage that several programs share, one request after the other in an order that a seed chooses.
 * Requests fail, are lost after they were applied, arrive after their senders gave them up, or are
 * the last of a program that is killed.
 */
import { RowsmithError } from '../../../../../src/index.js';
import type { Engine, RowStream } from '../../../../../src/data/store/index.js';

/** 0 <= random() < 1, the same for the same seed. */
export function randomOf(seed: number): () => number {
  let state = seed + 1;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export type FaultKind = 'fails' | 'refused' | 'lost' | 'late' | 'killed before' | 'killed after';
export const faultKinds: readonly FaultKind[] = [
  'fails',
  'refused',
  'lost',
  'late',
  'killed before',
  'killed after',
];
const writeCalls = new Set([
  'mutateRow',
  'mutateRows',
  'checkAndMutateRow',
  'readModifyWriteRow',
  'transact',
]);

interface PendingCall {
  readonly client: Client;
  readonly run: () => Promise<void>;
}

/** One program's connection. */
export interface Client {
  readonly engine: Engine;
  /** Resolves when the program is killed. */
  readonly killed: Promise<void>;
  isDead: boolean;
  readonly kill: () => void;
  /** After `close` of its engine: later requests are rejected, and earlier ones are made. */
  isClosed: boolean;
  /** Called before each of its requests. */
  onRequest: () => void;
}

export class FaultyStorage {
  /** What was injected, for the report of a history that fails. */
  readonly injected: string[] = [];
  readonly #engine: Engine;
  readonly #random: () => number;
  #faults: number;
  #pending: PendingCall[] = [];
  readonly #late: (() => Promise<unknown>)[] = [];
  #connections = 0;

  constructor(engine: Engine, random: () => number, faults: number) {
    this.#engine = engine;
    this.#random = random;
    this.#faults = faults;
  }

  /** Requests that may still arrive. */
  get late(): number {
    return this.#late.length;
  }

  /**
   * A connection; one without faults never fails. Every second one has transactions, if the engine
   * has: programs of both kinds write the same rows.
   */
  connect(name: string, faulty = true): Client {
    const transacts = this.#connections++ % 2 === 1;
    let kill = (): void => undefined;
    const killed = new Promise<void>((resolve) => (kill = resolve));
    const engine = new Proxy(this.#engine, {
      get: (target, method: string) => {
        if (method === 'transact' && !transacts) return undefined;
        // The storage is open as long as its other programs are.
        if (method === 'close') return async () => void (client.isClosed = true);
        const value: unknown = Reflect.get(target, method, target);
        if (typeof value !== 'function') return value;
        const call = (...args: unknown[]): unknown => Reflect.apply(value, target, args);
        if (method === 'readRows')
          return (...args: unknown[]) =>
            this.#stream(client, faulty, () => call(...args) as RowStream);
        if (!writeCalls.has(method)) return call;
        return (...args: unknown[]) =>
          this.#write(
            client,
            faulty ? `${name}: ${method}` : undefined,
            () => call(...args) as Promise<unknown>,
          );
      },
    });
    const client: Client = {
      engine,
      killed,
      isDead: false,
      kill,
      isClosed: false,
      onRequest: () => undefined,
    };
    return client;
  }

  /** Makes requests, one at a time, until all programs have ended or were killed. */
  async run(programs: readonly Promise<void>[]): Promise<void> {
    let active = programs.length;
    for (const program of programs) void program.finally(() => active--);
    let idle = 0;
    while (active > 0) {
      await new Promise(setImmediate);
      this.#pending = this.#pending.filter(({ client }) => !client.isDead);
      // A program may be between two requests. The seed alone decides, not how long that takes.
      if (this.#pending.length === 0) {
        if (++idle > 20) await new Promise((resolve) => setTimeout(resolve, 1));
        continue;
      }
      idle = 0;
      if (this.#late.length > 0 && this.#random() < 0.2) await this.#arrive();
      const at = Math.floor(this.#random() * this.#pending.length);
      const [next] = this.#pending.splice(at, 1);
      next.client.onRequest();
      await next.run();
    }
  }

  /** The requests that are still on their way arrive, or never do. */
  async settle(): Promise<void> {
    while (this.#late.length > 0) await this.#arrive();
  }

  async #arrive(): Promise<void> {
    const [late] = this.#late.splice(Math.floor(this.#random() * this.#late.length), 1);
    if (this.#random() < 0.8) await late().catch(() => undefined);
  }

  #fault(): FaultKind | undefined {
    if (this.#faults === 0 || this.#random() > 0.1) return undefined;
    this.#faults--;
    return faultKinds[Math.floor(this.#random() * faultKinds.length)];
  }

  #write(client: Client, name: string | undefined, call: () => Promise<unknown>): Promise<unknown> {
    if (client.isClosed) return Promise.reject(closedError());
    return new Promise((resolve, reject) => {
      const unavailable = (): void => reject(new RowsmithError('UNAVAILABLE'));
      const run = async (): Promise<void> => {
        const fault = name === undefined ? undefined : this.#fault();
        if (fault !== undefined) this.injected.push(`${name} ${fault}`);
        switch (fault) {
          case undefined:
            return call().then(resolve, reject);
          case 'fails':
            return unavailable();
          case 'refused':
            return reject(new RowsmithError('STORAGE_FAILED'));
          case 'lost':
            return call().then(unavailable, unavailable);
          case 'late':
            // A transaction is never on its way: it is made in the program that asks for it.
            if (!name!.endsWith('transact')) this.#late.push(call);
            return unavailable();
          case 'killed after':
            await call().catch(() => undefined);
            return this.#kill(client);
          case 'killed before':
            return this.#kill(client);
        }
      };
      this.#pending.push({ client, run });
    });
  }

  #kill(client: Client): void {
    client.isDead = true;
    client.kill();
  }

  /** A read takes its turn with its first page. */
  #stream(client: Client, faulty: boolean, open: () => RowStream): RowStream {
    let stream: RowStream | undefined;
    return {
      next: async () => {
        if (stream !== undefined) return stream.next();
        if (client.isClosed) throw closedError();
        return new Promise((resolve, reject) => {
          const run = async (): Promise<void> => {
            const fault = faulty ? this.#fault() : undefined;
            if (fault !== undefined) {
              this.injected.push(`a read ${fault}`);
              return reject(new RowsmithError('UNAVAILABLE'));
            }
            stream = open();
            await stream.next().then(resolve, reject);
          };
          this.#pending.push({ client, run });
        });
      },
      close: async () => stream?.close(),
    };
  }
}

function closedError(): RowsmithError {
  return new RowsmithError('DATABASE_CLOSED');
}
