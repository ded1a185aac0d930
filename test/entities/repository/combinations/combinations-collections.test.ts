/** Collections, series, deletions and groups with gaps, at random, against plain JavaScript. */
import { type Database } from '../../../../src/index.js';
import fc from '../../../support/fast-check.js';
import { backEnds } from '../support/back-ends.js';
import type { Row } from './combination-cases.js';
import {
  devices,
  entities,
  fillRows,
  PlainEvent,
  PlainHour,
  quarter,
  SpreadEvent,
  SpreadHour,
  tenants,
} from './combination-entities.js';

interface Untyped {
  [method: string]: (...args: unknown[]) => Untyped;
}
interface Results<R = Row> {
  all(): Promise<R[]>;
  first(): Promise<R | undefined>;
  count(): Promise<number>;
  page(request: { size: number; after?: string }): Promise<{ rows: R[]; next?: string }>;
}
interface Member {
  readonly kind: string;
  readonly entity: Row;
}

const runs = Number(process.env.RUNS ?? 4);
const pairs = [
  ['plain', PlainEvent, PlainHour],
  ['sharded', SpreadEvent, SpreadHour],
] as const;

const collectionCase = fc.record(
  {
    prefix: fc.record(
      { tenant: fc.constantFrom(...tenants), device: fc.constantFrom(...devices) },
      { requiredKeys: ['tenant'] },
    ),
    scope: fc.boolean(),
    all: fc.boolean(),
    reverse: fc.boolean(),
    only: fc.constantFrom('event', 'hour'),
    limit: fc.integer({ min: 1, max: 7 }),
    limits: fc.record(
      { event: fc.integer({ min: 1, max: 4 }), hour: fc.integer({ min: 1, max: 4 }) },
      { requiredKeys: [] },
    ),
    select: fc.record(
      { event: fc.subarray(['value', 'tags', 'status']), hour: fc.subarray(['unit', 'readings']) },
      { requiredKeys: [] },
    ),
    group: fc.constantFrom('tenant', 'device'),
    size: fc.integer({ min: 1, max: 5 }),
  },
  { requiredKeys: ['prefix', 'scope', 'all', 'reverse', 'size'] },
);

const timed = fc.record(
  {
    tenant: fc.constantFrom(...tenants),
    device: fc.constantFrom(...devices),
    from: fc.integer({ min: 0, max: 150 }),
    to: fc.integer({ min: 100, max: 400 }),
    limit: fc.integer({ min: 1, max: 9 }),
    newestFirst: fc.boolean(),
    unit: fc.constantFrom<unknown>('C', null, { not: null }),
  },
  { requiredKeys: ['tenant', 'device'] },
);

