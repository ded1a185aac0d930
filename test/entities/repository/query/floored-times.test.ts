/**
 * Conditions on floored times. `where` compares the time that the entity shows with the operand,
 * floored as the segment floors it. Found by an attack: `{ above: t }` matched the row at t.
 */
import {
  Column,
  type Database,
  Entity,
  indexOn,
  indexes,
  open,
  rowKey,
  Segment,
} from '../../../../src/index.js';
import fc from '../../../support/fast-check.js';
import { backEnds } from '../support/back-ends.js';

const hour = 3_600_000;
const day = 24 * hour;

/** A class for each declaration that floors, with the width of its buckets. */
class Bucket {
  static readonly key = rowKey('id', 'at', 'last');
  @Segment('string') id!: string;
  at!: Date | null;
  @Segment('bool') last!: boolean;
  @Column('f', 'float') value?: number;
}

@Entity({ table: 'hours', families: { f: {} } })
class Hours extends Bucket {
  @Segment('timestamp', { floor: 'hour' }) declare at: Date;
}

@Entity({ table: 'hours_desc', families: { f: {} }, shards: { count: 2, by: ['id'] } })
class NewestHours extends Bucket {
  @Segment('timestamp', { floor: 'hour', order: 'desc' }) declare at: Date;
}

@Entity({ table: 'days', families: { f: {} } })
class Days extends Bucket {
  @Segment('timestamp', { floor: 'day', nullable: true }) declare at: Date | null;
}

@Entity({ table: 'iso_days', families: { f: {} } })
class IsoDays extends Bucket {
  @Segment('isoDate', { precision: 'day' }) declare at: Date;
}

@Entity({ table: 'ordered_days', families: { f: {} }, keyFormat: 'ordered' })
class OrderedDays extends Bucket {
  @Segment('isoDate', { precision: 'day', order: 'desc', nullable: true }) declare at: Date | null;
}

@Entity({ table: 'quarters', families: { f: {} } })
class Quarters extends Bucket {
  @Segment('timestamp', { floor: hour / 4, order: 'desc' }) declare at: Date;
}

@Entity({ table: 'ordered_seconds', families: { f: {} }, keyFormat: 'ordered' })
class OrderedSeconds extends Bucket {
  @Segment('timestamp', { floor: 1000 }) declare at: Date;
}

@Entity({ table: 'seconds', families: { f: {} } })
class Seconds extends Bucket {
  @Segment('timestamp', { floor: 1000, unit: 's' }) declare at: Date;
}

const declarations = [
  { entity: Hours, width: hour },
  { entity: NewestHours, width: hour },
  { entity: Days, width: day, nullable: true },
  { entity: IsoDays, width: day },
  { entity: OrderedDays, width: day, nullable: true },
  { entity: Quarters, width: hour / 4 },
  { entity: OrderedSeconds, width: 1000 },
  { entity: Seconds, width: 1000 },
] as const;

/** Times around the first four buckets after and before 1970, in widths of a bucket. */
const times = fc.constantFrom(-2, -1.5, -1, 0, 0.001, 0.5, 0.999, 1, 1.001, 2, 2.5, 3);
const operators = ['above', 'atLeast', 'below', 'atMost', 'not', 'oneOf', 'noneOf', 'equals'];

type Test = readonly [operator: string, values: readonly number[]];
const tests: fc.Arbitrary<readonly Test[]> = fc
  .uniqueArray(fc.constantFrom(...operators), { minLength: 1, maxLength: 3 })
  .filter((names) => names.length === 1 || !names.includes('equals'))
  .chain((names) =>
    fc.tuple(
      ...names.map((name) =>
        fc.tuple(fc.constant(name), fc.array(times, { minLength: 1, maxLength: 3 })),
      ),
    ),
  );

/** The condition as it is passed to where(). */
function conditionOf(checks: readonly Test[], width: number): unknown {
  const date = (n: number): Date => new Date(Math.round(n * width));
  if (checks[0][0] === 'equals') return date(checks[0][1][0]);
  return Object.fromEntries(
    checks.map(([operator, values]) => {
      if (operator === 'oneOf' || operator === 'noneOf') return [operator, values.map(date)];
      return [operator, date(values[0])];
    }),
  );
}

/** Whether a time that an entity shows meets the checks: both sides as numbers of buckets. */
function meets(at: Date | null, checks: readonly Test[], width: number): boolean {
  if (at === null) return false;
  const bucket = at.getTime() / width;
  return checks.every(([operator, values]) => {
    const buckets = values.map((n) => Math.floor(Math.round(n * width) / width));
    switch (operator) {
      case 'above':
        return bucket > buckets[0];
      case 'atLeast':
        return bucket >= buckets[0];
      case 'below':
        return bucket < buckets[0];
      case 'atMost':
        return bucket <= buckets[0];
      case 'not':
        return bucket !== buckets[0];
      case 'noneOf':
        return !buckets.includes(bucket);
      case 'oneOf':
        return buckets.includes(bucket);
      default:
        return bucket === buckets[0];
    }
  });
}

