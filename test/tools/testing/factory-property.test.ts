/** For any entity, each row that a factory makes up is accepted by save, and keys are different. */
import {
  column,
  columnMap,
  defineEntity,
  type EntityClass,
  open,
  rowKey,
} from '../../../src/index.js';
import { factory } from '../../../src/tools/testing/index.js';
import fc from '../../support/fast-check.js';

const name = fc.constantFrom('id', 'x', 'createdDay', 'n_1', 'größe', 'A');
const order = fc.constantFrom('asc', 'desc');

/** Segments of every kind, with limits. */
const segment = fc.oneof(
  fc.record({
    kind: fc.constant('string'),
    maxLength: fc.integer({ min: 3, max: 9 }),
    lower: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('string'), minLength: fc.integer({ min: 1, max: 30 }) }),
  fc.record({
    kind: fc.constantFrom('int', 'uint'),
    max: fc.integer({ min: 200, max: 9_999 }),
    min: fc.integer({ min: 0, max: 100 }),
    order,
  }),
  fc.record({ kind: fc.constant('bigint'), width: fc.integer({ min: 2, max: 40 }), order }),
  fc.record({
    kind: fc.constant('decimal'),
    scale: fc.integer({ min: 1, max: 4 }),
    width: fc.integer({ min: 6, max: 12 }),
  }),
  fc.record({ kind: fc.constant('timestamp'), unit: fc.constantFrom('s', 'ms'), order }),
  fc.record({
    kind: fc.constant('timestamp'),
    floor: fc.constantFrom('hour', 'day', 90_000, 7_000),
    order,
  }),
  fc.record({ kind: fc.constant('micros'), order }),
  fc.record({ kind: fc.constant('isoDate'), precision: fc.constantFrom('ms', 'day') }),
  fc.record({
    kind: fc.constant('uuid'),
    generate: fc.constantFrom(undefined, 'uuid', 'uuidv7'),
    dashes: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('ulid'), generate: fc.constantFrom(undefined, 'ulid') }),
  fc.record({ kind: fc.constant('string'), generate: fc.constantFrom('uuid', 'uuidv7', 'ulid') }),
  fc.record({ kind: fc.constant('bytes'), maxLength: fc.integer({ min: 2, max: 20 }) }),
  fc.record({ kind: fc.constant('reversedId'), width: fc.integer({ min: 3, max: 16 }) }),
  fc.record({ kind: fc.constantFrom('domain', 'bool', 'float') }),
  fc.record({ kind: fc.constant('enum'), values: fc.constantFrom(['a', 'b'], ['only']) }),
);

/** Columns of every kind, with rules. */
const cell = fc.oneof(
  fc.integer({ min: 0, max: 40 }).chain((min) =>
    fc.record({
      kind: fc.constantFrom('string', 'bytes'),
      minLength: fc.constant(min),
      maxLength: fc.integer({ min: Math.max(min, 1), max: 60 }),
    }),
  ),
  fc.record({ kind: fc.constant('string'), oneOf: fc.constantFrom(['a'], ['b', 'c']) }),
  fc.record({ kind: fc.constant('string'), suggestions: fc.constantFrom(['a'], ['b', 'c']) }),
  ...(['int32', 'uint32', 'double', 'float'] as const).map((kind) =>
    fc.integer({ min: kind === 'uint32' ? 0 : -5_000, max: 5_000 }).chain((min) =>
      fc.record({
        kind: fc.constant(kind),
        min: fc.constantFrom(min, undefined),
        max: fc.integer({ min, max: 6_000 }),
      }),
    ),
  ),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).chain((min) =>
    fc.record({
      kind: fc.constant('int64'),
      min: fc.constant(min),
      max: fc.bigInt({ min, max: 2n ** 63n - 1n }),
    }),
  ),
  fc.record({ kind: fc.constantFrom('bool', 'timestamp', 'date', 'int64', 'double') }),
);

const given = (options: object): object =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));

/** Of declarations that the compiler does not know. */
const declare = defineEntity as unknown as (made: object, options: object) => EntityClass;

test('rows of 50 random entities are accepted by save, and have different keys', async () => {
  const entities = fc.record({
    segments: fc.uniqueArray(fc.tuple(name, segment), {
      minLength: 1,
      maxLength: 4,
      selector: ([each]) => each,
    }),
    cells: fc.array(fc.tuple(cell, fc.boolean()), { minLength: 1, maxLength: 6 }),
    qualifiers: fc.constantFrom('string', 'int', 'uint', 'timestamp'),
    seed: fc.nat(),
  });
  await fc.assert(
    fc.asyncProperty(entities, async ({ segments, cells, qualifiers, seed }) => {
      const columns = Object.fromEntries(
        cells.map(([{ kind, ...rules }, required], i) => [
          `c${i}`,
          column('m', kind as 'string', { ...given(rules), required }),
        ]),
      );
      const Made = declare(class Made {}, {
        table: 'made',
        families: { m: {}, t: {} },
        key: rowKey(...(segments.map(([each]) => each) as [string])),
        segments: Object.fromEntries(segments.map(([each, options]) => [each, given(options)])),
        columns: { ...columns, map: columnMap('t', 'int32', { qualifiers } as object) },
      });
      await using db = await open('memory:', { entities: [Made], lint: false });
      const capacity = segments.reduce((product, [, each]) => {
        if (each.kind === 'bool') return product * 2;
        return 'values' in each ? product * each.values.length : 100;
      }, 1);
      const count = Math.min(10, capacity);
      const rows = (await factory(Made, {}, { seed }).saveMany(db, count)) as unknown[];
      const stored = await (
        db.repository(Made) as never as { scanAll(): { all(): Promise<unknown[]> } }
      )
        .scanAll()
        .all();
      expect(stored).toHaveLength(count);
      // A second factory makes the same rows.
      expect(factory(Made, {}, { seed }).buildMany(count)).toEqual(rows);
    }),
    { numRuns: Number(process.env.RUNS ?? 25) },
  );
});
