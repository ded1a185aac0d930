/** Migrations are exact, repeatable, and can be resumed after a kill. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import {
  column,
  columnMap,
  counter,
  type Database,
  defineEntity,
  defineMessage,
  field,
  literal,
  max,
  maxAge,
  maxVersions,
  min,
  open,
  packed,
  rowKey,
  sum,
  type Version,
  versions,
} from '../../src/index.js';
import type { CheckAndMutate, Engine, RowMutation } from '../../src/storage.js';
import { buildModel } from '../../src/model/index.js';
import { defineMigration, migrate, type MigrationProgress } from '../../src/transfer/index.js';
import { KeyDigests } from '../../src/transfer/migrate/key-collisions.js';
import type { MovedRow } from '../../src/transfer/migrate/moved-row.js';
import { dump } from './everything.js';
import fc from '../support/fast-check.js';

// Tests are slow on a busy machine.
class OldStatus {
  firmware?: string;
  load?: number;
}
class Status {
  firmware?: string;
  load?: bigint;
  more?: string;
}
defineMessage(OldStatus, {
  name: 'migrate.Status',
  fields: { firmware: field(1, 'string'), load: field(2, 'int32') },
});
defineMessage(Status, {
  name: 'migrate.NewStatus',
  fields: { firmware: field(1, 'string'), load: field(2, 'int64'), more: field(3, 'string') },
});

const Old = defineEntity(
  class Old {
    device = '';
    at = new Date(0);
    temperature?: number;
    status?: OldStatus;
    history?: Version<number>[];
    tags?: Map<string, string>;
    plain?: bigint;
    added?: bigint;
  },
  {
    table: 'old',
    families: { m: {}, v: {}, t: {}, s: sum() },
    key: rowKey('device', 'at'),
    shards: { count: 4, by: ['device'] },
    segments: { device: 'string', at: 'timestamp' },
    columns: {
      temperature: column('m', 'double'),
      status: packed('m', () => OldStatus),
      history: versions('v', 'double'),
      tags: columnMap('t', 'string'),
      plain: counter('m'),
      added: counter('s'),
    },
  },
);

const newColumns = {
  temperature: column('n', 'double', { qualifier: 'c' }),
  status: packed('n', () => Status),
  history: versions('v', 'double'),
  tags: columnMap('u', 'string'),
  plain: counter('n'),
  added: counter('s2'),
} as const;
const families = { m: {}, n: {}, v: {}, t: {}, u: {}, s: sum(), s2: sum() };
class NewShape {
  device = '';
  at = new Date(0);
  temperature?: number;
  status?: Status;
  history?: Version<number>[];
  tags?: Map<string, string>;
  plain?: bigint;
  added?: bigint;
}

/** Another table, key format, shard count, literal, families and qualifiers. */
const Moved = defineEntity(class Moved extends NewShape {}, {
  table: 'new',
  families,
  keyFormat: 'ordered',
  key: rowKey(literal('r'), 'device', 'at'),
  shards: { count: 7, by: ['device'] },
  segments: { device: 'string', at: { kind: 'timestamp', order: 'desc' } },
  columns: newColumns,
});
/** The same table with more shards. */
const Wider = defineEntity(class Wider extends NewShape {}, {
  table: 'old',
  families,
  key: rowKey('device', 'at'),
  shards: { count: 8, by: ['device'] },
  segments: { device: 'string', at: 'timestamp' },
  columns: newColumns,
});
/** The same rows with other families. */
const InPlace = defineEntity(class InPlace extends NewShape {}, {
  table: 'old',
  families,
  key: rowKey('device', 'at'),
  shards: { count: 4, by: ['device'] },
  segments: { device: 'string', at: 'timestamp' },
  columns: newColumns,
});

const rows = fc.uniqueArray(
  fc.record({
    device: fc.string({ maxLength: 5 }),
    at: fc.date({ min: new Date(0), max: new Date('2286-01-01'), noInvalidDate: true }),
    temperature: fc.option(fc.double({ noNaN: true }), { nil: undefined }),
    load: fc.integer(),
    tags: fc.array(fc.tuple(fc.string({ maxLength: 3 }), fc.string()), {
      minLength: 1,
      maxLength: 3,
    }),
    history: fc.uniqueArray(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 4 }),
    again: fc.boolean(),
    count: fc.bigInt({ min: -5n, max: 5n }),
  }),
  { maxLength: 12, selector: ({ device, at }) => `${device} ${at.getTime()}` },
);

async function seed(
  db: Database,
  written: typeof rows extends fc.Arbitrary<infer T> ? T : never,
  tick: () => void,
): Promise<void> {
  const old = db.repository(Old);
  for (const { device, at, temperature, load, tags, history, again, count } of written) {
    const key = { device, at };
    const row = Object.assign(new Old(), key, {
      temperature,
      status: Object.assign(new OldStatus(), { load }),
      tags: new Map(tags),
      history: history.map((ms) => ({ at: new Date(ms), value: ms })),
    });
    await old.save(row);
    await old.increment(key, 'added', count);
    await old.increment(key, 'plain', count);
    if (!again) continue;
    tick();
    await old.patch(key, { temperature: load, tags: new Map([['x', 'again']]) });
  }
}

