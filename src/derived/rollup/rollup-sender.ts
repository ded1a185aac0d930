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

/** Buckets that are sent together. The promise resolves to the errors by bucket. */
interface Batch {
  readonly totals: ReadonlyMap<string, BucketTotals>[];
  readonly sent: Promise<ReadonlyMap<string, RowsmithError>>;
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
    const batch = (this.#next ??= this.#newBatch());
    for (const { readings } of rows)
      readings.forEach((reading, i) => {
        const buckets = batch.totals[i] as Map<string, BucketTotals>;
        let totals = buckets.get(reading.bucketText);
        if (totals === undefined) {
          totals = new BucketTotals(this.#makers[i].rollup, reading.bucket);
          buckets.set(reading.bucketText, totals);
        }
        totals.add(reading);
      });
    const errors = await batch.sent;
    if (errors.size === 0) return rows.map(() => undefined);
    return rows.map(({ key, readings }) => {
      for (const [i, { bucketText }] of readings.entries()) {
        const cause = errors.get(`${i}:${bucketText}`);
        if (cause !== undefined) return this.#inexact(i, key, cause);
      }
      return undefined;
    });
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
  async #send(
    all: readonly ReadonlyMap<string, BucketTotals>[],
  ): Promise<ReadonlyMap<string, RowsmithError>> {
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
        fix: `do not write it again: call db.derived.rebuild(${this.#entity}, '${name}')`,
        key: printable(key),
      },
      { cause },
    );
  }
}
