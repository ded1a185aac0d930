/** Rows with all that follows from rows at once: the suites of writes in one transaction. */
import {
  Column,
  Entity,
  indexOn,
  indexes,
  Revision,
  rollups,
  rowKey,
  Segment,
  uniqueIndexOn,
} from '../../../src/index.js';
import type { Database } from '../../../src/entities/repository/database/database.js';
import {
  type CheckAndMutate,
  type Engine,
  type RowChanges,
  type RowReader,
} from '../../../src/data/store/index.js';
import { DelegatingEngine } from '../../support/delegating-engine.js';
import { programOver } from '../../support/program.js';
import { RowsmithError } from '../../../src/base/index.js';

export const start = Date.UTC(2026, 10, 26);

@Entity({ table: 'jobs', families: { m: {} } })
export class Job {
  static readonly key = rowKey('team', 'at', 'id');
  static readonly indexes = indexes({
    byStatus: indexOn('status').including('points'),
    byCode: uniqueIndexOn('code'),
  });
  static readonly rollups = rollups({
    daily: {
      by: ['team', { time: 'at', every: '1d' }],
      values: {
        rows: 'count',
        sum: { sum: 'points' },
        least: { min: 'points' },
        most: { max: 'points' },
        earliest: { first: 'note' },
        newest: { last: 'note' },
      },
    },
  });
  @Segment('string') team!: string;
  @Segment('timestamp') at!: Date;
  @Segment('uint') id!: number;
  @Column('m', 'string', { default: 'new' }) status?: string;
  @Column('m', 'string') code?: string;
  @Column('m', 'int32') points?: number;
  @Column('m', 'string') note?: string;
}

/** Its writes have a condition, so that a bulk write makes each in a call. */
@Entity({ table: 'tasks', families: { m: {} } })
export class Task extends Job {
  @Revision('m') revision?: string;
}

/** A program over an engine that is open. */
export const program = (engine: Engine): Database => programOver(engine, [Job, Task]);

/** Everything that a program can read of the rows. */
export async function readAll(db: Database, entity: typeof Job): Promise<unknown> {
  const repository = db.repository(entity);
  const { findings, rollups: checked } = await db.derived.verify(entity);
  const plain = (rows: readonly object[]): unknown =>
    rows.map((row) => ({ ...row, revision: undefined }));
  return {
    rows: plain(await repository.scanAll().all()),
    byStatus: plain(await repository.index('byStatus').scanAll().all()),
    covered: await repository.index('byStatus').covered().scanAll().all(),
    byCode: plain(await repository.index('byCode').scanAll().all()),
    daily: await repository.rollup('daily').scanAll().all(),
    findings: [...findings, ...(checked?.differences ?? [])],
  };
}

/** Keeps what an engine is asked to do. Its next transactions fail, or their answers are lost. */
export class Watched extends DelegatingEngine {
  readonly calls: string[] = [];
  refuses = 0;
  losesAnswers = false;

  transact<T>(bytes: number, work: (rows: RowReader) => RowChanges<T>): Promise<T> {
    this.calls.push('transact');
    if (this.refuses-- > 0) return Promise.reject(new RowsmithError('INVALID_ARGUMENT'));
    const made = this.engine.transact!(bytes, work);
    if (!this.losesAnswers) return made;
    return made.then(() => Promise.reject(new RowsmithError('UNAVAILABLE')));
  }

  override checkAndMutateRow(table: string, check: CheckAndMutate): Promise<boolean> {
    this.calls.push('checkAndMutateRow');
    return super.checkAndMutateRow(table, check);
  }
}

/** Leaves a mark in the bucket of a row: it stops before it adds to it. */
export class Stopping extends DelegatingEngine {
  override checkAndMutateRow(table: string, check: CheckAndMutate): Promise<boolean> {
    if (table.endsWith('_rollup')) return Promise.reject(new RowsmithError('STORAGE_FAILED'));
    return super.checkAndMutateRow(table, check);
  }
}