/** Values as the new class holds them. */
const asNew = ({
  device,
  at,
  temperature,
  status,
  history,
  tags,
  plain,
  added,
}: InstanceType<typeof Old>) => ({
  device,
  at,
  temperature,
  status: { firmware: undefined, load: BigInt(status!.load!), more: undefined },
  history,
  tags,
  plain,
  added,
});

describe.each([
  ['to another table, format and key', Moved],
  ['to more shards', Wider],
  ['in place, to other families', InPlace],
] as const)('%s', (_what, Target) => {
  test('property: every value, version and timestamp is copied, however often it is run; old rows are deleted only if requested', async () => {
    await fc.assert(
      fc.asyncProperty(rows, async (written) => {
        let now = 1_700_000_000_000;
        const db = await open('memory:', { entities: [Old], clock: () => now });
        // Another program over the same storage creates the new tables and families.
        for (const [name, more] of [['new', families]] as const)
          await db.engine.createTable({ name, families: new Map(Object.entries(more)) });
        await db.engine.modifyFamilies(
          'old',
          ['n', 'u'].map((family) => ({ kind: 'create' as const, family, schema: {} })),
        );
        await db.engine.modifyFamilies('old', [{ kind: 'create', family: 's2', schema: sum() }]);
        await seed(db, written, () => {
          now += 1000;
        });
        const before = await db.repository(Old).scanAll().all();
        const oldDump = await dump(db, 'old');
        const migration = defineMigration({ from: Old, to: Target });
        const dry = await migrate(db.engine, migration, { dryRun: true });
        expect([dry.rows, dry.copied, dry.samples.length]).toEqual([
          written.length,
          0,
          Math.min(5, written.length),
        ]);
        expect(await dump(db, 'old')).toEqual(oldDump);
        const { samples: _, ...result } = await migrate(db.engine, migration);
        expect(result).toEqual({
          rows: written.length,
          copied: written.length,
          leftOut: 0,
          collidingRows: 0,
          collisions: [],
          undeclaredCells: 0,
          verified: written.length,
          deleted: 0,
        });
        const once = [await dump(db, 'old'), await dump(db, 'new')];
        await migrate(db.engine, migration);
        expect([await dump(db, 'old'), await dump(db, 'new')]).toEqual(once);
        expect(once[0].filter((cell) => oldDump.includes(cell))).toEqual(oldDump);
        const { deleted } = await migrate(db.engine, migration, { deleteOld: true });
        expect(deleted).toBe(written.length);
        // A program that knows only the new class reads the same cells.
        const read = await open('memory:', { entities: [Target] });
        const { collectRows, everyKey } = await import('../../src/storage.js');
        const moved = await collectRows(
          db.engine.readRows({
            table: Target === Moved ? 'new' : 'old',
            ranges: [everyKey],
            reversed: false,
          }),
        );
        expect(moved.length).toBe(written.length);
        for (const { key, cells } of moved) {
          await read.engine.mutateRow(Target === Moved ? 'new' : 'old', {
            key,
            mutations: cells.map(({ family, qualifier, timestamp, value }) =>
              family === 's2'
                ? { kind: 'mergeToCell' as const, family, qualifier, timestamp, input: value }
                : { kind: 'setCell' as const, family, qualifier, timestamp, value },
            ),
          });
          expect(
            cells.every(({ family }) => Target === Moved || ['n', 'u', 'v', 's2'].includes(family)),
          ).toBe(true);
        }
        const sortKey = ({ device, at }: { device: string; at: Date }): string =>
          `${device}\0${String(at.getTime()).padStart(15, '0')}`;
        const after = await read
          .repository(Target as typeof Moved)
          .scanAll()
          .all();
        const ordered = <T extends { device: string; at: Date }>(list: T[]): T[] =>
          list.sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
        expect(
          ordered(after).map((row) =>
            Object.assign({}, row, { status: Object.assign({}, row.status) }),
          ),
        ).toEqual(ordered(before).map(asNew));
        if (Target === Moved) expect(await dump(db, 'old')).toEqual([]);
        await db.close();
        await read.close();
      }),
      { numRuns: Number(process.env.RUNS ?? 12) },
    );
  });
});

const simple = {
  table: 'old',
  families: { m: {}, x: { gc: maxVersions(1) }, z: { gc: maxAge('1h') } },
  key: rowKey('id'),
  segments: { id: 'string' },
} as const;
const From = defineEntity(
  class From {
    id = '';
    a?: string;
    b?: number;
  },
  { ...simple, columns: { a: column('m', 'string'), b: column('m', 'int32') } },
);

