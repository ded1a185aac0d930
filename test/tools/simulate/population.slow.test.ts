/**
 * Simulated totals against the same workload written row by row to the engine in memory. Its clock
 * runs with the writes, and it collects garbage.
 */
import {
  Column,
  ColumnMap,
  Entity,
  type EntityClass,
  intersection,
  maxAge,
  maxVersions,
  rowKey,
  Segment,
  union,
} from '../../../src/index.js';
import { everyKey } from '../../../src/base/index.js';
import { buildModel } from '../../../src/entities/model/index.js';
import { simulate, type WorkloadOptions } from '../../../src/tools/simulate/index.js';
import { drawNumbers, Population } from '../../../src/tools/simulate/population/population.js';
import { Random } from '../../../src/tools/values/index.js';
import { rowValues } from '../../../src/tools/simulate/model/row-keys.js';
import { storageReport } from '../../../src/tools/simulate/model/storage.js';
import { compileWorkload } from '../../../src/tools/simulate/workload/check-workload.js';
import { RowData } from '../../../src/tools/simulate/workload/row-data.js';
import { collectRows, type Row } from '../../../src/data/store/index.js';
import { testDatabase } from '../../../src/tools/testing/index.js';

const both = union(maxAge('40d'), maxVersions(3));
const rare = intersection(maxAge('20d'), maxVersions(2));

@Entity({ table: 'states', families: { a: { gc: both }, b: { gc: rare }, c: {} } })
class State {
  static readonly key = rowKey('tenant', 'device');
  @Segment('string') tenant!: string;
  @Segment('uint', { max: 9999 }) device!: number;
  @Column('a', 'string') value?: string;
  @Column('b', 'double') rare?: number;
  @ColumnMap('c', 'int64', { qualifiers: 'uint' }) tags?: Map<number, bigint>;
}

/** A row of each device and day. */
@Entity({ table: 'days', families: { a: { gc: maxAge('60d') }, e: { gc: maxAge('60d') } } })
class Day {
  static readonly key = rowKey('device', 'day');
  @Segment('uint', { max: 9999 }) device!: number;
  @Segment('timestamp', { floor: 'day' }) day!: Date;
  @Column('a', 'string') value?: string;
  @ColumnMap('e', 'double', { qualifiers: 'uint' }) entries?: Map<number, number>;
}

/** A row for each write. */
@Entity({ table: 'events', families: { a: { gc: maxAge('30d') } } })
class Event {
  static readonly key = rowKey('device', 'at');
  @Segment('uint', { max: 9999 }) device!: number;
  @Segment('timestamp') at!: Date;
  @Column('a', 'string') value?: string;
}

const start = Date.UTC(2026, 0, 1);
const timestampBytes = 8;

interface Stored {
  readonly rows: number;
  readonly cells: number;
  readonly bytes: number;
}

/**
 * Writes the whole history of a workload, and then what is written in some months: after each, it
 * counts what is left.
 */
async function enumerate(
  entity: EntityClass,
  options: WorkloadOptions,
  months: readonly number[],
): Promise<readonly Stored[]> {
  const load = compileWorkload(buildModel(entity), options);
  const population = new Population(load, 1);
  const random = new Random(99);
  const data = new RowData(load, true);
  const first = Math.floor(start - population.history * 1000);
  await using db = await testDatabase([entity], { now: first });
  const repository = db.repository(entity) as unknown as {
    patchMany(rows: readonly object[]): Promise<unknown>;
  };
  const perMs = load.writesPerSecond / 1000;
  const nextAfter = (ms: number): number => ms - Math.log(1 - random.next()) / perMs;
  const table = load.model.table.name;
  const stored: Stored[] = [];
  let ms = nextAfter(first);
  for (const month of months) {
    const end = Math.floor(start + ((month * 365) / 12) * 86_400_000);
    for (; ms < end; ms = nextAfter(ms)) {
      db.clock.set(Math.floor(ms));
      const instant = { ms, sequence: 0, random: 0 };
      const key = rowValues(load.segments, drawNumbers(load.segments, random), instant);
      // A patch keeps the entries of column maps, which a save would replace.
      const written = await repository.patchMany([{ key, changes: data.columns(random) }]);
      expect((written as { failures: unknown[] }).failures).toEqual([]);
    }
    db.clock.set(end);
    await db.engine.compact();
    const rows = await collectRows(
      db.engine.readRows({ table, ranges: [everyKey], reversed: false }),
    );
    stored.push(totals(rows));
  }
  return stored;
}

