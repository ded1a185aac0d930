/**
 * What indexes, unique indexes, rollups and copies cost in a simulation, against real writes of the
 * workload to the embedded engine, with a count of requests that is separate from the simulation's.
 */
import {
  Column,
  copies,
  copyOf,
  Entity,
  type EntityClass,
  indexes,
  indexOn,
  rollups,
  rowKey,
  Segment,
  uniqueIndexOn,
} from '../../../src/index.js';
import { everyKey, isPoint } from '../../../src/base/index.js';
import { collectRows, type Stage, withStages } from '../../../src/data/store/index.js';
import { Database, openParts } from '../../../src/entities/repository/index.js';
import type { WorkloadOptions } from '../../../src/tools/simulate/index.js';
import { buildModel } from '../../../src/entities/model/index.js';
import { derivedLoad, type WriteCost } from '../../../src/tools/simulate/model/derived-cost.js';
import { rowValues } from '../../../src/tools/simulate/model/row-keys.js';
import { drawNumbers, Population } from '../../../src/tools/simulate/population/population.js';
import { entityClassesOf } from '../../../src/tools/simulate/workload/entity-classes.js';
import { compileWorkload } from '../../../src/tools/simulate/workload/check-workload.js';
import { RowData } from '../../../src/tools/simulate/workload/row-data.js';
import { Random } from '../../../src/tools/values/index.js';
import { time } from './simulated.js';

@Entity({ table: 'readings', families: { m: {} } })
class Reading {
  static readonly key = rowKey('tenant', 'device', 'at');
  static readonly indexes = indexes({
    byStatus: indexOn('status', 'at').including('value'),
    bySerial: uniqueIndexOn('serial'),
  });
  static readonly rollups = rollups({
    hourly: {
      by: ['tenant', { time: 'at', every: '1h' }],
      values: {
        n: 'count',
        mean: { avg: 'value', decimals: 2 },
        most: { max: 'value', decimals: 2 },
      },
    },
  });
  @Segment('string') tenant!: string;
  @Segment('uint', { max: 9999 }) device!: number;
  @Segment('timestamp') at!: Date;
  @Column('m', 'string') status?: string;
  @Column('m', 'string') serial?: string;
  @Column('m', 'double') value?: number;
}

/** Rows that are overwritten, with a column that most writes lack. */
@Entity({ table: 'devices', families: { d: {} } })
class Device {
  static readonly key = rowKey('tenant', 'device');
  static readonly indexes = indexes({
    byState: indexOn('state'),
    byOwner: indexOn('owner'),
    byTag: uniqueIndexOn('tag'),
  });
  @Segment('string') tenant!: string;
  @Segment('uint', { max: 999 }) device!: number;
  @Column('d', 'string') state?: string;
  @Column('d', 'string') owner?: string;
  @Column('d', 'string') tag?: string;
}

/** A row of a device and hour, which several writes change. */
@Entity({ table: 'hours', families: { m: {} } })
class Hour {
  static readonly key = rowKey('device', 'hour');
  static readonly rollups = rollups({
    coarse: {
      by: ['device', { time: 'hour', every: '3h' }],
      values: { total: { sum: 'value', decimals: 1 } },
    },
    all: { by: [{ time: 'hour', every: '1h' }], values: { n: 'count' } },
  });
  @Segment('uint', { max: 999 }) device!: number;
  @Segment('timestamp', { floor: 'hour' }) hour!: Date;
  @Column('m', 'double') value?: number;
}

@Entity({ table: 'authors', families: { d: {} } })
class Author {
  static readonly key = rowKey('id');
  @Segment('string') id!: string;
  @Column('d', 'string') name?: string;
}

@Entity({ table: 'posts', families: { d: {} } })
class Post {
  static readonly key = rowKey('id');
  static readonly indexes = indexes({ byAuthor: indexOn('author') });
  static readonly copies = copies({ authorName: copyOf(() => Author, 'name', { id: 'author' }) });
  @Segment('string') id!: string;
  @Column('d', 'string') author?: string;
  @Column('d', 'string') authorName?: string;
  @Column('d', 'string') text?: string;
}

