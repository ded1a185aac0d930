/** How long the requests of a run take. */
import type { RowStream, Stage } from '../../../data/store/index.js';

/** Latencies of one kind of request, in milliseconds. */
export interface RequestTimes {
  readonly kind: string;
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
}

const names = {
  readRows: 'reads, until the first page',
  mutateRow: 'writes of one row',
  mutateRows: 'writes of several rows',
  checkAndMutateRow: 'checks',
  readModifyWriteRow: 'increments and appends',
  dropRowRange: 'drops of rows',
  sampleRowKeys: 'samples of keys',
  tables: 'changes of tables',
} as const;
type Kind = keyof typeof names;

/** Measures the requests that succeed. */
export class RequestClock {
  readonly #times = new Map<Kind, number[]>();

  readonly stage: Stage = {
    read: (request, send) => this.#timedRead(send(request)),
    write: (request, send) => this.#timed(request.kind, send(request)),
    admin: (request, send) => {
      const { kind } = request;
      if (kind === 'close' || kind === 'compact') return send(request);
      return this.#timed(kind === 'sampleRowKeys' ? kind : 'tables', send(request));
    },
  };

  /** The latencies by kind of request. */
  get times(): readonly RequestTimes[] {
    return (Object.keys(names) as Kind[])
      .filter((kind) => this.#times.has(kind))
      .map((kind) => {
        const sorted = this.#times.get(kind)!.toSorted((a, b) => a - b);
        const at = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1];
        return { kind: names[kind], count: sorted.length, p50: at(0.5), p99: at(0.99) };
      });
  }

  async #timed<T>(kind: Kind, request: Promise<T>): Promise<T> {
    const started = performance.now();
    const result = await request;
    this.#record(kind, started);
    return result;
  }

  #timedRead(stream: RowStream): RowStream {
    let started: number | undefined = performance.now();
    return {
      next: async () => {
        const page = await stream.next();
        if (started !== undefined) this.#record('readRows', started);
        started = undefined;
        return page;
      },
      close: () => stream.close(),
    };
  }

  #record(kind: Kind, started: number): void {
    const times = this.#times.get(kind) ?? [];
    times.push(performance.now() - started);
    this.#times.set(kind, times);
  }
}
