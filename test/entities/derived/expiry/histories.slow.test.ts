/** Random writes at random times: a row that is visible is in its indexes, and entries go with it. */
import type { EntityClass } from '../../../../src/index.js';
import { withDerivedWrites } from '../../../../src/entities/derived/index.js';
import type { Mutation } from '../../../../src/data/store/index.js';
import { testDatabase } from '../../../../src/tools/testing/index.js';
import fc from '../../../support/fast-check.js';
import { compareEntries } from '../index/stored-entries.js';
import { Draft, hour, keysOf, Session, Visit } from './entities.js';

type Values = Record<string, string | null>;

type Operation =
  | { readonly kind: 'advance'; readonly minutes: number }
  | { readonly kind: 'save' | 'patch' | 'saveMany'; readonly id: string; readonly values: Values }
  | { readonly kind: 'remove'; readonly id: string }
  | { readonly kind: 'count'; readonly id: string }
  | {
      readonly kind: 'import';
      readonly id: string;
      readonly values: Values;
      readonly minutes: number;
    };

const columns = ['user', 'device', 'token', 'note', 'rank', 'kind', 'state', 'page'];
const value = fc.constantFrom('a', 'b');
const id = fc.constantFrom('1', '2');
const values = fc.dictionary(
  fc.constantFrom(...columns),
  fc.oneof({ weight: 5, arbitrary: value }, fc.constant(null)),
  { minKeys: 1, maxKeys: 4 },
);

const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({ kind: fc.constant('advance' as const), minutes: fc.integer({ min: 1, max: 70 }) }),
  fc.record({ kind: fc.constantFrom('save', 'patch', 'saveMany'), id, values }),
  fc.record({ kind: fc.constant('remove' as const), id }),
  fc.record({ kind: fc.constant('count' as const), id }),
  fc.record({
    kind: fc.constant('import' as const),
    id,
    values,
    minutes: fc.integer({ min: -200, max: 100 }),
  }),
);

const places: Readonly<Record<string, string>> = {
  user: 'h',
  device: 'd',
  token: 'h',
  note: 'n',
  rank: 'n',
  kind: 'n',
  state: 'h',
  page: 'd',
};

/** An imported row: cells of a time of their own, which do not replace newer ones. */
function cellsOf(given: Values, millis: number): Mutation[] {
  return Object.entries(given).flatMap(([column, text]): Mutation[] => {
    const at = { family: places[column], qualifier: Buffer.from(column) };
    const timestamp = BigInt(millis) * 1000n;
    if (text === null) return [{ kind: 'deleteFromColumn', ...at, end: timestamp }];
    return [{ kind: 'setCell', ...at, timestamp, value: Buffer.from(text) }];
  });
}

async function run(entity: EntityClass, history: readonly Operation[]): Promise<void> {
  const db = await testDatabase([Session, Visit, Draft]);
  const rows = db.repository(entity as EntityClass<Record<string, unknown>>);
  const owned = rows.model.columns.map(({ property }) => property);
  const own = (given: Values, keepsNull = true): Values =>
    Object.fromEntries(
      Object.entries(given).filter(([name, each]) => owned.includes(name) && (keepsNull || each)),
    );
  const importer = withDerivedWrites(db.engine, rows.model, { keepsTimes: true });
  const write = async (each: Operation): Promise<unknown> => {
    if (each.kind === 'advance') return db.clock.advance(each.minutes * 60_000);
    const key = { id: each.id };
    if (each.kind === 'remove') return rows.delete(key);
    if (each.kind === 'count')
      return entity === Visit ? rows.increment(key, 'views' as never) : undefined;
    const changes = own(each.values);
    if (Object.keys(changes).length === 0) return undefined;
    if (each.kind === 'patch') return rows.patch(key, changes);
    if (each.kind === 'import')
      return importer.mutateRow(rows.model.table.name, {
        key: rows.model.key.encode(key),
        mutations: cellsOf(changes, db.clock.now() + each.minutes * 60_000),
      });
    const row = rows.create({ ...key, ...own(each.values, false) });
    if (each.kind === 'save') return rows.save(row);
    return rows.saveMany([row]);
  };
  for (const each of history) {
    await write(each).catch((error: { readonly code?: string }) => {
      // A value that another row has, or a row without values.
      if (!['UNIQUE_VIOLATION', 'EMPTY_ROW'].includes(error.code!)) throw error;
    });
    const compared = Object.values(await compareEntries(db, entity));
    const { found } = await db.derived.verify(entity);
    for (const { stored, expected } of compared)
      expect(stored).toEqual(expect.arrayContaining(expected));
    expect({ ...found, orphan: 0 }).toEqual(allZero);
  }
  db.clock.advance(30 * hour);
  await db.engine.compact();
  const { found } = await db.derived.verify(entity);
  // An entry that each row has outlives a row that a write left without its column of the longest
  // life (decision 043).
  expect(entity === Draft ? { ...found, orphan: 0 } : found).toEqual(allZero);
  const lasting = rows.model.indexes.filter(({ expiry }) => expiry === undefined);
  // The rows of drafts may last.
  for (const key of entity === Draft ? [] : await keysOf(db.engine, 'sessions_index'))
    expect(lasting.some((index) => key.startsWith(index.id))).toBe(true);
  await db.close();
}

const allZero = {
  missing: 0,
  wrong: 0,
  orphan: 0,
  duplicate: 0,
  invalid: 0,
  'stale copy': 0,
};

test.each([Session, Visit, Draft])(
  '%p',
  async (entity) => {
    const runs = Number(process.env.RUNS ?? 8);
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 3, maxLength: 14 }), (history) =>
        run(entity, history),
      ),
      { numRuns: runs },
    );
  },
  600_000,
);