async function opened(ids: readonly string[]): Promise<Database> {
  const db = await open('memory:', { entities: [From] });
  await db.engine.createTable({ name: 'new', families: new Map(Object.entries(simple.families)) });
  await db
    .repository(From)
    .saveMany(ids.map((id) => Object.assign(new From(), { id, a: `a of ${id}`, b: 1 })));
  return db;
}

describe('with a map function', () => {
  const Target = defineEntity(
    class Target {
      id = '';
      label?: string;
    },
    {
      ...simple,
      table: 'new',
      key: rowKey(literal('t'), 'id'),
      columns: { label: column('m', 'string') },
    },
  );
  const migration = defineMigration({
    from: From,
    to: Target,
    map: (old) =>
      old.id === 'gone'
        ? undefined
        : Object.assign(new Target(), { id: old.id.toUpperCase(), label: `${old.a} ${old.b}` }),
  });

  test('rows are converted, with the timestamp of the old ones; rows left out are counted', async () => {
    const db = await opened(['x', 'gone', 'y']);
    const result = await migrate(db.engine, migration, { deleteOld: true });
    expect(result).toMatchObject({
      rows: 3,
      copied: 2,
      leftOut: 1,
      verified: 3,
      deleted: 3,
      samples: [
        { from: 'gone', to: undefined },
        { from: 'x', to: 't#X' },
        { from: 'y', to: 't#Y' },
      ],
    });
    expect(
      (await dump(db, 'new')).map((cell) => Buffer.from(cell.split(' ')[3], 'hex').toString()),
    ).toEqual(['a of x 1', 'a of y 1']);
    expect(await dump(db, 'old')).toEqual([]);
    await db.close();
  });

  test('it must return an instance of the new class', async () => {
    const db = await opened(['x']);
    await expect(
      migrate(db.engine, { from: From, to: Target, map: () => ({}) as never }),
    ).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', details: { property: 'map' } });
    await db.close();
  });
});

describe('several old rows that would become one new row', () => {
  class Visit {
    user = '';
    page = '';
    count?: number;
  }
  const families = { m: {} };
  const columns = { count: column('m', 'int32') };
  const segments = { user: 'string', page: 'string' } as const;
  const From = defineEntity(class From extends Visit {}, {
    table: 'c1',
    families,
    key: rowKey('user', 'page'),
    segments,
    columns,
  });
  const ByUser = defineEntity(
    class ByUser {
      user = '';
      count?: number;
    },
    {
      table: 'c2',
      families,
      key: rowKey('user'),
      segments: { user: { kind: 'string', lower: true } },
      columns,
    },
  );
  const Kept = defineEntity(class Kept extends Visit {}, {
    table: 'c2',
    families,
    key: rowKey('page', 'user'),
    segments,
    columns,
  });
  const cells = async (db: Database): Promise<number> =>
    (await db.repository(ByUser).scanAll().all()).length;
  const byUser = defineMigration({ from: From, to: ByUser });
  async function opened(rows: readonly (readonly [string, string])[]): Promise<Database> {
    const db = await open('memory:', { entities: [From, ByUser] });
    await db
      .repository(From)
      .saveMany(rows.map(([user, page], i) => Object.assign(new From(), { user, page, count: i })));
    return db;
  }

  test('the migration stops before anything is written, and a dry run reports them', async () => {
    const db = await opened([
      ['a', 'x'],
      ['A', 'y'],
      ['b', 'x'],
      ['c', 'x'],
      ['c', 'y'],
      ['c', 'z'],
    ]);
    const dry = await migrate(db.engine, byUser, { dryRun: true });
    expect(dry).toMatchObject({ rows: 6, copied: 0, collidingRows: 5 });
    expect(dry.collisions.map(({ to, from }) => [to, [...from].sort()])).toEqual(
      expect.arrayContaining([
        ['a', ['A#y', 'a#x']],
        ['c', ['c#x', 'c#y', 'c#z']],
      ]),
    );
    expect(dry.collisions).toHaveLength(2);
    const phases = new Set<string>();
    for (const options of [{}, { verify: false }, { deleteOld: true }])
      await expect(
        migrate(db.engine, byUser, { ...options, onProgress: ({ phase }) => phases.add(phase) }),
      ).rejects.toMatchObject({
        code: 'FAILED_PRECONDITION',
        details: {
          entity: 'ByUser',
          property: 'key',
          problem: expect.stringMatching(
            /^5 old rows would be moved over each other: (A#y and a#x all become a|c#x and c#y and c#z all become c)$/,
          ) as string,
          fix: expect.stringMatching(
            /^make the mapping of keys injective, .+nothing was written$/,
          ) as string,
        },
      });
    expect([...phases]).toEqual(['check']);
    expect(await cells(db)).toBe(0);
    await db.close();
  });

  test('a map function is checked too, and rows that it leaves out do not count', async () => {
    const db = await opened([
      ['a', 'x'],
      ['a', 'y'],
    ]);
    const map = (old: Visit) => Object.assign(new ByUser(), { user: old.user, count: old.count });
    const mapped = { from: From, to: ByUser, map };
    expect(await migrate(db.engine, mapped, { dryRun: true })).toMatchObject({ collidingRows: 2 });
    const firstOnly = { ...mapped, map: (old: Visit) => (old.page === 'x' ? map(old) : undefined) };
    expect(await migrate(db.engine, firstOnly)).toMatchObject({ copied: 1, collidingRows: 0 });
    await db.close();
  });

  test('a key that keeps every segment needs no check', async () => {
    const db = await open('memory:', { entities: [From, Kept] });
    await db.repository(From).save(Object.assign(new From(), { user: 'a', page: 'x', count: 1 }));
    const phases = new Set<string>();
    const onProgress = ({ phase }: MigrationProgress) => phases.add(phase);
    await migrate(db.engine, { from: From, to: Kept }, { onProgress });
    expect([...phases]).toEqual(['copy', 'verify']);
    await db.close();
  });

  test('rows written after the check are found by the comparison', async () => {
    const db = await opened([['a', 'x']]);
    let written: Promise<void> | undefined;
    const write = (page: string): Promise<void> =>
      db.repository(From).save(Object.assign(new From(), { user: 'A', page, count: 7 }));
    const onProgress = ({ phase, rows }: MigrationProgress): void => {
      if (phase === 'copy' && rows === 0) written ??= write('z');
    };
    const slow = new Proxy(db.engine, {
      get(engine, name) {
        if (name === 'mutateRows')
          return async (...args: Parameters<Engine['mutateRows']>) => {
            await written;
            const results = await engine.mutateRows(...args);
            // The same timestamp with another value, so that one row replaces the other.
            const [row] = args[1];
            const [cell] = row.mutations;
            if (cell.kind === 'setCell')
              await engine.mutateRow(args[0], {
                key: row.key,
                mutations: [{ ...cell, value: new Uint8Array(8) }],
              });
            return results;
          };
        const value: unknown = Reflect.get(engine, name);
        return typeof value === 'function' ? value.bind(engine) : value;
      },
    });
    await db.repository(From).save(Object.assign(new From(), { user: 'a', page: 'x', count: 5 }));
    await expect(migrate(slow, byUser, { onProgress })).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
      details: {
        problem: expect.stringContaining('would be moved over each other') as string,
        fix: expect.stringContaining('no old row was deleted by this run') as string,
      },
    });
    await db.close();
  });
});

