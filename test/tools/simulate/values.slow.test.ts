/** The functions `value` of a workload, as docs/guide/simulate.md says: what they are given, and when. */
import {
  Column,
  Entity,
  type EntityClass,
  indexOn,
  indexes,
  rowKey,
  Segment,
} from '../../../src/index.js';
import { buildModel } from '../../../src/entities/model/index.js';
import {
  compileWorkload,
  type EntityLoad,
  runLoad,
  simulate,
  type WorkloadOptions,
} from '../../../src/tools/simulate/index.js';
import { testDatabase } from '../../../src/tools/testing/index.js';

@Entity({ table: 'readings', families: { m: {} } })
class Reading {
  static readonly key = rowKey('device', 'at');
  @Segment('string', { maxLength: 40 }) device!: string;
  @Segment('timestamp') at!: Date;
  @Column('m', 'string') note?: string;
}

@Entity({ table: 'indexed', families: { m: {} } })
class Indexed extends Reading {
  static readonly indexes = indexes({ byNote: indexOn('note') });
}

const start = Date.UTC(2026, 0, 1);

const quick = { seed: 1, sampleRows: 500, minutes: 2, start };

/** A workload that records what its functions are given. */
function recorded(entity: typeof Reading = Reading): {
  readonly load: EntityLoad;
  readonly given: Readonly<Record<'device' | 'at' | 'note', number[]>>;
} {
  const given = { device: [] as number[], at: [] as number[], note: [] as number[] };
  const options: WorkloadOptions<Reading> = {
    rows: 1_000,
    writesPerSecond: 100,
    segments: {
      device: {
        cardinality: 5,
        value: (n) => {
          given.device.push(n);
          return `d${n}`;
        },
      },
      at: {
        distribution: 'time',
        value: (ms) => {
          given.at.push(ms);
          return new Date(ms);
        },
      },
    },
    columns: {
      note: {
        bytes: 1_000,
        value: (random) => {
          given.note.push(random);
          return 'x';
        },
      },
    },
  };
  return { load: compileWorkload(buildModel(entity as EntityClass), options), given };
}

test('a simulation takes the values of segments, and of columns only the sizes', async () => {
  const { load, given } = recorded();
  const result = await simulate([load], quick);
  expect(new Set(given.device)).toEqual(new Set([0, 1, 2, 3, 4]));
  expect(
    given.at.every((ms) => Number.isInteger(ms) && Math.abs(ms - start) < 366 * 86_400_000),
  ).toBe(true);
  expect(given.note).toEqual([]);
  expect(result.workloads[0].storage.maxCellBytes).toBe(1_000);
});

test('a simulation makes the values of columns for the costs of an index', async () => {
  const { load, given } = recorded(Indexed);
  await simulate([load], quick);
  expect(given.note.length).toBeGreaterThan(0);
  expect(given.note.every((random) => random >= 0 && random < 1)).toBe(true);
});

test('a load test writes the values of columns, which are given random numbers', async () => {
  const { load, given } = recorded();
  await using db = await testDatabase([Reading]);
  await runLoad(load, db, {
    seed: 1,
    dataset: { values: {}, prefix: undefined },
    rate: 400,
    concurrency: 4,
    durationMs: 300,
    warmUpMs: 0,
    start,
  });
  expect(given.note.length).toBeGreaterThan(10);
  expect(given.note.every((random) => random >= 0 && random < 1)).toBe(true);
  expect(new Set(given.note).size).toBeGreaterThan(5);
  const rows = await db.repository(Reading).scanAll().limit(20).all();
  // `bytes` counts for the simulation only, where there is a value.
  expect(rows.map(({ note }) => note)).toEqual(rows.map(() => 'x'));
  expect(rows.every(({ device }) => /^d[0-4]$/.test(device))).toBe(true);
});
