/** `rowsmith pull`: entities generated from saved rows compile and read the same rows. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import {
  Column,
  ColumnMap,
  Counter,
  delimited,
  Entity,
  Field,
  intersection,
  literal,
  maxAge,
  maxVersions,
  Message,
  open,
  Packed,
  RepeatedField,
  rowKey,
  Segment,
  aggregate,
  table,
  union,
  type EntityClass,
} from 'rowsmith';
import { root, run } from '../support/built-package.js';
import { command } from '../support/command.js';
import { expectGolden } from '../support/golden.js';

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const start = Date.UTC(2026, 0, 1);
const minute = (n: number): Date => new Date(start + n * 60_000 + n);
const uuid = (n: number): string => `550e8400-e29b-41d4-a716-${String(n).padStart(12, '0')}`;

@Message('telemetry.Position')
class Position {
  @Field(1, 'double') lat?: number;
  @Field(2, 'double') lon?: number;
}
@Message('telemetry.Status')
class Status {
  @Field(1, 'string') firmware?: string;
  @Field(2, 'int64') uptime?: bigint;
  @Field(3, () => Position) position?: Position;
  @RepeatedField(4, 'string') alarms?: string[];
  @Field(5, 'timestamp') since?: Date;
  @Field(7, 'float') load?: number;
}
@Entity({
  table: 'telemetry',
  families: {
    m: { gc: union(maxVersions(1), maxAge('30d')) },
    s: { gc: intersection(maxVersions(2), maxAge('90m')) },
    c: aggregate('sum'),
    x: {},
  },
})
class Reading {
  static readonly key = rowKey('tenant', 'device', 'at');
  @Segment('string') tenant!: string;
  @Segment('uuid') device!: string;
  @Segment('timestamp', { order: 'desc' }) at!: Date;
  @Column('m', 'double') temperature?: number;
  @Column('m', 'int64') count?: bigint;
  @Column('m', 'string') note?: string;
  @Column('m', 'bool') ok?: boolean;
  @Column('m', 'timestamp') seen?: Date;
  @Column('m', 'json') extra?: unknown;
  @Column('m', 'date') day?: string;
  @Column('m', 'float') level?: number;
  @Column('m', 'bytes') blob?: Uint8Array;
  @Packed('s', () => Status) status?: Status;
  @Counter('c') hits?: bigint;
  @ColumnMap('x', 'double') x?: Map<string, number>;
}

const shop = table('shop', { families: { o: { gc: maxVersions(1) }, u: {}, i: {} } });
@Entity({ table: shop })
class User {
  static readonly key = rowKey(literal('user'), 'user');
  @Segment('ulid') user!: string;
  @Column('u', 'string') name?: string;
}
@Entity({ table: shop, cellTimestamp: 'at' })
class Order {
  static readonly key = rowKey(literal('user'), 'user', literal('order'), 'at');
  @Segment('ulid') user!: string;
  @Segment('timestamp') at!: Date;
  @Column('o', 'int64') cents?: bigint;
}
@Entity({ table: shop, marker: 'i' })
class Invoice {
  static readonly key = rowKey(literal('invoice'), 'number');
  @Segment('uint', { width: 8 }) number!: number;
}

@Entity({ table: 'sharded', families: { f: {} }, shards: { count: 16, by: ['device'] } })
class Sharded {
  static readonly key = rowKey('device', 'day');
  @Segment('string') device!: string;
  @Segment('timestamp', { floor: 'day' }) day!: Date;
  @Column('f', 'string') value?: string;
}
@Entity({ table: 'pipes2', families: { f: {} }, keyFormat: delimited('|') })
class Piped {
  static readonly key = rowKey('host', 'id', 'when');
  @Segment('domain') host!: string;
  @Segment('reversedId', { width: 10 }) id!: number;
  @Segment('isoDate') when!: Date;
  @Column('f', 'string', { qualifier: 'a "strange" \'name\' */' }) value?: string;
}
@Entity({ table: 'binary', families: { f: {} }, keyFormat: 'ordered' })
class Binary {
  static readonly key = rowKey('name', 'at', 'id');
  @Segment('string') name!: string;
  @Segment('timestamp', { order: 'desc' }) at!: Date;
  @Segment('uuid') id!: string;
  @Column('f', 'string', { qualifier: Uint8Array.of(0xff, 0) }) value?: string;
}

/** Entities, and rows of them, by table. */
const cases: Readonly<
  Record<string, readonly (readonly [entity: EntityClass, rows: readonly object[]])[]>