describe('within one table, new keys that the old class reads as its own', () => {
  // The scan read what it had just written: the row was moved twice, or over one not yet moved.
  class Shape {
    a = '';
    b = '';
    text?: string;
  }
  const declared = {
    table: 't',
    families: { m: {} },
    segments: { a: 'string', b: 'string' },
    columns: { text: column('m', 'string') },
  } as const;
  const From = defineEntity(class From extends Shape {}, { ...declared, key: rowKey('a', 'b') });
  const Same = defineEntity(class Same extends Shape {}, { ...declared, key: rowKey('a', 'b') });
  const Swapped = defineEntity(class Swapped extends Shape {}, {
    ...declared,
    key: rowKey('b', 'a'),
  });
  async function opened(rows: readonly (readonly [string, string])[]): Promise<Database> {
    const db = await open('memory:', { entities: [From] });
    await db
      .repository(From)
      .saveMany(rows.map(([a, b]) => Object.assign(new From(), { a, b, text: `${a}${b}` })));
    return db;
  }
  const next = (old: Shape): Shape => Object.assign(new Same(), old, { a: `${Number(old.a) + 1}` });

  test.each([{}, { dryRun: true }, { verify: false }, { deleteOld: true }])(
    'a map function that makes them is rejected before anything is written: %j',
    async (options) => {
      const db = await opened([
        ['1', 'x'],
        ['2', 'x'],
        ['7', 'y'],
      ]);
      const before = await dump(db, 't');
      const migration = defineMigration({ from: From, to: Same, map: next });
      await expect(migrate(db.engine, migration, options)).rejects.toMatchObject({
        code: 'FAILED_PRECONDITION',
        details: {
          entity: 'Same',
          property: 'map',
          problem: expect.stringMatching(
            /^3 new keys in table 't' are keys of From, too, .*: 1#x becomes 2#x, 2#x becomes 3#x, 7#y becomes 8#y$/,
          ) as string,
          fix: expect.stringMatching(
            /^move the rows to another table.+nothing was written$/,
          ) as string,
        },
      });
      expect(await dump(db, 't')).toEqual(before);
      await db.close();
    },
  );

  test('a map function that keeps the keys, or leaves rows out, is run', async () => {
    const db = await opened([
      ['1', 'x '],
      ['2', 'x'],
    ]);
    const map = (old: Shape) =>
      old.a === '1' ? Object.assign(new Same(), old, { text: old.text?.trim() }) : undefined;
    expect(await migrate(db.engine, { from: From, to: Same, map })).toMatchObject({
      copied: 1,
      leftOut: 1,
    });
    const texts = (await db.repository(From).scanAll().all()).map(({ text }) => text);
    expect(texts).toEqual(['1x', '2x']);
    await db.close();
  });

  test('in place, a map function that changes its own results is rejected', async () => {
    // A resumed migration applied it twice, and the comparison failed after the rows were written.
    const db = await opened([['1', 'x']]);
    const before = await dump(db, 't');
    const map = (old: Shape) => Object.assign(new Same(), old, { text: `new ${old.text}` });
    for (const options of [{}, { dryRun: true }, { verify: false }])
      await expect(
        migrate(db.engine, { from: From, to: Same, map }, options),
      ).rejects.toMatchObject({
        code: 'FAILED_PRECONDITION',
        details: {
          entity: 'Same',
          property: 'map',
          problem: expect.stringContaining('would change them again') as string,
          fix: expect.stringMatching(/another table, or .*new qualifiers; nothing was/) as string,
        },
      });
    expect(await dump(db, 't')).toEqual(before);
    await db.close();
  });

  test('a row written after the check is not moved', async () => {
    const db = await opened([['1', 'x']]);
    const map = (old: Shape) => (old.a === '5' ? next(old) : Object.assign(new Same(), old));
    const abort = new AbortController();
    const folder = mkdtempSync(join(tmpdir(), 'rowsmith-migrate-'));
    const state = join(folder, 'state.json');
    const migration = defineMigration({ from: From, to: Same, map });
    const interrupted = migrate(db.engine, migration, {
      state,
      signal: abort.signal,
      onProgress: ({ phase, rows }) => {
        if (phase === 'verify' && rows === 0) abort.abort();
      },
    });
    await expect(interrupted).rejects.toMatchObject({ name: 'AbortError' });
    await db.repository(From).save(Object.assign(new From(), { a: '5', b: 'x', text: 'later' }));
    await expect(migrate(db.engine, migration, { state })).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
      details: { fix: expect.stringContaining('these rows were not moved') as string },
    });
    expect(await db.repository(From).get({ a: '6', b: 'x' })).toBeUndefined();
    rmSync(folder, { recursive: true });
    await db.close();
  });

  test('columns that would be written over each other are rejected', async () => {
    // Both became the value of one of them, depending on the timestamps.
    class Two {
      id = '';
      x?: string;
      y?: string;
    }
    const two = {
      table: 't',
      families: { m: {} },
      key: rowKey('id'),
      segments: { id: 'string' },
    } as const;
    const Before = defineEntity(class Before extends Two {}, {
      ...two,
      columns: { x: column('m', 'string'), y: column('m', 'string') },
    });
    const After = defineEntity(class After extends Two {}, {
      ...two,
      columns: {
        x: column('m', 'string', { qualifier: 'y' }),
        y: column('m', 'string', { qualifier: 'x' }),
      },
    });
    const db = await open('memory:', { entities: [Before] });
    await expect(migrate(db.engine, { from: Before, to: After })).rejects.toMatchObject({
      code: 'INVALID_DECLARATION',
      details: {
        entity: 'After',
        property: 'x',
        problem: "'x' would be written over 'y' of the same row",
      },
    });
    await db.close();
  });

  test('so are segments in another order', async () => {
    const db = await opened([
      ['1', '2'],
      ['2', '1'],
    ]);
    await expect(migrate(db.engine, { from: From, to: Swapped })).rejects.toMatchObject({
      code: 'INVALID_DECLARATION',
      details: {
        entity: 'Swapped',
        property: 'key',
        problem:
          "in table 't' a key of Swapped can be one of From: its segments are b, a instead of a, b",
      },
    });
    await db.close();
  });
});