describe.each(backEnds)('on $name', ({ open }) => {
  let db: Database;
  let close: () => Promise<void>;
  beforeAll(async () => {
    let back = 0;
    ({ db, close } = await open(entities, { clock: () => Date.now() - back }));
    await fillRows(db, (hours) => (back = hours * 3_600_000));
  });
  afterAll(() => close());

  test.each(pairs)(
    'collections of %s rows',
    async (_name, event, hour) => {
      const sorted = await rowsInKeyOrder(db, { event, hour });
      await fc.assert(
        fc.asyncProperty(collectionCase, async (test) => {
          const { prefix, select = {}, group, size } = test;
          const scoped = test.scope && !test.all;
          const root = scoped ? db.scope({ tenant: prefix.tenant } as never) : db;
          const members = (root as Database).collection({ event, hour }) as unknown as Untyped;
          const { tenant, ...rest } = prefix;
          const given = scoped ? rest : { tenant, ...rest };
          let query =
            Object.keys(given).length === 0 || test.all ? members.scanAll() : members.prefix(given);
          if (test.reverse) query = query.reverse();
          if (test.only !== undefined) query = query.only(test.only);
          if (test.limits !== undefined) query = query.limit(test.limits);
          if (test.limit !== undefined) query = query.limit(test.limit);
          query = query.select(select);
          let rows = sorted.filter(
            ({ kind, entity }) =>
              (test.all ||
                Object.entries(prefix).every(([name, value]) => entity[name] === value)) &&
              (test.only ?? kind) === kind &&
              isSelected(entity, select[kind as 'event']),
          );
          if (test.reverse) rows.reverse();
          const isGrouped = group !== undefined && !(scoped && group === 'tenant');
          const names = group === 'tenant' ? ['tenant'] : ['tenant', 'device'];
          const groupOf = ({ entity }: Member): string =>
            isGrouped ? JSON.stringify(names.map((name) => entity[name])) : '';
          const seen = new Map<string, number>();
          rows = rows.filter((row) => {
            const text = `${groupOf(row)} ${row.kind}`;
            seen.set(text, (seen.get(text) ?? 0) + 1);
            return seen.get(text)! <= (test.limits?.[row.kind as 'event'] ?? Infinity);
          });
          const shown = ({ kind, entity }: Member): string => {
            const list = select[kind as 'event'];
            const time = kind === 'event' ? 'at' : 'hour';
            const keys = ['tenant', 'device', time].filter(
              (name) => !scoped || list === undefined || name !== 'tenant',
            );
            return text([
              kind,
              ...Object.entries(entity)
                .filter(
                  ([name, value]) =>
                    value !== undefined &&
                    (list === undefined || list.includes(name as never) || keys.includes(name)),
                )
                .sort(byText),
            ]);
          };
          if (!isGrouped) {
            const expected = rows.slice(0, test.limit).map(shown);
            await checkPages(query as unknown as Results, expected, size, (row) => {
              const { kind, entity } = row as unknown as Member;
              return text([
                kind,
                ...Object.entries(entity)
                  .filter(([, value]) => value !== undefined)
                  .sort(byText),
              ]);
            });
            return;
          }
          const groups = [...new Set(rows.map(groupOf))].slice(0, test.limit);
          const expected = groups.map((each) =>
            text(
              rows
                .filter((row) => groupOf(row) === each)
                .map(shown)
                .sort(byText),
            ),
          );
          await checkPages(query.groupBy(group) as unknown as Results, expected, size, (row) =>
            text(
              Object.entries(row.members as Record<string, Row[]>)
                .flatMap(([kind, list]) =>
                  list.map((entity) =>
                    text([
                      kind,
                      ...Object.entries(entity)
                        .filter(([, value]) => value !== undefined)
                        .sort(byText),
                    ]),
                  ),
                )
                .sort(byText),
            ),
          );
        }),
        { numRuns: runs },
      );
    },
    600_000,
  );

  test.each(pairs)(
    'series of %s rows',
    async (_name, _event, hour) => {
      const stored = (await (db.repository(hour).scanAll().all() as Promise<unknown>)) as Row[];
      await fc.assert(
        fc.asyncProperty(timed, async ({ tenant, device, from, to, unit, ...options }) => {
          const minute = (n: number | undefined): Date | undefined =>
            n === undefined ? undefined : new Date(+quarter(0) + n * 60_000);
          const range = Object.fromEntries(
            Object.entries({ ...options, from: minute(from), to: minute(to) }).filter(
              ([, v]) => v !== undefined,
            ),
          );
          if (from !== undefined && to !== undefined && to < from) return;
          let query = db.repository(hour).prefix({ tenant, device }) as unknown as Untyped;
          if (unit !== undefined) query = query.where({ unit });
          const found = await (query.series('readings', range) as unknown as Results).all();
          const expected = stored
            .filter((row) => row.tenant === tenant && row.device === device)
            .filter((row) => unit === undefined || (unit === null) === (row.unit === undefined))
            .flatMap((row) => [...(row.readings as Map<Date, number>)])
            .filter(
              ([at]) =>
                (from === undefined || +at >= +minute(from)!) &&
                (to === undefined || +at < +minute(to)!),
            )
            .sort(([a], [b]) => (options.newestFirst === true ? +b - +a : +a - +b))
            .slice(0, options.limit)
            .map(([at, value]) => ({ at, value }));
          expect(found).toEqual(expected);
        }),
        { numRuns: runs },
      );
    },
    600_000,
  );

  test.each(pairs)(
    'deletions of %s rows',
    async (_name, event, hour) => {
      const keys = async (entity: typeof event | typeof hour): Promise<string[]> =>
        (
          await db
            .repository(entity as typeof PlainEvent)
            .scanAll()
            .keysOnly()
            .all()
        ).map((row) => text(row));
      const repository = db.repository(event) as unknown as Untyped;
      for (const [i, tenant] of tenants.entries()) {
        const hours = await keys(hour);
        const before = await keys(event);
        let query =
          i === 1 ? repository.oneOf('tenant', [tenant, 'none']) : repository.prefix({ tenant });
        if (i === 0)
          query = query
            .where({ status: 'failed', value: { not: null } })
            .reverse()
            .limit(3);
        if (i === 1) query = query.firstPer('device').until('at', quarter(6));
        if (i === 2) query = repository.prefix({ tenant, device: 'd1' }).since('at', quarter(1));
        const wanted = (await (query.keysOnly() as unknown as Results).all()).map((row) =>
          text(row),
        );
        const result = await (query.delete({ dropRanges: true }) as unknown as Promise<{
          deleted: number;
        }>);
        expect(result.deleted).toBe(wanted.length);
        expect(wanted.length).toBeGreaterThan(0);
        expect(await keys(event)).toEqual(before.filter((key) => !wanted.includes(key)));
        expect(await keys(hour)).toEqual(hours);
      }
    },
    600_000,
  );
});