const start = Date.UTC(2026, 0, 1);

interface Case {
  readonly entity: EntityClass;
  readonly options: WorkloadOptions;
  /** Owners with all names, so that none is forgotten. */
  readonly owners: readonly string[];
}

const cases: Record<string, Case> = {
  'new rows with an index, a unique one and a rollup': {
    entity: Reading,
    options: {
      rows: 600,
      writesPerSecond: 600 / (10 * 3_600),
      segments: { tenant: { cardinality: 5 }, device: { cardinality: 500 }, at: time },
      columns: { status: { value: (random: number) => (random < 0.8 ? 'good' : 'bad') } },
    },
    owners: ['row', 'byStatus', 'bySerial', 'hourly'],
  },
  'overwritten rows with indexes of present and absent columns': {
    entity: Device,
    options: {
      rows: 250,
      writesPerSecond: 1,
      segments: {
        tenant: { cardinality: 4 },
        device: { distribution: 'zipf', cardinality: 100, exponent: 0.7 },
      },
      columns: {
        state: { value: (random: number) => ['on', 'off', 'broken'][Math.floor(random * 3)] },
        owner: { bytes: 12, share: 0.3 },
        tag: { bytes: 16 },
      },
    },
    owners: ['row', 'byState', 'byOwner', 'byTag'],
  },
  'rows of an hour with two rollups': {
    entity: Hour,
    options: {
      rows: 600,
      // Versions are kept for a day of real time, and so must this history be shorter.
      writesPerSecond: 1 / 25,
      segments: { device: { cardinality: 60 }, hour: time },
    },
    owners: ['row', 'coarse', 'all'],
  },
  'rows with copies': {
    entity: Post,
    options: {
      rows: 500,
      writesPerSecond: 1,
      segments: { id: { cardinality: 2_000 } },
      columns: { author: { bytes: 8 }, text: { bytes: 100 } },
    },
    owners: ['row', 'byAuthor', 'Author'],
  },
};

interface Counts {
  reads: number;
  writes: number;
  writtenBytes: number;
  storedBytes: number;
}

interface Written {
  readonly counts: ReadonlyMap<string, Counts>;
  readonly writes: number;
}

/**
 * Makes the rows of the workload. Counts the requests of the last writes before it has them and of
 * as many after, and between these halves what is stored.
 */