test('digests of keys: equal ones are found among a hundred thousand, and looked at exactly', () => {
  const digests = new KeyDigests();
  const key = (i: number): Uint8Array => new Uint8Array(Buffer.from(`row ${i}`));
  for (let i = 0; i < 100_000; i++) digests.add(key(i));
  for (const i of [5, 5, 77_777]) digests.add(key(i));
  const repeated = digests.repeated();
  const moved = (i: number, from: string): MovedRow => ({
    source: { key: new Uint8Array(Buffer.from(from)), cells: [] },
    to: key(i),
    cells: [],
    taken: [],
    undeclared: 0,
  });
  repeated.look([moved(5, 'a'), moved(6, 'x'), moved(5, 'b'), moved(77_777, 'y')]);
  // Only one row of the third key is found: its digest was that of another key.
  expect(repeated.collisions()).toEqual({ rows: 2, examples: [{ to: 'row 5', from: ['a', 'b'] }] });
  expect(new KeyDigests().repeated().isEmpty).toBe(true);
});

describe('counters of aggregate families that are added to concurrently', () => {
  const families = { m: {}, s: sum(), lo: min(), hi: max() };
  const columns = {
    text: column('m', 'string'),
    total: counter('s'),
    lowest: counter('lo'),
    highest: counter('hi'),
  } as const;
  class Counted {
    id = 0;
    text?: string;
    total?: bigint;
    lowest?: bigint;
    highest?: bigint;
  }
  const Was = defineEntity(class Was extends Counted {}, {
    table: 'counted',
    families,
    key: rowKey('id'),
    segments: { id: 'uint' },
    columns,
  });
  const Stored = defineEntity(class Stored extends Counted {}, {
    table: 'counted',
    families,
    key: rowKey(literal('n'), 'id'),
    segments: { id: 'uint' },
    columns,
  });
  const migration = defineMigration({ from: Was, to: Stored });
  let folder = '';
  let state = '';
  let db: Database;
  let now: Database;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'rowsmith-migrate-'));
    state = join(folder, 'state.json');
    db = await open(`file:${join(folder, 'data')}`, { entities: [Was], durability: 'relaxed' });
    for (let id = 0; id < 20; id++) {
      await db.repository(Was).save(Object.assign(new Was(), { id, text: 'x' }));
      for (const property of ['total', 'lowest', 'highest'] as const)
        await db.repository(Was).increment({ id }, property, 10n);
    }
  });
  afterEach(async () => {
    await db.close();
    rmSync(folder, { recursive: true });
  });
  /** Adds to a counter of a row of the new or the old class. */
  const add = (key: Uint8Array, family: string, qualifier: string, input: bigint) =>
    db.engine.mutateRow('counted', {
      key,
      mutations: [
        { kind: 'addToCell', family, qualifier: Buffer.from(qualifier), timestamp: 0, input },
      ],
    });
  const keyOf = (entity: typeof Was | typeof Stored, id: number): Uint8Array =>
    buildModel(entity as typeof Was).key.encode({ id });
  const stored = async (id: number): Promise<Counted> => {
    await db.close();
    now = await open(`file:${join(folder, 'data')}`, { entities: [Stored] });
    const row = (await now.repository(Stored).get({ id }))!;
    await now.close();
    db = await open(`file:${join(folder, 'data')}`, { entities: [Was] });
    return row;
  };

  test('a sum in the new row is not overwritten, and the error names the option to use', async () => {
    await add(keyOf(Stored, 7), 's', 'total', 3n);
    const conflict = {
      code: 'FAILED_PRECONDITION',
      details: {
        problem: expect.stringContaining('differs from the old row'),
        fix: expect.stringContaining('--replace-counters'),
      },
    };
    for (let turn = 0; turn < 2; turn++)
      await expect(migrate(db.engine, migration, { state, deleteOld: true })).rejects.toMatchObject(
        conflict,
      );
    expect((await stored(7)).total).toBe(3n);
    expect(
      await migrate(db.engine, migration, { state, deleteOld: true, replaceCounters: true }),
    ).toMatchObject({ copied: 20, deleted: 20 });
    expect((await stored(7)).total).toBe(10n);
  });

  test.each([
    ['old', Was, 15n],
    ['new', Stored, 15n],
  ] as const)(
    'additions to the %s row since the copy are found by the comparison and by the next copy',
    async (_which, entity, now) => {
      // Right after this row is copied.
      const racing = new Proxy(db.engine, {
        get: (engine, name: keyof Engine) =>
          name !== 'checkAndMutateRow'
            ? memberOf(engine, name)
            : async (table: string, check: CheckAndMutate) => {
                const found = await engine.checkAndMutateRow(table, check);
                if (Buffer.from(check.key).equals(keyOf(Stored, 3)))
                  await add(keyOf(entity, 3), 's', 'total', 5n);
                return found;
              },
      });
      for (const [engine, problem] of [
        [racing, 'one of the two was added to'],
        [db.engine, 'differs from the old row'],
      ] as const) {
        await expect(migrate(engine, migration, { state, deleteOld: true })).rejects.toMatchObject({
          code: 'FAILED_PRECONDITION',
          details: {
            problem: expect.stringContaining(problem),
            fix: expect.stringContaining('--replace-counters'),
          },
        });
      }
      if (entity === Was)
        expect(
          await migrate(db.engine, migration, { state, deleteOld: true, replaceCounters: true }),
        ).toMatchObject({ deleted: 20 });
      expect((await stored(3)).total).toBe(now);
    },
  );

  test('old counters that are added to between the comparison and the deletion are kept', async () => {
    const racing = new Proxy(db.engine, {
      get: (engine, name: keyof Engine) =>
        name !== 'checkAndMutateRow'
          ? memberOf(engine, name)
          : async (table: string, check: CheckAndMutate) => {
              if (deleting && Buffer.from(check.key).equals(keyOf(Was, 4)))
                await add(keyOf(Was, 4), 's', 'total', 1n);
              return engine.checkAndMutateRow(table, check);
            },
    });
    let deleting = false;
    await expect(
      migrate(racing, migration, {
        state,
        deleteOld: true,
        onProgress: ({ phase }) => {
          deleting = phase === 'delete';
        },
      }),
    ).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
      details: { problem: expect.stringContaining('was added to before it could be deleted') },
    });
    expect((await db.repository(Was).get({ id: 4 }))!.total).toBe(11n);
    expect(
      await migrate(db.engine, migration, { state, deleteOld: true, replaceCounters: true }),
    ).toMatchObject({ rows: 1, deleted: 1 });
    expect((await stored(4)).total).toBe(11n);
  });

  test('the minimum and maximum of both rows are kept, in any order', async () => {
    await add(keyOf(Stored, 1), 'lo', 'lowest', 4n);
    await add(keyOf(Stored, 1), 'hi', 'highest', 4n);
    await add(keyOf(Stored, 2), 'lo', 'lowest', 40n);
    await add(keyOf(Stored, 2), 'hi', 'highest', 40n);
    expect(await migrate(db.engine, migration, { state, deleteOld: true })).toMatchObject({
      copied: 20,
      deleted: 20,
    });
    expect([await stored(1), await stored(2)]).toMatchObject([
      { lowest: 4n, highest: 10n, total: 10n },
      { lowest: 10n, highest: 40n, total: 10n },
    ]);
  });
});

