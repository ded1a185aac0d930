/** What the reads of one request cost, and which rows they could not show. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { RowsmithError } from '../../../base/index.js';
import type { RowStream, Stage } from '../../../data/store/index.js';
import { countPage } from '../../../engines/observe/index.js';

/** Counts while `measured` runs. */
export class ReadMeter {
  requests = 0;
  rows = 0;
  bytes = 0;
  /** Errors of rows that were left out since `takeLeftOut`. */
  #leftOut: RowsmithError[] = [];
  /** How many were left out, by code. */
  readonly leftOutRows = new Map<string, number>();

  addLeftOut(error: RowsmithError): void {
    this.leftOutRows.set(error.code, (this.leftOutRows.get(error.code) ?? 0) + 1);
    if (this.#leftOut.length < maxLeftOut) this.#leftOut.push(error);
  }

  takeLeftOut(): readonly RowsmithError[] {
    const taken = this.#leftOut;
    this.#leftOut = [];
    return taken;
  }
}

/** Errors that are kept until they are taken. */
const maxLeftOut = 1_000;

const meters = new AsyncLocalStorage<ReadMeter>();

/** Runs a step of a request; what it reads is counted. */
export function measured<T>(meter: ReadMeter, step: () => T): T {
  return meters.run(meter, step);
}

/** Told of rows that cannot be read: an option of `open`. */
export function reportLeftOut(error: RowsmithError): void {
  meters.getStore()?.addLeftOut(error);
}

/** The stage that counts. */
export const meterStage: Stage = {
  read(request, send) {
    const meter = meters.getStore();
    if (meter === undefined) return send(request);
    meter.requests++;
    return meteredStream(send(request), meter);
  },
};

function meteredStream(inner: RowStream, meter: ReadMeter): RowStream {
  let restore = (): void => undefined;
  return {
    async next() {
      restore();
      const page = await inner.next();
      restore = page === undefined ? (): void => undefined : countPage(page, meter);
      return page;
    },
    async close() {
      restore();
      await inner.close();
    },
  };
}
