/** Adds readings to rollup rows. Calls at the same time share one request for all their buckets. */
import { printable } from '../../bytes/index.js';
import { RowsmithError } from '../../errors.js';
import type { Engine, RowMutation } from '../../store/index.js';
import { BucketTotals } from './bucket-totals.js';
import type { Reading, ReadingMaker } from './reading.js';

/** The readings of one source row, one for each rollup. */
export interface CountedRow {
  readonly key: Uint8Array;
  readonly readings: readonly Reading[];
}

/** The errors of buckets, by the number of the rollup and the key. */
export type BucketErrors = ReadonlyMap<string, RowsmithError>;

/** The totals of rows by rollup and bucket. */
export class RowTotals {
  readonly byRollup: readonly Map<string, BucketTotals>[];
  readonly #makers: readonly ReadingMaker[];

  constructor(makers: readonly ReadingMaker[]) {
    this.#makers = makers;
    this.byRollup = makers.map(() => new Map<string, BucketTotals>());
  }

  /** Adds the readings of a row, one for each rollup. */
  add(readings: readonly Reading[]): void {
    for (let i = 0; i < readings.length; i++) {
      const reading = readings[i];
      const buckets = this.byRollup[i];
      let totals = buckets.get(reading.bucketText);
      if (totals === undefined) {
        totals = new BucketTotals(this.#makers[i].rollup, reading.bucket);
        buckets.set(reading.bucketText, totals);
      }
      totals.add(reading);
    }
  }
}

/** Buckets that are sent together. The promise resolves to the errors by bucket. */
interface Batch {
  readonly totals: readonly Map<string, BucketTotals>[];
  readonly sent: Promise<BucketErrors>;
}

/** The additions of one entity to its counted rollups. */
export class RollupSender {
  readonly #engine: Engine;
  readonly #entity: string;
  readonly #makers: readonly ReadingMaker[];
  /** Gathers readings until the request in flight has ended. */
  #next: Batch | undefined;
  #flight: Promise<unknown> = Promise.resolve();

  constructor(engine: Engine, entity: string, makers: readonly ReadingMaker[]) {
    this.#engine = engine;
    this.#entity = entity;
    this.#makers = makers;
  }

  /**
   * Adds rows that were written just now. Resolves to the error of each row that may not have been
   * counted; never rejects.
   */
  async add(rows: readonly CountedRow[]): Promise<readonly (RowsmithError | undefined)[]> {
    const totals = this.newTotals();
    for (const { readings } of rows) totals.add(readings);
    const errors = await this.addTotals(totals);
    return rows.map((row) => this.errorOf(row, errors));
  }

  /** Totals of rows, to be added when the rows are written. */
  newTotals(): RowTotals {
    return new RowTotals(this.#makers);
  }

  /** Adds the totals of rows. Resolves to the errors of the buckets; never rejects. */
  async addTotals({ byRollup }: RowTotals): Promise<BucketErrors> {
    const batch = (this.#next ??= this.#newBatch());
    byRollup.forEach((buckets, i) => {
      const all = batch.totals[i];
      for (const [name, totals] of buckets) {
        const known = all.get(name);
        if (known === undefined) all.set(name, totals);
        else known.merge(totals);
      }
    });
    return batch.sent;
  }

  /** The error of a row, given those of the buckets. */
  errorOf({ key, readings }: CountedRow, errors: BucketErrors): RowsmithError | undefined {
    if (errors.size === 0) return undefined;
    for (const [i, { bucketText }] of readings.entries()) {
      const cause = errors.get(`${i}:${bucketText}`);
      if (cause !== undefined) return this.#inexact(i, key, cause);
    }
    return undefined;
  }

  #newBatch(): Batch {
    const totals = this.#makers.map(() => new Map<string, BucketTotals>());
    const sent = this.#flight.then(() => {
      this.#next = undefined;
      return this.#send(totals);
    });
    this.#flight = sent.catch(() => undefined);
    return { totals, sent };
  }

  /** Never rejects. */
  async #send(all: readonly ReadonlyMap<string, BucketTotals>[]): Promise<BucketErrors> {
    const errors = new Map<string, RowsmithError>();
    const sends = all.map(async (buckets, i) => {
      const names = [...buckets.keys()];
      const rows = [...buckets.values()].map((totals): RowMutation => ({
        key: totals.bucket,
        mutations: totals.additions(),
      }));
      if (rows.length === 0) return;
      const table = this.#makers[i].rollup.rows.table.name;
      try {
        const results = await this.#engine.mutateRows(table, rows);
        results.forEach((error, at) => {
          if (error !== undefined) errors.set(`${i}:${names[at]}`, error);
        });
      } catch (error) {
        if (!(error instanceof RowsmithError)) throw error;
        for (const name of names) errors.set(`${i}:${name}`, error);
      }
    });
    await Promise.all(sends);
    return errors;
  }

  #inexact(i: number, key: Uint8Array, cause: RowsmithError): RowsmithError {
    const { name } = this.#makers[i].rollup;
    return new RowsmithError(
      'ROLLUP_INEXACT',
      {
        entity: this.#entity,
        property: name,
        problem: `the row was written, but rollup '${name}' may not have counted it`,
        fix: `do not write it again: call db.derived.rollups.rebuild(${this.#entity}, '${name}')`,
        key: printable(key),
      },
      { cause },
    );
  }
}