describe('migrations that would lose or mix up rows are rejected', () => {
  const to = (columns: object, more: object = {}) =>
    defineEntity(
      class Target {
        id = '';
        a?: never;
        b?: never;
      },
      { ...simple, table: 'new', columns, ...more } as never,
    ) as never;

  test.each<[string, never, object]>([
    [
      'a column without a counterpart',
      to({ a: column('m', 'string') }),
      { property: 'b', fix: expect.stringContaining("drop: ['b']") },
    ],
    [
      'a column of another kind',
      to({ a: column('m', 'string'), b: column('m', 'string') }),
      { property: 'b' },
    ],
    [
      'keys that both read',
      to(
        { a: column('m', 'string'), b: column('m', 'int32') },
        { table: 'old', segments: { id: { kind: 'string', lower: true } }, key: rowKey('id') },
      ),
      { property: 'key' },
    ],
  ])('%s', async (_what, Target, details) => {
    const db = await opened(['x']);
    await expect(migrate(db.engine, { from: From, to: Target })).rejects.toMatchObject({
      code: 'INVALID_DECLARATION',
      details,
    });
    await db.close();
  });

  test('dropped and undeclared cells are counted and prevent deletion of the old rows', async () => {
    const db = await opened(['x', 'y']);
    const Target = to({ a: column('x', 'string') });
    const migration = defineMigration({ from: From, to: Target, drop: ['b'] });
    await db.engine.mutateRow('old', {
      key: Buffer.from('x'),
      mutations: [
        {
          kind: 'setCell',
          family: 'm',
          qualifier: Buffer.from('foreign'),
          timestamp: 1000,
          value: Buffer.from('f'),
        },
      ],
    });
    const before = await dump(db, 'old');
    await expect(migrate(db.engine, migration, { deleteOld: true })).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
      details: { problem: expect.stringContaining('3 cells') },
    });
    expect(await dump(db, 'old')).toEqual(before);
    expect(await migrate(db.engine, migration)).toMatchObject({
      copied: 2,
      undeclaredCells: 3,
      deleted: 0,
    });
    await db.close();
  });

  test('a comparison that fails deletes nothing, and the next run copies again', async () => {
    const db = await opened(['x', 'y']);
    const folder = mkdtempSync(join(tmpdir(), 'rowsmith-migrate-'));
    const Target = to({ a: column('m', 'string'), b: column('m', 'int32') });
    const migration = defineMigration({ from: From, to: Target });
    const before = await dump(db, 'old');
    // Storage that acknowledges a row without writing it.
    const forgetful = new Proxy(db.engine, {
      get: (engine, name: keyof Engine) =>
        name === 'mutateRows'
          ? (table: string, some: readonly RowMutation[]) =>
              engine.mutateRows(
                table,
                some.filter(({ key }) => key[0] !== 'y'.charCodeAt(0)),
              )
          : memberOf(engine, name),
    });
    const state = join(folder, 'state.json');
    await expect(migrate(forgetful, migration, { deleteOld: true, state })).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
      details: { key: 'y' },
    });
    expect(await dump(db, 'old')).toEqual(before);
    expect(existsSync(state)).toBe(true);
    expect(await migrate(db.engine, migration, { deleteOld: true, state })).toMatchObject({
      rows: 2,
      verified: 2,
      deleted: 2,
    });
    expect(existsSync(state)).toBe(false);
    expect(await dump(db, 'new')).toEqual(before);
    rmSync(folder, { recursive: true });
    await db.close();
  });

  test('what is written to old rows while they are deleted is kept', async () => {
    const db = await opened(['x']);
    const Target = to({ a: column('m', 'string'), b: column('m', 'int32') });
    const write = async ({ phase }: MigrationProgress): Promise<void> => {
      if (phase === 'verify')
        await db.engine.mutateRow('old', {
          key: Buffer.from('x'),
          mutations: [
            {
              kind: 'setCell',
              family: 'm',
              qualifier: Buffer.from('new'),
              timestamp: 9_000_000_000_000_000,
              value: Buffer.from('n'),
            },
          ],
        });
    };
    await migrate(db.engine, defineMigration({ from: From, to: Target }), {
      deleteOld: true,
      onProgress: (progress) => void write(progress),
    });
    const left = (await dump(db, 'old')).map((cell) =>
      Buffer.from(cell.split(':')[1].split(' ')[0], 'hex').toString(),
    );
    expect(left).toEqual(['new']);
    await db.close();
  });

  test('the state of another migration, and a damaged one', async () => {
    const db = await opened(['x']);
    const folder = mkdtempSync(join(tmpdir(), 'rowsmith-migrate-'));
    const state = join(folder, 'state.json');
    const Target = to({ a: column('m', 'string'), b: column('m', 'int32') });
    for (const text of [
      '',
      '{}',
      '{"identity":"other","phase":"copy","last":null,"counts":{"rows":0,"copied":0,"leftOut":0,"undeclaredCells":0,"verified":0,"deleted":0}}',
    ]) {
      writeFileSync(state, text);
      await expect(migrate(db.engine, { from: From, to: Target }, { state })).rejects.toMatchObject(
        {
          code: 'FILE_FAILED',
          details: { file: state },
        },
      );
    }
    expect(await dump(db, 'new')).toEqual([]);
    rmSync(folder, { recursive: true });
    await db.close();
  });
});