> = {
  telemetry: [
    [
      Reading,
      Array.from({ length: 60 }, (_, i) => {
        const status = Object.assign(new Status(), {
          firmware: `1.${i}`,
          uptime: BigInt(i) * 10_000_000_000n,
          position: Object.assign(new Position(), { lat: 52 + i / 7, lon: -13.5 }),
          alarms: i % 3 === 0 ? [] : ['hot', `fan ${i}`],
          since: minute(i),
          load: i / 4,
        });
        return {
          tenant: `tenant ${i % 7}`,
          device: uuid(i % 11),
          at: minute(i),
          temperature: 20 + i / 3,
          count: BigInt(i * 1000 - 5),
          note: i % 2 === 0 ? undefined : `note ${i} ä`,
          ok: i % 2 === 0,
          seen: minute(i * 3),
          extra: { i, list: [i] },
          day: `2026-01-${String((i % 28) + 1).padStart(2, '0')}`,
          level: i / 8,
          blob: Uint8Array.of(0xff, i, 0x80),
          status,
          x: new Map([
            [`p${i}`, i],
            [`q${i * 2}`, -i],
          ]),
        };
      }),
    ],
  ],
  shop: [
    [
      User,
      Array.from({ length: 20 }, (_, i) => ({
        user: `01HZZZZZZZZZZZZZZZZZZZZZ${String(i).padStart(2, '0')}`,
        name: `Ann ${i}`,
      })),
    ],
    [
      Order,
      Array.from({ length: 30 }, (_, i) => ({
        user: `01HZZZZZZZZZZZZZZZZZZZZZ${String(i % 20).padStart(2, '0')}`,
        at: minute(i),
        cents: BigInt(i * 99),
      })),
    ],
    [Invoice, Array.from({ length: 9 }, (_, i) => ({ number: i * 37 }))],
  ],
  sharded: [
    [
      Sharded,
      Array.from({ length: 200 }, (_, i) => ({
        device: `device-${i % 40}`,
        day: new Date(start + Math.floor(i / 40) * 86_400_000),
        value: `v${i}`,
      })),
    ],
  ],
  pipes2: [
    [
      Piped,
      Array.from({ length: 12 }, (_, i) => ({
        host: `h${i}.example.com`,
        id: 1000 + i,
        when: minute(i),
        value: `v${i}`,
      })),
    ],
  ],
  binary: [
    [
      Binary,
      Array.from({ length: 15 }, (_, i) => ({
        name: `name${i % 3}`,
        at: minute(i),
        id: uuid(i),
        value: `v${i}`,
      })),
    ],
  ],
};

let folder = '';
let url = '';
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rowsmith-pull-'));
  url = `file:${join(folder, 'data')}`;
  await using db = await open(url, {
    entities: Object.values(cases)
      .flat()
      .map(([entity]) => entity),
    durability: 'relaxed',
  });
  for (const [entity, rows] of Object.values(cases).flat()) {
    const repository = db.repository(entity);
    const { failures } = await repository.saveMany(rows.map((row) => repository.create(row)));
    expect(failures).toEqual([]);
  }
  for (const row of cases.telemetry[0][1])
    await db.repository(Reading).increment(row as Reading, 'hits', 2n);
  await db.engine.createTable({ name: 'empty', families: new Map([['f', {}]]) });
  await db.engine.createTable({ name: 'hostile', families: new Map([['f', {}]]) });
  const keys = [Uint8Array.of(0xff, 0xfe, 0, 0), Uint8Array.of(0, 3)];
  for (const key of keys)
    await db.engine.mutateRow('hostile', {
      key,
      mutations: [
        { kind: 'setCell', family: 'f', qualifier: utf8('q'), timestamp: 1000, value: utf8('v') },
      ],
    });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const pull = (...args: string[]) => command(folder, ['pull', '--url', url, ...args]);
const fileOf = (name: string): string => join(folder, `${name}.generated.ts`);

/** The errors in each file, of TypeScript 7, which takes a fifth of the time of 6. */
function compileErrors(files: readonly string[]): readonly (readonly string[])[] {
  const compilerOptions = {
    noEmit: true,
    module: 'esnext',
    moduleResolution: 'bundler',
    experimentalDecorators: true,
    paths: { rowsmith: [join(root, 'src/index.ts')] },
    typeRoots: [join(root, 'node_modules/@types')],
  };
  const config = { extends: join(root, 'tsconfig.base.json'), compilerOptions, files };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(root, 'node_modules/typescript7/bin/tsc');
  const { output } = run(folder, process.execPath, [tsc, '-p', '.', '--pretty', 'false']);
  const lines = output.split('\n').filter((line) => /: error TS\d+: /.test(line));
  const known = new Set(files.map((file) => basename(file)));
  expect(lines.filter((line) => !known.has(line.split('(')[0]))).toEqual([]);
  return files.map((file) => lines.filter((line) => line.startsWith(`${basename(file)}(`)));
}