async function writeForReal({ entity, options }: Case): Promise<Written> {
  const load = compileWorkload(buildModel(entity), options);
  const population = new Population(load, 1);
  const random = new Random(77);
  const data = new RowData(load, true);
  const parts = await openParts('memory:', { entities: entityClassesOf(load.model) });
  const counts = new Map<string, Counts>();
  let isCounting = false;
  const countOf = (table: string, key: Uint8Array): Counts => {
    const name = ownerOf(table, key);
    const found = counts.get(name) ?? { reads: 0, writes: 0, writtenBytes: 0, storedBytes: 0 };
    counts.set(name, found);
    return found;
  };
  const write = (table: string, key: Uint8Array, list: readonly object[]): void => {
    if (!isCounting) return;
    const count = countOf(table, key);
    count.writes++;
    count.writtenBytes += key.length + list.reduce((sum, each) => sum + mutationBytes(each), 0);
  };
  const stage: Stage = {
    read(request, send) {
      const { ranges, table } = request.plan;
      const isOfKeys = ranges.every(isPoint);
      if (isCounting)
        for (const each of isOfKeys ? ranges : [ranges[0]]) countOf(table, each.start).reads++;
      return send(request);
    },
    write(request, send) {
      if (request.kind === 'mutateRow')
        write(request.table, request.row.key, request.row.mutations);
      else if (request.kind === 'mutateRows')
        for (const row of request.rows) write(request.table, row.key, row.mutations);
      else if (request.kind === 'checkAndMutateRow') {
        const { key, onTrue = [], onFalse = [] } = request.check;
        if (isCounting) countOf(request.table, key).reads++;
        write(request.table, key, [...onTrue, ...onFalse]);
      } else throw new Error(request.kind);
      return send(request);
    },
  };
  await using db = new Database({ ...parts, engine: withStages(parts.engine, [stage]) });
  const repository = db.repository(entity) as unknown as {
    create(values: object): object;
    save(row: object): Promise<void>;
  };
  const countStored = async (): Promise<void> => {
    for (const { name } of await parts.engine.listTables())
      for (const { key, cells } of await collectRows(
        parts.engine.readRows({ table: name, ranges: [everyKey], reversed: false }),
      ))
        for (const [i, { family, qualifier, value }] of cells.entries()) {
          const isOwn = name !== load.model.table.name || family.startsWith('_');
          const keyBytes = i === 0 && name !== load.model.table.name ? key.length : 0;
          const bytes = family.length + qualifier.length + 8 + value.length;
          if (isOwn) countOf(name, key).storedBytes += keyBytes + bytes;
        }
  };
  const writes = 2 * Math.round(population.writes / 2);
  const save = async (i: number): Promise<void> => {
    const ms = start + ((i - writes) * 1000) / load.writesPerSecond;
    const values = rowValues(load.segments, drawNumbers(load.segments, random), {
      ms,
      sequence: i,
      random: random.next(),
    });
    await repository.save(repository.create({ ...values, ...data.columns(random) }));
  };
  const counted = Math.min(writes, 400);
  for (let i = 0; i < writes + counted / 2; i++) {
    isCounting = i >= writes - counted / 2;
    if (i === writes) await countStored();
    await save(i);
  }
  return { counts, writes: counted };
}

/** `hourly` of a key that begins with `hourly.3600s`; `row` of a table with a plain name. */
function ownerOf(table: string, key: Uint8Array): string {
  const text = Buffer.from(key).toString('latin1');
  if (table === 'authors') return 'Author';
  if (!/_index$|_rollup$/.test(table)) return 'row';
  return text.startsWith('index-states') ? 'states' : text.slice(0, text.indexOf('.'));
}

function mutationBytes(mutation: object): number {
  const { kind, family, qualifier, value } = mutation as {
    kind: string;
    family: string;
    qualifier?: Uint8Array;
    value?: Uint8Array;
  };
  if (qualifier === undefined) return 0;
  const values: Record<string, number> = { setCell: value?.length ?? 0, deleteFromColumn: 0 };
  return family.length + qualifier.length + 8 + (values[kind] ?? 8);
}

describe.each(Object.entries(cases))('%s', (_name, each) => {
  let costs: readonly WriteCost[];
  let real: Written;

  beforeAll(async () => {
    const load = compileWorkload(buildModel(each.entity), each.options);
    ({ costs } = await derivedLoad(new Population(load, 1), start, 1));
    real = await writeForReal(each);
  });

  test('requests and bytes are as counted, within 6 %', () => {
    expect(costs.map(({ name }) => name)).toEqual(each.owners);
    for (const { name, write } of costs) {
      const found = real.counts.get(name)!;
      const expected = [write.reads, write.writes, write.writtenBytes];
      const counted = [found.reads, found.writes, found.writtenBytes];
      counted.forEach((count, i) => expectNear(name, expected[i], count / real.writes, 0.06));
    }
  });

  test('stored bytes are as counted, within 8 %', () => {
    for (const { name, storedBytes } of costs)
      expectNear(name, storedBytes[0], real.counts.get(name)!.storedBytes, 0.08);
  });
});

/** Four requests less or more in a hundred writes are chance: not each write has each column. */
function expectNear(name: string, value: number, counted: number, share: number): void {
  const isNear = Math.abs(value - counted) <= Math.max(0.04, share * counted);
  if (!isNear) throw new Error(`${name}: ${value} is not near ${counted}`);
}