test('rowsPerSecond limits the rate', async () => {
  const db = await opened(Array.from({ length: 60 }, (_, i) => `row ${i}`));
  const Target = defineEntity(
    class Target {
      id = '';
      a?: string;
      b?: number;
    },
    { ...simple, table: 'new', columns: { a: column('m', 'string'), b: column('m', 'int32') } },
  );
  const started = performance.now();
  await migrate(db.engine, { from: From, to: Target }, { rowsPerSecond: 300, verify: false });
  // 60 rows at 300 per second take at least 200 ms.
  expect(performance.now() - started).toBeGreaterThan(190);
  await db.close();
});

test('a process killed during a migration is resumed, and the result is exact', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-migrate-'));
  try {
    buildSync({
      entryPoints: [join(__dirname, 'migrating.ts')],
      outfile: join(folder, 'migrating.mjs'),
      bundle: true,
      keepNames: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      logLevel: 'error',
      external: [
        'lmdb',
        're2js',
        'sorted-btree',
        'class-validator',
        'csv-parse',
        'reflect-metadata',
      ],
    });
    symlinkSync(join(__dirname, '../../node_modules'), join(folder, 'node_modules'));
    const child = (...args: string[]) =>
      spawn(process.execPath, [join(folder, 'migrating.mjs'), folder, ...args], {
        stdio: ['ignore', 'ignore', 'inherit'],
      });
    const ended = (process_: ReturnType<typeof child>) =>
      new Promise<[number | null, string | null]>(
        (resolve) => void process_.on('close', (...end) => resolve(end)),
      );
    expect(await ended(child('seed'))).toEqual([0, null]);
    let kills = 0;
    for (let round = 0; round < 3; round++) {
      // At a different time in each round: during the copy, the comparison, the deletion.
      const [code, signal] = await ended(child('migrate', String(1 + 2 * round)));
      if (signal === 'SIGKILL') kills++;
      else expect(code).toBe(0);
    }
    expect(kills).toBeGreaterThan(0);
    expect(await ended(child('migrate'))).toEqual([0, null]);
    expect(await ended(child('check'))).toEqual([0, null]);
    const { rows: count, left } = JSON.parse(readFileSync(join(folder, 'result.json'), 'utf8')) as {
      rows: number;
      left: number;
    };
    expect({ count, left }).toEqual({ count: 2000, left: 0 });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

function memberOf(engine: Engine, name: keyof Engine): unknown {
  const member = engine[name];
  return typeof member === 'function' ? (member as () => unknown).bind(engine) : member;
}