/** The repositories of all classes, as one of them. */
const repositoryOf = (db: Database, entity: (typeof declarations)[number]['entity']) =>
  db.repository(entity);

describe.each(backEnds)('on $name', ({ open: openOn, name }) => {
  let db: Database;
  let close: () => Promise<void>;

  beforeAll(async () => {
    ({ db, close } = await openOn(declarations.map(({ entity }) => entity)));
    for (const declaration of declarations) {
      const repository = repositoryOf(db, declaration.entity);
      // Text seconds cannot be before 1970: floored ones can.
      const stored = [-2, -1, 0, 1, 2, 3].map((n) => new Date(n * declaration.width));
      const all: (Date | null)[] = 'nullable' in declaration ? [null, ...stored] : stored;
      const rows = all.flatMap((at, i) => [
        repository.create({ id: 'a', at, last: false, value: i }),
        repository.create({ id: 'b', at, last: true, value: i }),
      ]);
      expect((await repository.saveMany(rows)).failures).toEqual([]);
    }
  });
  afterAll(() => close());

  test.each(declarations)('$entity.name', async ({ entity, width }) => {
    const repository = repositoryOf(db, entity);
    const rows = await repository.scanAll().all();
    await fc.assert(
      fc.asyncProperty(tests, fc.boolean(), async (checks, reverse) => {
        const expected = rows.filter(({ at }) => meets(at, checks, width));
        if (reverse) expected.reverse();
        const query = reverse ? repository.scanAll().reverse() : repository.scanAll();
        const found = query.where({ at: conditionOf(checks, width) as Date });
        expect(await found.all()).toEqual(expected);
        expect(await found.count()).toBe(expected.length);
      }),
      { numRuns: Number(process.env.RUNS ?? (name.startsWith('live') ? 10 : 25)) },
    );
  });
});

test('a time is above, equal to or below another one', async () => {
  await using db = await open('memory:', { entities: [IsoDays] });
  const repository = db.repository(IsoDays);
  const start = new Date('2026-11-20T00:00:00.000Z');
  await repository.save(repository.create({ id: 'a', at: start, last: false, value: 1 }));
  const count = (at: object): Promise<number> => repository.scanAll().where({ at: at }).count();
  expect(await count({ above: start })).toBe(0);
  expect(await count({ above: start, atMost: start })).toBe(0);
  expect(await count({ atLeast: start, atMost: start })).toBe(1);
  expect(await count({ below: start })).toBe(0);
  const noon = new Date('2026-11-20T12:00:00.000Z');
  expect(await count(noon)).toBe(1);
  expect(await count({ atLeast: noon, atMost: noon })).toBe(1);
  expect(await count({ above: noon })).toBe(0);
  expect(await count({ below: noon })).toBe(0);
});

@Entity({ table: 'visits', families: { f: {} } })
class Visit {
  static readonly key = rowKey('id');
  static readonly indexes = indexes({
    byDay: indexOn({ segment: 'at', floor: 'day' }).including('page'),
  });
  @Segment('string') id!: string;
  @Column('f', 'timestamp') at?: Date;
  @Column('f', 'string') page?: string;
}

test('entries of an index show a floored time, rows the exact one', async () => {
  await using db = await open('memory:', { entities: [Visit] });
  const visits = db.repository(Visit);
  const noon = new Date('2026-11-20T12:00:00.000Z');
  const start = new Date('2026-11-20T00:00:00.000Z');
  await visits.save(visits.create({ id: 'v', at: noon, page: '/' }));
  const above = { at: { above: start } } as const;
  expect(await visits.index('byDay').scanAll().where(above).count()).toBe(1);
  expect(await visits.index('byDay').covered().scanAll().where(above).count()).toBe(0);
});

test('conditions of writes round a float as where() does', async () => {
  await using db = await open('memory:', { entities: [Hours] });
  const repository = db.repository(Hours);
  const key = { id: 'a', at: new Date(0), last: false };
  await repository.save(repository.create({ ...key, value: 0.1 }));
  expect(await repository.scanAll().where({ value: 0.1 }).count()).toBe(1);
  expect(
    await repository
      .scanAll()
      .where({ value: { above: 0.1 } })
      .count(),
  ).toBe(0);
  await repository.patch(key, { value: 2 }, { if: { equals: { value: 0.1 } } });
  expect((await repository.get(key))?.value).toBe(2);
});