/**
 * A value without what is not in the bytes: names, and the difference between numbers and bigints.
 */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint' || typeof value === 'number') return String(value);
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (value instanceof Map) return [...value].map(([key, each]) => [key, plain(each)]);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'object' && value !== null)
    return Object.values(value)
      .filter((each) => each !== undefined && !(Array.isArray(each) && each.length === 0))
      .map(plain);
  return value;
}

async function rowsOf(entities: readonly EntityClass[]): Promise<string[]> {
  await using db = await open(url, { entities, onForeignRow: 'skip', onDamagedCell: 'throw' });
  const rows: string[] = [];
  for (const entity of entities) {
    const repository = db.repository(entity);
    const segments = repository.model.segments.map(({ property }) => property);
    const columns = repository.model.columns.map(({ property }) => property);
    for await (const row of repository.scanAll())
      rows.push(
        JSON.stringify(
          [...segments, ...columns].map((name) => plain((row as Record<string, unknown>)[name])),
        ),
      );
  }
  return rows.sort();
}

test.each(Object.entries(cases))(
  '%s: the generated entities read the rows that were saved',
  async (name, entities) => {
    expect(await pull('--table', name, '--out', fileOf(name))).toMatchObject({
      status: 0,
      err: '',
    });
    const generated = Object.values(require(fileOf(name)) as Record<string, unknown>).filter(
      (each): each is EntityClass => typeof each === 'function' && 'key' in each,
    );
    const saved = await rowsOf(entities.map(([entity]) => entity));
    expect(saved.length).toBeGreaterThan(8);
    expect(await rowsOf(generated)).toEqual(saved);
  },
);

test('the generated modules compile, and show the evidence', () => {
  const files = Object.keys(cases).map(fileOf);
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
  // Proves that the compiler reads the files: it finds a wrong type.
  writeFileSync(
    fileOf('wrong'),
    readFileSync(fileOf('binary'), 'utf8').replace('at!: Date', 'at!: string'),
  );
  const errors = compileErrors([...files, fileOf('wrong')]);
  expect(errors.slice(0, -1)).toEqual(files.map(() => []));
  expect(errors.at(-1)).not.toEqual([]);
  expectGolden(
    'cli-pull.txt',
    files.map((file) => readFileSync(file, 'utf8')).join(`\n// ${'-'.repeat(80)}\n\n`),
  );
});

test('the module goes to standard output, or into a JSON document', async () => {
  const { status, out, err } = await pull('--table', 'pipes2');
  expect([status, err]).toEqual([0, '']);
  expect(out).toBe(readFileSync(fileOf('pipes2'), 'utf8'));
  expect(JSON.parse((await pull('--table', 'pipes2', '--json')).out)).toEqual({
    table: 'pipes2',
    rows: 12,
    entities: expect.any(Array),
    unread: 0,
    source: out,
  });
});

test('a sample is taken from all over the table', async () => {
  const { out } = await pull('--table', 'sharded', '--sample', '50');
  expect(out).toContain('a sample of 50 rows');
});

test('without usable rows the command fails, and nothing is written', async () => {
  const wrong: readonly (readonly [args: string[], status: number, says: string])[] = [
    [['--table', 'empty'], 1, 'the table has no rows'],
    [['--table', 'hostile'], 1, 'match no supported key format'],
    [['--table', 'telemetri'], 1, "did you mean 'telemetry'?"],
    [[], 2, 'no table is named: give --table TABLE'],
    [['--table', 'shop', '--sample', '0'], 2, '--sample takes'],
    [['--table', 'shop', '--out', fileOf('pipes2')], 1, 'it exists already'],
  ];
  for (const [args, status, text] of wrong)
    expect(await pull(...args)).toMatchObject({
      status,
      out: '',
      err: expect.stringContaining(text),
    });
  const elsewhere = join(folder, 'nowhere');
  expect(
    await command(folder, ['pull', '--url', `file:${elsewhere}`, '--table', 't']),
  ).toMatchObject({ status: 1, err: expect.stringContaining('there is no such directory') });
  expect(existsSync(elsewhere)).toBe(false);
});