function totals(rows: readonly Row[]): Stored {
  let [cells, bytes] = [0, 0];
  for (const row of rows) {
    bytes += row.key.length;
    for (const { family, qualifier, value } of row.cells) {
      cells++;
      bytes += family.length + qualifier.length + timestampBytes + value.length;
    }
  }
  return { rows: rows.length, cells, bytes };
}

const perDay = (writes: number): number => writes / 86_400;
const cases: readonly (readonly [string, EntityClass, WorkloadOptions])[] = [
  [
    'rows that are overwritten, with versions and ages',
    State,
    {
      rows: 300,
      writesPerSecond: perDay(60),
      segments: {
        tenant: { distribution: 'zipf', cardinality: 4, exponent: 1 },
        device: { distribution: 'zipf', cardinality: 150, exponent: 1.1 },
      },
      columns: { value: { bytes: 20 }, rare: { share: 0.3 }, tags: { entries: 3 } },
    },
  ],
  [
    'rows of a day, to which entries are added',
    Day,
    {
      rows: 1_200,
      writesPerSecond: perDay(40),
      segments: {
        device: { distribution: 'zipf', cardinality: 100, exponent: 0.9 },
        day: { distribution: 'time' },
      },
      columns: { value: { bytes: { from: 5, to: 25 } }, entries: { entries: 'grow' } },
    },
  ],
  [
    'a row for each write',
    Event,
    {
      rows: 3_000,
      writesPerSecond: perDay(50),
      segments: { device: { cardinality: 40 }, at: { distribution: 'time' } },
      columns: { value: { bytes: 30, share: 1 } },
    },
  ],
];

describe.each(cases)('%s', (_name, entity, options) => {
  const months = [0, 3];
  let stored: readonly Stored[];

  beforeAll(async () => {
    stored = await enumerate(entity, options, months);
  });

  // The engine holds one draw of the workload: some hundred rows vary by a few percent.
  test.each(months)('totals after %d months are as in the engine, within 8 %%', (month) => {
    const found = stored[months.indexOf(month)];
    const load = compileWorkload(buildModel(entity), options);
    const population = new Population(load, 1);
    const rows = population.rows(500, new Random(1));
    const keyBytes = rows
      .map(({ combination, age }) => {
        const instant = { ms: start - age * 1000, sequence: 0, random: 0 };
        const values = rowValues(load.segments, combination.numbers, instant);
        return load.model.key.encode(values).length;
      })
      .reduce((sum, length) => sum + length / 500, 0);
    const expected = storageReport(population, keyBytes, 1).months[month];
    const ratios = [
      found.rows / expected.rows,
      found.cells / expected.cells,
      found.bytes / expected.bytes,
    ];

    for (const ratio of ratios) expect(Math.abs(ratio - 1)).toBeLessThan(0.08);
  });
});

test('a simulated table has the declared rows, and tablets by their bytes', async () => {
  const load = compileWorkload(buildModel(State as EntityClass), {
    ...cases[0][2],
    rows: 400,
  });
  const { workloads } = await simulate([load], {
    tabletBytes: 5_000,
    sampleRows: 20_000,
    minutes: 2,
  });
  const [{ rows, storage, designs }] = workloads;
  expect(Math.abs(rows / 400 - 1)).toBeLessThan(0.03);
  expect(Math.abs(storage.months[0].rows / 400 - 1)).toBeLessThan(0.03);
  const wanted = storage.months[0].bytes / 5_000;
  expect(designs[0].tablets.bySize).toBeGreaterThanOrEqual(Math.floor(wanted * 0.95));
  expect(designs[0].tablets.bySize).toBeLessThanOrEqual(Math.ceil(wanted * 1.05));
});