/** The rows of a collection in the order of their keys without the shard. */
async function rowsInKeyOrder(db: Database, members: object): Promise<Member[]> {
  const rows: (Member & { readonly key: Buffer })[] = [];
  for (const [kind, entity] of Object.entries(members)) {
    const repository = db.repository(entity as typeof PlainEvent);
    const { model } = repository;
    const found = (await repository.scanAll().all()) as unknown as Row[];
    for (const each of found) {
      const key = model.key.encode(each);
      rows.push({
        kind,
        entity: each,
        key: Buffer.from(key.subarray(model.key.shardEnd(key, 0, key.length))),
      });
    }
  }
  return rows.sort((a, b) => a.key.compare(b.key));
}

const families: Readonly<Record<string, string>> = {
  value: 'm',
  big: 'm',
  unit: 'm',
  status: 'd',
  name: 'd',
  mark: 'd',
  tags: 'q',
  readings: 'p',
};

/** Whether a row has a cell in the families of the properties, as far as its properties show. */
function isSelected(entity: Row, list: readonly string[] | undefined): boolean {
  if (list === undefined || list.length === 0) return true;
  const wanted = new Set(list.map((name) => families[name]));
  return Object.entries(families).some(([name, family]) => {
    if (!wanted.has(family) || entity[name] === undefined) return false;
    // What is 'open' may be the default: then another column of the family decides.
    return name !== 'status' || entity.status !== 'open';
  });
}

async function checkPages(
  query: Results,
  expected: readonly string[],
  size: number,
  shown: (row: Row) => string,
): Promise<void> {
  expect((await query.all()).map(shown)).toEqual(expected);
  expect(await query.count()).toBe(expected.length);
  const first = await query.first();
  expect(first && shown(first)).toEqual(expected.at(0));
  const paged: string[] = [];
  let after: string | undefined;
  do {
    const page = await query.page({ size, after });
    paged.push(...page.rows.map(shown));
    after = page.next;
    expect(paged.length).toBeLessThanOrEqual(expected.length);
  } while (after !== undefined);
  expect(paged).toEqual(expected);
}

function byText(a: unknown, b: unknown): number {
  return text(a) < text(b) ? -1 : 1;
}

function text(value: unknown): string {
  return JSON.stringify(value, (_name, each: unknown) => {
    if (typeof each === 'bigint') return `${each}`;
    return each instanceof Map ? [...each] : each;
  });
}
