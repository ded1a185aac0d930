/** The first row of an index, behind the entries of rows that garbage collection has expired. */
import { setTimeout as wait } from 'node:timers/promises';
import { Column, Entity, Segment } from '../../../decorators/index.js';
import { type Database, indexOn, indexes, maxAge, rowKey } from '../../../src/index.js';
import { interleave } from '../../interleave.js';
import { progress, type Results } from '../../results.js';

/** Longer than the queries between two writes of the row that they find. */
const ageMillis = 15_000;
const families = { m: { gc: maxAge(ageMillis) } };

@Entity({ table: 'sessions', families })
export class Session {
  static readonly key = rowKey('name');
  static readonly indexes = indexes({ byState: indexOn('state', 'startedAt') });
  @Segment('string') name!: string;
  @Column('m', 'string') state?: string;
  @Column('m', 'timestamp') startedAt?: Date;
}

/** None of its rows has expired. */
@Entity({ table: 'new_sessions', families })
export class NewSession extends Session {}

const expiredRows = 20_000;
const rounds = 9;
const variants = { 'nothing expired': NewSession, [`${expiredRows} expired`]: Session };

/** `first()` of two indexes of one row each: only one has had other rows before. */
export async function measureExpired(
  results: Results,
  name: string,
  db: Database,
  canCompact: boolean,
): Promise<void> {
  progress(`${name}.expired: rows are written and expire`);
  const started = Date.now();
  await store(db, Session, started, expiredRows);
  await wait(ageMillis + 1_000);
  const measure = (when: string) => measureFirst(results, `${name}.expired.${when}`, db, started);
  await measure('as it is');
  if (canCompact) {
    await db.engine.compact();
    await measure('compacted');
  }
  for (const entity of Object.values(variants)) await db.derived.repair(entity);
  await measure('repaired');
  if (!canCompact) return;
  await db.engine.compact();
  await measure('repaired and compacted');
}

async function measureFirst(
  results: Results,
  name: string,
  db: Database,
  started: number,
): Promise<void> {
  // Its entry is behind those of the other rows.
  for (const entity of Object.values(variants)) await store(db, entity, started + expiredRows, 1);
  const first = async (entity: typeof Session): Promise<number> => {
    const query = db.repository(entity).index('byState').prefix({ state: 'open' });
    if ((await query.first()) === undefined) throw new Error('The row was not found.');
    return 1;
  };
  const timings = await interleave(
    Object.entries(variants).map(([variant, entity]) => ({
      name: variant,
      run: () => first(entity),
    })),
    rounds,
    2,
  );
  const [nothing, expired] = Object.keys(variants);
  results.addTiming(`${name}.${nothing}`, timings.get(nothing)!, 'us');
  results.addTiming(`${name}.${expired}`, timings.get(expired)!, 'us', {
    with: timings.get(nothing)!,
    of: nothing,
    target: name.endsWith('compacted') ? { kind: 'atMost', ratio: 2 } : undefined,
  });
}

async function store(
  db: Database,
  entity: typeof Session,
  from: number,
  count: number,
): Promise<void> {
  const sessions = db.repository(entity);
  const rows = Array.from({ length: count }, (_, n) =>
    sessions.create({ name: `session-${from + n}`, state: 'open', startedAt: new Date(from + n) }),
  );
  const { failures } = await sessions.saveMany(rows);
  if (failures.length > 0) throw failures[0].error;
}
