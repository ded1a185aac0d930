import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  Counter,
  Entity,
  maxAge,
  maxVersions,
  open,
  type OpenOptions,
  rowKey,
  Segment,
  aggregate,
  type FamilySchema,
} from '../../../../src/index.js';
import { Reading, Spread, User } from '../support/entities.js';
import { key, entityWith } from './opened-entities.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'rowsmith-open-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

@Entity({ table: 'versions', families: { m: aggregate('sum') } })
class Counted {
  static readonly key = rowKey('id');
  @Segment('string') id!: string;
  @Counter('m') hits?: bigint;
}

describe('urls', () => {
  test('of one directory in every notation', async () => {
    const path = join(directory, 'with space %41 #x');
    mkdirSync(path);
    for (const [i, url] of [
      `file:${path}`,
      pathToFileURL(path).href,
      pathToFileURL(path).href.replace('file://', 'file://localhost'),
    ].entries()) {
      const db = await open(url, { entities: [Reading] });
      expect(await db.repository(Reading).scanAll().count()).toBe(i);
      await db.repository(Reading).save(db.repository(Reading).create({ ...key, n: i, value: i }));
      expect(db.url).toBe(url);
      await db.close();
    }
    expect(readdirSync(directory)).toEqual(['with space %41 #x']);
  });

  test.each<[unknown]>([
    ['file:'],
    ['file://'],
    ['file://data'],
    ['file://./data'],
    ['file://data/sub'],
    ['file:///a%2Fb'],
    ['file:///%zz'],
    ['file:///data?x=1'],
    ['file:///data#x'],
    ['memory'],
    ['memory://x'],
    ['./data'],
    ['/data'],
    [''],
    ['http://x'],
    [undefined],
    [null],
    [5],
    [{}],
  ])('%j is rejected', async (url) => {
    await expect(open(url as string, { entities: [Reading] })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { property: 'url', fix: expect.any(String) as string },
    });
  });

  test('of a live table are not supported yet', async () => {
    await expect(open('bigtable://p', { entities: [Reading] })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { property: 'url' },
    });
  });
});

describe('entities and options', () => {
  test.each<[string, unknown]>([
    ['none', undefined],
    ['null', null],
    ['an empty list', { entities: [] }],
    ['no list', { entities: Reading }],
    ['no entities', {}],
  ])('%s', async (_name, options) => {
    await expect(open('memory:', options as OpenOptions)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { property: 'entities' },
    });
  });

  test('a class that is not an entity is reported together with the faults of all entities', async () => {
    const error = (await open('memory:', {
      entities: [undefined, class NoEntity {}, Reading] as never,
    }).catch((thrown: unknown) => thrown)) as { code: string; details: { faults: unknown[] } };
    expect(error.code).toBe('INVALID_DECLARATION');
    expect(error.details.faults).toHaveLength(2);
  });

  test('a class passed twice is one entity', async () => {
    const db = await open('memory:', { entities: [Reading, Reading] });
    await db.repository(Reading).save(db.repository(Reading).create({ ...key, value: 1 }));
    expect(await db.repository(Reading).scanAll().count()).toBe(1);
    expect(db.repository(Reading)).toBe(db.repository(Reading));
    await db.close();
  });

  test('the repository of a class that was not passed to open is rejected', async () => {
    const db = await open('memory:', { entities: [Reading] });
    // @ts-expect-error the compiler rejects it too
    expect(() => db.repository(User)).toThrow(
      expect.objectContaining({
        code: 'INVALID_ARGUMENT',
        details: expect.objectContaining({ entity: 'User' }) as object,
      }),
    );
    for (const wrong of [class NoEntity {}, undefined, null, 'Reading', {}])
      expect(() => db.repository(wrong as never)).toThrow(
        expect.objectContaining({ name: 'RowsmithError' }),
      );
    await db.close();
  });

  test.each([
    { schema: 'aply' },
    { schema: true },
    { gc: 'never' },
    { durability: 'none' },
    { validate: 'no' },
    { onForeignRow: 'ignore' },
    { onForeignRow: true },
    { onDamagedCell: null },
    { clock: 5 },
  ])('%j is rejected before anything is opened', async (option) => {
    const path = join(directory, 'data');
    await expect(
      open(`file:${path}`, { entities: [Reading], ...option } as OpenOptions),
    ).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { property: Object.keys(option)[0] },
    });
    expect(existsSync(path)).toBe(false);
  });
});

describe('the schema', () => {
  const url = () => `file:${join(directory, 'data')}`;
  const reopen = async (families: Record<string, FamilySchema>, schema?: 'add' | 'apply') => {
    const db = await open(url(), { entities: [entityWith(families)], schema });
    const stored = (await db.engine.listTables()).find(({ name }) => name === 'versions')?.families;
    await db.close();
    return Object.fromEntries(stored ?? []);
  };

  test('gains what is declared and never loses anything', async () => {
    await reopen({ m: {} });
    expect(Object.keys(await reopen({ m: {}, n: { gc: maxVersions(1) } }))).toEqual(['m', 'n']);
    expect(Object.keys(await reopen({ m: {} }))).toEqual(['m', 'n']);
  });

  test('rejects a contradiction before any other table is changed', async () => {
    await reopen({ m: { gc: maxVersions(2) } });
    const other = entityWith({ m: {} }, 'beside');
    await expect(
      open(url(), { entities: [other, entityWith({ m: { gc: maxVersions(1) }, n: {} })] }),
    ).rejects.toMatchObject({
      code: 'SCHEMA_CONFLICT',
      details: {
        property: 'family m',
        table: 'versions',
        problem: 'stored with maxversions=2, declared with maxversions=1',
      },
    });
    const db = await open(url(), { entities: [Reading] });
    expect((await db.engine.listTables()).map(({ name }) => name)).toEqual([
      'readings',
      'versions',
    ]);
    await db.close();
    expect(Object.keys(await reopen({ m: { gc: maxVersions(2) } }))).toEqual(['m']);
  });

  test('replaces rules if requested', async () => {
    await reopen({ m: { gc: maxVersions(2) } });
    expect(await reopen({ m: { gc: maxAge('1d') } }, 'apply')).toEqual({
      m: { gc: { kind: 'maxAge', micros: 86_400_000_000 } },
    });
    expect(await reopen({ m: {} }, 'apply')).toEqual({ m: {} });
  });

  test('never changes the kind of a family', async () => {
    await reopen({ m: {} });
    await expect(open(url(), { entities: [Counted], schema: 'apply' })).rejects.toMatchObject({
      code: 'SCHEMA_CONFLICT',
      details: { problem: 'stored as plain cells, declared as aggregate sum' },
    });
  });

  test('of sharded entities that share a table has each split key once, in order', async () => {
    const db = await open('memory:', { entities: [Spread] });
    const [table] = await db.engine.listTables();
    expect(table.splitKeys?.map((each) => Buffer.from(each).toString())).toEqual([
      '1#',
      '2#',
      '3#',
    ]);
    await db.close();
  });
});
